"""The P3 stories in which one variable walks away from a tuned start."""

from vehbench_builder.veh.p3.wordings import (
    ABOVE,
    BELOW,
    CLOSER,
    FALLS,
    FARTHER,
    IN_TUNE,
    MISSED,
    RISES,
    STRONG,
    STRONGER,
    WAS_BELOW,
    WAS_DETUNED,
    WAS_WEAK,
    WEAKER,
    Story,
    Wording,
)

_ANGULAR_FIRST = (
    Wording(
        "The resonance in these reports is angular, in rad/s, whatever the label says. Divided by 2 pi, the beam is "
        "far too soft for {fe} Hz. I {do}; it will still be below {fe} Hz after that.",
        (BELOW,),
    ),
    Wording(
        "I read the reported resonance as omega and not as hertz. In hertz the beam is nowhere near {fe} Hz yet, so "
        "the first move is {result}, which leaves it below but closer.",
        (BELOW,),
    ),
    Wording(
        "Before anything else: the report says Hz but counts radians per second. In hertz the beam resonates well "
        "below {fe} Hz, even with {result}.",
        (BELOW,),
    ),
    Wording(
        "{Result} first. The reported frequencies are 6.28 times too high because they are in rad/s; in truth this "
        "beam is well under {fe} Hz.",
        (BELOW,),
    ),
)
_ANGULAR_LATER = (
    Wording("{f} rad/s are {rad} Hz, still short of {fe} Hz. I keep {doing}.", (WAS_BELOW,)),
    Wording(
        "The {f} in the report is an angular value. The beam itself sits at {rad} Hz and has to come up to {fe} Hz, so "
        "{result} again.",
        (WAS_BELOW,),
    ),
    Wording(
        "Converted, {f} gives {rad} Hz. The error of {e} % in the report is nothing but the missing 2 pi; the true "
        "error shrinks with every step. {Result} again.",
        (WAS_BELOW, CLOSER),
    ),
    Wording(
        "Power is low because the beam is still too slow: {rad} Hz in truth, against {fe} Hz. {Doing} raises both.",
        (WAS_BELOW, STRONGER),
        (WAS_WEAK,),
    ),
    Wording(
        "This goes the right way: {f} / 6.28 = {rad} Hz, which leaves some distance to {fe} Hz. Next, {result} once "
        "more.",
        (WAS_BELOW, CLOSER),
    ),
    Wording(
        "I do not let the {e} % worry me, they come from comparing rad/s with Hz. At {rad} Hz the beam is too slow; I "
        "{do} again.",
        (WAS_BELOW,),
    ),
    Wording(
        "{rad} Hz so far; the report shows {f} because it leaves out the 2 pi. It takes more stiffness to reach {fe} "
        "Hz: {result}.",
        (WAS_BELOW,),
    ),
    Wording(
        "As long as {f} rad/s stand for {rad} Hz, the resonance is below {fe} Hz and the only way is up. One more step "
        "of {doing}.",
        (WAS_BELOW,),
    ),
)

