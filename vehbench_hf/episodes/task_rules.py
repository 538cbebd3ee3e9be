"""The rules of one task: how its episode opens, how a reply is read, and what an answer leads to.

Each kind of task has one function `step_*` of the same shape; a dict is all the dispatch there is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

from vehbench_hf.domains import domain_of
from vehbench_hf.isomorphic.types import IsomorphicSpec, form_of
from vehbench_hf.parsing import Answer, read_answer, read_isomorphic_answer
from vehbench_hf.prompts import feedback_text, isomorphic_opening, opening, unjudged_text
from vehbench_hf.protocol import Protocol, budgeted
from vehbench_hf.types import Design, HistoryStep, Message, Probe, Spec, Step
from vehbench_oracle.domain import Problem


class StepResult(NamedTuple):
    """The step an answer made, and the verifier's text for the next turn; None when the episode is over."""

    step: Step
    feedback: str | None


@dataclass(frozen=True)
class TaskRules:
    """One task as an episode sees it.

    `read` turns a reply and the number of steps so far into an answer, or raises UnreadableReply. `step` turns the
    steps so far and an answer into the next step and the text of the next turn.
    """

    messages: list[Message]
    read: Callable[[str, int], Answer]
    step: Callable[[tuple[Step, ...], Answer], StepResult]


def rules_of(probe: Probe, spec: Spec | IsomorphicSpec, protocol: Protocol, domain: str) -> TaskRules:
    """The rules of a task of a probe, with the spec that belongs to it."""
    return RULES[probe](probe, spec, protocol, domain)


def _benchmark_rules(probe: Probe, spec: Spec, protocol: Protocol, domain: str) -> TaskRules:
    problem = domain_of(domain).problem(spec)
    shown, earlier, ids = spec, len(spec["history"]), _candidate_ids(spec)
    if protocol.p3_history == "recomputed":
        shown = {**spec, "history": [recomputed(step, problem) for step in spec["history"]]}
    return TaskRules(
        opening(probe, shown, protocol, domain),
        lambda text, steps: read_answer(text, probe, problem.variables, candidate_ids=ids, step_count=earlier + steps),
        partial(STEPS[probe], problem, budgeted(probe, spec, protocol), protocol),
    )


def _isomorphic_rules(probe: Probe, spec: IsomorphicSpec, protocol: Protocol, domain: str) -> TaskRules:
    problem, ids = domain_of(domain).problem(spec), _candidate_ids(spec)
    return TaskRules(
        isomorphic_opening(spec, domain),
        lambda text, steps: read_isomorphic_answer(
            text, form_of(spec), problem.variables, candidate_ids=ids, fixed=spec["fixed"]
        ),
        partial(step_isomorphic, problem),
    )


def _candidate_ids(spec: Spec | IsomorphicSpec) -> list[str]:
    return [candidate["id"] for candidate in spec["candidates"]]


def step_p1(problem: Problem, spec: Spec, protocol: Protocol, steps: tuple[Step, ...], answer: Answer) -> StepResult:
    """Triage is over after one action."""
    return StepResult(Step(answer.action, missing_fields=answer.missing_fields, repairs=answer.repairs), None)


def step_search(
    problem: Problem,
    spec: Spec,
    protocol: Protocol,
    steps: tuple[Step, ...],
    answer: Answer,
    *,
    recovery: bool = False,
) -> StepResult:
    """Search (P2) and recovery (P3) are over when the budget is spent, or with a refusal.

    A search also ends at the first feasible design, unless the protocol says otherwise; a recovery uses all live
    queries.
    """
    left, number = live_budget(spec) - len(steps) - 1, len(spec["history"]) + len(steps) + 1
    if answer.action in ("declare_infeasible", "request_missing_info"):
        return StepResult(Step(answer.action, missing_fields=answer.missing_fields, repairs=answer.repairs), None)
    design, repairs = answer.design, answer.repairs
    if answer.action == "reset_to_prior":
        assert answer.prior_step is not None  # the parser refuses a reset without a valid step
        design = numbered_designs(spec, steps)[answer.prior_step - 1]
    if design is None:
        text = unjudged_text(number, answer.action, left)
        return StepResult(Step(answer.action, repairs=repairs), text if left > 0 else None)
    verdict = problem.judge(design)
    step = Step(answer.action, design=design, verdict=verdict, repairs=repairs)
    solved = verdict.feasible and protocol.p2_stop == "feasible" and not recovery
    if left <= 0 or solved:
        return StepResult(step, None)
    return StepResult(step, feedback_text(number, verdict, left, coarse=protocol.feedback == "coarse"))


def step_p4(problem: Problem, spec: Spec, protocol: Protocol, steps: tuple[Step, ...], answer: Answer) -> StepResult:
    """Ranking is over after one order."""
    return StepResult(Step("rank", ranking=answer.ranking, repairs=answer.repairs), None)


def step_isomorphic(problem: Problem, steps: tuple[Step, ...], answer: Answer) -> StepResult:
    """The episode is over after one answer. A selected id stands alone in the step's `ranking`."""
    if answer.design is None:
        return StepResult(Step(answer.action, ranking=answer.ranking, repairs=answer.repairs), None)
    verdict = problem.judge(answer.design)
    return StepResult(Step(answer.action, design=answer.design, verdict=verdict, repairs=answer.repairs), None)


Rule = Callable[[Problem, Spec, Protocol, tuple[Step, ...], Answer], StepResult]
STEPS: dict[Probe, Rule] = {"p1": step_p1, "p2": step_search, "p3": partial(step_search, recovery=True), "p4": step_p4}
RULES: dict[Probe, Callable[[Probe, Any, Protocol, str], TaskRules]] = {
    **dict.fromkeys(STEPS, _benchmark_rules),
    "isomorphic": _isomorphic_rules,
}


def live_budget(spec: Spec) -> int:
    """Queries a model has: the budget less the steps of a shown history."""
    return spec["query_budget"] - len(spec["history"])


def numbered_designs(spec: Spec, steps: tuple[Step, ...]) -> list[Design | None]:
    """Designs by step number (from 1, history first); None for a step that proposed none."""
    return [*(step["design"] for step in spec["history"]), *(step.design for step in steps)]


def recomputed(step: HistoryStep, problem: Problem) -> HistoryStep:
    """The history step with its verdict computed anew under the limits of the brief."""
    verdict, stored = problem.judge(step["design"]), cast(dict[str, Any], step["verdict"])
    column = problem.objective.column
    again = {
        "feasible": verdict.feasible,
        column: stored[column] if verdict.objective is None else verdict.objective,
        "slack": verdict.slack,
        "violations": [violation.name for violation in verdict.violations],
        "metrics": verdict.metrics,
    }
    return cast(HistoryStep, {**step, "verdict": again})
