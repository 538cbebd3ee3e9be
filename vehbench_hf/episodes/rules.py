"""What an answer means in each probe: which step it makes, what the verifier says to it, and whether that was the end.

Each probe has one function with the same shape. A dict of four is all the dispatch there is.
"""

from collections.abc import Callable
from typing import NamedTuple

from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.parsing import Answer
from vehbench_hf.prompts import feedback_text, unjudged_text
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Design, Probe, Spec, Step


class Taken(NamedTuple):
    """The step an answer made, and the verifier's text for the next turn; None when the episode is over."""

    step: Step
    feedback: str | None


Rule = Callable[[Spec, Protocol, tuple[Step, ...], Answer], Taken]


def take_p1(spec: Spec, protocol: Protocol, steps: tuple[Step, ...], answer: Answer) -> Taken:
    """Triage is over after one action."""
    return Taken(Step(answer.action, missing_fields=answer.missing_fields, repairs=answer.repairs), None)


def take_p2(spec: Spec, protocol: Protocol, steps: tuple[Step, ...], answer: Answer) -> Taken:
    """Search ends at the first feasible design, unless the protocol says otherwise, or when the budget is spent."""
    return _search(spec, protocol, steps, answer, stop_when_feasible=protocol.p2_stop == "feasible")


def take_p3(spec: Spec, protocol: Protocol, steps: tuple[Step, ...], answer: Answer) -> Taken:
    """Recovery uses all live queries; there is no early stop."""
    return _search(spec, protocol, steps, answer, stop_when_feasible=False)


def take_p4(spec: Spec, protocol: Protocol, steps: tuple[Step, ...], answer: Answer) -> Taken:
    """Ranking is over after one order."""
    return Taken(Step("rank", ranking=answer.ranking, repairs=answer.repairs), None)


RULES: dict[Probe, Rule] = {"p1": take_p1, "p2": take_p2, "p3": take_p3, "p4": take_p4}


def live_budget(spec: Spec) -> int:
    """Queries a model has: the budget less the steps of a shown history."""
    return spec["query_budget"] - len(spec["history"])


def numbered_designs(spec: Spec, steps: tuple[Step, ...]) -> list[Design | None]:
    """Designs by step number (from 1, history first); None for a step that proposed none."""
    return [*(step["design"] for step in spec["history"]), *(step.design for step in steps)]


def _search(
    spec: Spec, protocol: Protocol, steps: tuple[Step, ...], answer: Answer, *, stop_when_feasible: bool
) -> Taken:
    left = live_budget(spec) - len(steps) - 1
    number = len(spec["history"]) + len(steps) + 1
    if answer.action in ("declare_infeasible", "request_missing_info"):
        return Taken(Step(answer.action, missing_fields=answer.missing_fields, repairs=answer.repairs), None)
    design, repairs = answer.design, answer.repairs
    if answer.action == "reset_to_prior":
        assert answer.prior_step is not None  # the parser refuses a reset without a valid step
        design = numbered_designs(spec, steps)[answer.prior_step - 1]
    if design is None:
        text = unjudged_text(number, answer.action, left)
        return Taken(Step(answer.action, repairs=repairs), text if left > 0 else None)
    verdict = judge_for(spec, design)
    step = Step(answer.action, design=design, verdict=verdict, repairs=repairs)
    over = left <= 0 or (stop_when_feasible and verdict.feasible)
    coarse = protocol.feedback == "coarse"
    return Taken(step, None if over else feedback_text(number, verdict, left, coarse=coarse))