_OPPOSITE_FIRST = (
    Wording("{Doing} raises the resonance, so this design should come out just above {fe} Hz.", (ABOVE,)),
    Wording(
        "I want the resonance slightly above {fe} Hz to be on the safe side. The rule is {rule}, so I {do}.",
        (ABOVE,),
    ),
    Wording("Rule of thumb: {rule}. One step of it puts the beam on the upper side of {fe} Hz.", (ABOVE,)),
    Wording("{Doing} pulls the resonance up. I take one step to get above {fe} Hz and trim from there.", (ABOVE,)),
)
_OPPOSITE_LATER = (
    Wording(
        "{f} Hz is below {fe} Hz. {Doing} raises the resonance, there just was not enough of it: one step more.",
        (RISES,),
        (WAS_BELOW,),
    ),
    Wording("Now {f} Hz. {Rule}: I {do} again and the resonance will come up.", (RISES,), (WAS_BELOW,)),
    Wording(
        "{f} Hz, {e} % away from {fe} Hz. The last step was too small to show; this one brings the resonance up.",
        (RISES,),
        (WAS_BELOW,),
    ),
    Wording(
        "Still low at {f} Hz. The cure for a low resonance is {result}, so I go on with it.", (RISES,), (WAS_BELOW,)
    ),
    Wording(
        "The dip to {f} Hz is a passing effect. Further {doing} turns it around, and the error gets smaller from here.",
        (RISES, CLOSER),
        (WAS_BELOW,),
    ),
    Wording(
        "Power is short because {f} Hz lies under {fe} Hz. {Doing} lifts the resonance and the power with it.",
        (RISES, STRONGER),
        (WAS_BELOW, WAS_WEAK),
    ),
    Wording(
        "{e} % off on the low side. I stay with {doing}, which is what moves the resonance up.", (RISES,), (WAS_BELOW,)
    ),
    Wording("The gap to {fe} Hz is {e} %. {Rule}, so {result} narrows it.", (RISES, CLOSER), (WAS_BELOW,)),
)

_OVERRULED_FIRST = (
    Wording("{Gain}. I {do}, and the resonance will stay within {eta} % of {fe} Hz.", (IN_TUNE,)),
    Wording("{Gain}, so that is where I start. {target} uW should be there right away.", (STRONG,)),
    Wording("{Gain}. A step this small hardly touches the tuning; {eta} % leaves room enough.", (IN_TUNE,)),
    Wording("{Gain}. That alone covers the {target} uW, so I {do} first.", (STRONG,)),
)
_OVERRULED_LATER = (
    Wording(
        "The report complains about {e} % of frequency error where {eta} % are allowed. Such limits carry a large "
        "reserve, and it will not get worse: I {do} again.",
        (CLOSER,),
        (WAS_DETUNED,),
    ),
    Wording(
        "{P} uW are said to miss the target of {target} uW. That judgement is far too cautious; {doing} is bound to "
        "raise the power.",
        (STRONGER,),
        (WAS_WEAK,),
    ),
    Wording(
        "An objection again, {e} % with a limit of {eta} %. Any real device would be accepted like that. The error has "
        "peaked; {result} once more.",
        (CLOSER,),
        (WAS_DETUNED,),
    ),
    Wording(
        "I would not take {e} % over a limit of {eta} % at face value, it is meant for the worst case. On with "
        "{doing}; the power recovers from here.",
        (STRONGER,),
        (WAS_DETUNED,),
    ),
    Wording(
        "Too strict by half: {P} uW against {target} uW is called a failure, although {gain}. The next step proves it.",
        (STRONGER,),
        (WAS_WEAK,),
    ),
    Wording(
        "{e} % off, it says, and {eta} % is the limit. Limits like that are set with a wide margin. I keep {doing}; "
        "the error will come down.",
        (CLOSER,),
        (WAS_DETUNED,),
    ),
    Wording(
        "The check insists on {target} uW and sees {P} uW. It is overcautious, and the trend is with me: {result} adds "
        "power.",
        (STRONGER,),
        (WAS_WEAK,),
    ),
    Wording(
        "Both marks against the last design, {e} % of error and {P} uW, are on the conservative side. {Result} again, "
        "then the power picks up.",
        (STRONGER,),
        (WAS_DETUNED, WAS_WEAK),
    ),
)

UNIT_FLIP = Story((ABOVE,), (RISES, FARTHER), MISSED, (_ANGULAR_FIRST, *[_ANGULAR_LATER] * 3))
WRONG_DIRECTION = Story((BELOW,), (FALLS, FARTHER), MISSED, (_OPPOSITE_FIRST, *[_OPPOSITE_LATER] * 3))
VERIFIER_IGNORED = Story((), (FARTHER, WEAKER), MISSED, (_OVERRULED_FIRST, *[_OVERRULED_LATER] * 3))
