"""What a note of a P3 history asserts about a shown verdict, in a form that can be checked.

A claim compares two numbers, for instance {"step": 2, "left": "resonant_freq_hz", "relation": ">", "right":
"frequency_hz"}. Each side is a metric of the verifier at that step, "previous " and a metric for the step before,
"frequency_hz" for the excitation, a limit of the brief, or a number as text. Steps count from 1, as in the prompt.
"""

import operator
import re
from collections.abc import Callable

from vehbench_hf.errors import UserError
from vehbench_hf.types import Claim, Spec
from vehbench_oracle import LIMITS, METRICS

PREVIOUS = "previous "
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_SENTENCE = re.compile(r"(?P<left>.+?) (?P<relation><=|>=|<|>) (?P<right>.+)")


class ClaimError(UserError):
    """A claim that says nothing about the history at hand."""


def claim_of(step: int, sentence: str) -> Claim:
    """The claim of a sentence such as "resonant_freq_hz > previous resonant_freq_hz". Raises ClaimError for others."""
    sides = _SENTENCE.fullmatch(sentence)
    if sides is None:
        raise ClaimError(f"expected two sides with one of {', '.join(RELATIONS)} between them, got {sentence!r}")
    return {"step": step, "left": sides["left"], "relation": sides["relation"], "right": sides["right"]}


def claim_holds(spec: Spec, claim: Claim) -> bool:
    """Whether the shown verdicts of `spec` bear the claim out.

    Raises ClaimError for a step that the history lacks, a relation or side of another kind, "previous" at step 1, and a
    metric or limit that the brief withholds.
    """
    relation = RELATIONS.get(claim["relation"])
    if relation is None:
        raise ClaimError(f"expected one of {', '.join(RELATIONS)} between the sides, got {claim['relation']!r}")
    return relation(*claim_sides(spec, claim))


def claim_sides(spec: Spec, claim: Claim) -> tuple[float, float]:
    """The two numbers that a claim compares, at full precision. Raises ClaimError as `claim_holds`."""
    step = claim["step"]
    if not 1 <= step <= len(spec["history"]):
        raise ClaimError(f"the claim is about step {step}, but the history has steps 1 to {len(spec['history'])}")
    return _value(spec, step, claim["left"]), _value(spec, step, claim["right"])


def _value(spec: Spec, step: int, side: str) -> float:
    if side.startswith(PREVIOUS):
        if step == 1:
            raise ClaimError(f"{side!r} at step 1: no step comes before it")
        return _value(spec, step - 1, side.removeprefix(PREVIOUS))
    if side in METRICS:
        return _known(side, (spec["history"][step - 1]["verdict"]["metrics"] or {}).get(side))
    if side in LIMITS:
        return _known(side, spec["constraints"].get(side))
    if side == "frequency_hz":
        return _known(side, spec["excitation"]["frequency_hz"])
    try:
        return float(side)
    except ValueError:
        raise ClaimError(
            f"expected a metric ({', '.join(METRICS)}), {PREVIOUS!r} and a metric, frequency_hz, a limit "
            f"({', '.join(LIMITS)}) or a number, got {side!r}"
        ) from None


def _known(side: str, value: float | None) -> float:
    if value is None:
        raise ClaimError(f"the brief shows no {side}")
    return value
