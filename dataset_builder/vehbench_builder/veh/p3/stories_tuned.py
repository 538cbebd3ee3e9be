"""The P3 stories in which the beam stays in tune and its amplitudes grow."""

from vehbench_builder.veh.p3.wordings import (
    BROKEN,
    EASES,
    GROWS,
    IN_TUNE,
    KEPT,
    STRONG,
    STRONGER,
    WAS_BROKEN,
    WAS_DETUNED,
    WAS_IN_TUNE,
    WAS_KEPT,
    WAS_STRONG,
    Story,
    Wording,
)

_ALL_MET_FIRST = (
    Wording("This layout keeps every limit, so the only thing left to tune is the power.", (KEPT,), (IN_TUNE, STRONG)),
    Wording(
        "Tuned to {fe} Hz and inside all limits. From here on it is a matter of collecting more power.",
        (KEPT,),
        (IN_TUNE, STRONG),
    ),
    Wording(
        "Nothing stands in the way any more: frequency, stress and displacement are where they must be. I go for "
        "power.",
        (KEPT,),
        (IN_TUNE, STRONG),
    ),
    Wording(
        "As a starting point this one passes on every count. The target of {target} uW is met and can be exceeded.",
        (KEPT,),
        (IN_TUNE, STRONG),
    ),
)
_ALL_MET_LATER = (
    Wording(
        "All limits are met, and {P} uW is above the target of {target} uW. I go on the same way for more power.",
        (WAS_KEPT,),
        (WAS_STRONG, STRONGER),
    ),
    Wording(
        "{P} uW with everything inside its limits. The same mix of changes again should give more.",
        (WAS_KEPT,),
        (STRONGER,),
    ),
    Wording(
        "The design passes, and {P} uW is a good number. Another step along the same line for a better one.",
        (WAS_KEPT,),
        (STRONGER,),
    ),
    Wording(
        "The frequency is spot on and the amplitudes are within what is allowed. Only the power counts now: {P} uW so "
        "far, more to come.",
        (WAS_KEPT,),
        (WAS_IN_TUNE, STRONGER),
    ),
    Wording(
        "No limit is touched, so there is no reason to hold back. Same changes again, beyond {P} uW.",
        (WAS_KEPT, KEPT),
        (STRONGER,),
    ),
    Wording(
        "With the limits settled I only watch the power. It stands at {P} uW and can still climb, so I continue.",
        (WAS_KEPT,),
        (STRONGER,),
    ),
    Wording(
        "Good: {P} uW and not one limit broken. I push the same changes further; that stays within the limits.",
        (WAS_KEPT, KEPT),
        (STRONGER,),
    ),
)

_ONE_SHAPE_FIRST = (
    Wording(
        "Only a beam of about this slenderness, L/h_s = {ratio}, gets to {fe} Hz. I choose length and substrate "
        "thickness together; stress and displacement stay inside their limits that way.",
        (KEPT,),
        (IN_TUNE,),
    ),
    Wording(
        "{fe} Hz fixes the ratio of length to substrate thickness at {ratio}; there is no other way to reach it. The "
        "{quantity} should be fine there.",
        (KEPT,),
        (IN_TUNE,),
    ),
    Wording(
        "I set length and substrate thickness as a pair, L/h_s = {ratio}, since nothing else reaches {fe} Hz. This one "
        "should keep all limits.",
        (KEPT,),
        (IN_TUNE,),
    ),
)
_ONE_SHAPE_LATER = (
    Wording(
        "The tuning rests on the pair of length and substrate alone, so I stay with it. A bit further, {pair}, and the "
        "{quantity} comes down by itself.",
        (EASES,),
        (IN_TUNE,),
    ),
    Wording(
        "{Quantity} reads {s} against {slim}. No other shape reaches {fe} Hz, so the remedy must lie on this line: "
        "{pair}, which relieves it.",
        (EASES,),
        (WAS_BROKEN, IN_TUNE),
    ),
    Wording(
        "With L/h_s = {last_ratio} the beam could not hold {fe} Hz. It takes {ratio} exactly, so again {pair}.",
        (WAS_DETUNED,),
        (IN_TUNE,),
    ),
    Wording(
        "Nothing but L and h_s can hold {fe} Hz, so the rest stays as it is. At L/h_s = {ratio} the {quantity} should "
        "drop under {slim}.",
        (KEPT,),
        (IN_TUNE,),
    ),
    Wording(
        "{s} is a little much, but the frequency leaves me no choice other than {pair}. The excess gets smaller along "
        "the way.",
        (EASES,),
        (WAS_BROKEN, IN_TUNE),
    ),
    Wording(
        "Every other slenderness loses {fe} Hz. I keep to this family of beams, L/h_s = {ratio} now, where the "
        "{quantity} ends up below {slim}.",
        (KEPT,),
        (IN_TUNE,),
    ),
    Wording(
        "The earlier ratio of {last_ratio} was out of tune, which cost us. {ratio} is the one that fits {fe} Hz: "
        "{pair}.",
        (WAS_DETUNED,),
        (IN_TUNE,),
    ),
)

FALSE_FEASIBILITY = Story((BROKEN, IN_TUNE, STRONG), (GROWS, STRONGER), (), (_ALL_MET_FIRST, *[_ALL_MET_LATER] * 3))
TOPOLOGY_TRAP = Story((BROKEN, IN_TUNE), (GROWS,), (), (_ONE_SHAPE_FIRST, *[_ONE_SHAPE_LATER] * 3))
