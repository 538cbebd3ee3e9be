"""The P3 stories in which every note builds on what the one before got wrong."""

from vehbench_builder.veh.p3.wordings import (
    ABOVE,
    BELOW,
    IN_TUNE,
    MISSED,
    STRONG,
    WAS_ABOVE,
    WAS_BELOW,
    WAS_IN_TUNE,
    WAS_STRONG,
    Story,
    Wording,
)

_CHAIN_DOWN = (
    (
        Wording(
            "A thinner substrate takes weight off the beam, so its resonance comes out above {fe} Hz. That is what I "
            "need for the next steps.",
            (ABOVE,),
        ),
        Wording(
            "I begin with the substrate: thinner means lighter, and lighter means a resonance above {fe} Hz.", (ABOVE,)
        ),
        Wording("First the substrate, thinner. Less mass, hence a resonance on the high side of {fe} Hz.", (ABOVE,)),
    ),
    (
        Wording(
            "Now that the thinner substrate has put the resonance above {fe} Hz, there is room for tip mass. It brings "
            "the power over {target} uW.",
            (WAS_ABOVE, STRONG),
        ),
        Wording(
            "The resonance lies above {fe} Hz after the first step, so a heavier tip can only help: it pulls the "
            "tuning back and takes the power past {target} uW.",
            (WAS_ABOVE, STRONG),
        ),
        Wording(
            "Given that the beam is on the high side of {fe} Hz, I add tip mass. With that the {target} uW are met.",
            (WAS_ABOVE, STRONG),
        ),
    ),
    (
        Wording(
            "With the heavier tip the power target of {target} uW is met. What remains is fine tuning: a thinner piezo "
            "layer sets the resonance within {eta} % of {fe} Hz.",
            (WAS_STRONG, IN_TUNE),
        ),
        Wording(
            "Power is settled since the mass was added. I use a thinner piezo layer to bring the frequency error under "
            "{eta} %.",
            (WAS_STRONG, IN_TUNE),
        ),
        Wording(
            "The last step secured the {target} uW. A thinner piezo layer now closes the remaining gap in frequency to "
            "less than {eta} %.",
            (WAS_STRONG, IN_TUNE),
        ),
    ),
    (
        Wording(
            "The piezo layer has brought the resonance within {eta} % and the power is secured, so the width is free. "
            "A narrower beam saves area and stays above {target} uW.",
            (WAS_IN_TUNE, STRONG),
        ),
        Wording(
            "Frequency and power have both been put right by the earlier steps. I make the beam narrower, which keeps "
            "the error below {eta} %.",
            (WAS_IN_TUNE, WAS_STRONG, IN_TUNE),
        ),
        Wording(
            "As the thinner piezo layer has fixed the tuning to within {eta} %, I can afford a narrower beam; {target} "
            "uW are still reached.",
            (WAS_IN_TUNE, STRONG),
        ),
    ),
)
_CHAIN_UP = (
    (
        Wording(
            "A thicker substrate makes the beam heavier, so its resonance comes out below {fe} Hz. That leaves room "
            "for what follows.",
            (BELOW,),
        ),
        Wording(
            "I begin with the substrate: thicker means heavier, and heavier means a resonance below {fe} Hz.", (BELOW,)
        ),
        Wording("First the substrate, thicker. More mass, hence a resonance on the low side of {fe} Hz.", (BELOW,)),
    ),
    (
        Wording(
            "Now that the thicker substrate has put the resonance below {fe} Hz, I can take tip mass off. That lifts "
            "the power over {target} uW.",
            (WAS_BELOW, STRONG),
        ),
        Wording(
            "The resonance lies below {fe} Hz after the first step, so a lighter tip can only help: it pulls the "
            "tuning back and takes the power past {target} uW.",
            (WAS_BELOW, STRONG),
        ),
        Wording(
            "Given that the beam is on the low side of {fe} Hz, I reduce the tip mass. With that the {target} uW are "
            "met.",
            (WAS_BELOW, STRONG),
        ),
    ),
    (
        Wording(
            "With the lighter tip the power target of {target} uW is met. What remains is fine tuning: a thicker piezo "
            "layer sets the resonance within {eta} % of {fe} Hz.",
            (WAS_STRONG, IN_TUNE),
        ),
        Wording(
            "Power is settled since the mass came off. I use a thicker piezo layer to bring the frequency error under "
            "{eta} %.",
            (WAS_STRONG, IN_TUNE),
        ),
        Wording(
            "The last step secured the {target} uW. A thicker piezo layer now closes the remaining gap in frequency to "
            "less than {eta} %.",
            (WAS_STRONG, IN_TUNE),
        ),
    ),
    (
        Wording(
            "The piezo layer has brought the resonance within {eta} % and the power is secured. A wider beam collects "
            "more and stays above {target} uW.",
            (WAS_IN_TUNE, STRONG),
        ),
        Wording(
            "Frequency and power have both been put right by the earlier steps. I make the beam wider, which keeps the "
            "error below {eta} %.",
            (WAS_IN_TUNE, WAS_STRONG, IN_TUNE),
        ),
        Wording(
            "As the thicker piezo layer has fixed the tuning to within {eta} %, I can go for a wider beam; {target} uW "
            "are still reached.",
            (WAS_IN_TUNE, STRONG),
        ),
    ),
)

CONTAMINATION_DOWN = Story((), (), MISSED, _CHAIN_DOWN)
CONTAMINATION_UP = Story((), (), MISSED, _CHAIN_UP)
