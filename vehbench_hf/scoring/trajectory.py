"""Reading a trajectory: the designs that were evaluated, and what changed from one to the next."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from vehbench_hf.types import Design, Record, Task
from vehbench_oracle.domain import Problem
from vehbench_oracle.quantities import Objective
from vehbench_oracle.verdict import Verdict

NO_EDIT = 1e-12
"""An edit of this mean size changes nothing."""


class Evaluated(NamedTuple):
    """A design that the verifier judged; `position` counts the live turns of the episode from 0."""

    position: int
    action: str
    design: Design
    verdict: Verdict


def evaluated(record: Record) -> list[Evaluated]:
    """The judged designs of an episode in order: proposals, and steps that went back to an earlier design."""
    return [
        Evaluated(position, step.action, step.design, step.verdict)
        for position, step in enumerate(record.steps)
        if step.design is not None and step.verdict is not None
    ]


def budget_of(task: Task, record: Record) -> int:
    """The query budget that held in the run, a shown history included."""
    return task.spec["query_budget"] if record.budget is None else record.budget


def unread_turns(record: Record) -> int:
    """1 where the last turn could not be read and is no step; the authors' logs hold it as a step."""
    return int(record.outcome != "ok" and not record.recorded)


def best_feasible_value(designs: Iterable[Evaluated], objective: Objective) -> float | None:
    """The best value of the objective among the feasible designs."""
    values = [d.verdict.objective for d in designs if d.verdict.feasible and d.verdict.objective is not None]
    return max(values, key=lambda value: objective.sign * value, default=None)


def total_violation(verdict: Verdict) -> float:
    """V(x) of the paper: the sum of normalized violations; infinite for a design beyond the formulas."""
    return verdict.total_violation if verdict.slack else math.inf


def utility(verdict: Verdict, problem: Problem, reference: float | None) -> float:
    """Value of a design to a searcher: its score minus half the excess over the limits, each in its own unit.

    Limits on the objective itself are left to the score. The reference None leaves the score out. Designs beyond the
    formulas are worth minus infinity.
    """
    if not verdict.slack or verdict.objective is None:
        return -math.inf
    objective = problem.objective
    penalized = [name for name, limit in problem.limits.items() if limit.metric != objective.metric]
    penalty = 0.5 * sum(max(0.0, -verdict.slack[name]) for name in penalized)
    return (objective.score(verdict.objective, reference) if reference else 0.0) - penalty


def rising_share(designs: list[Evaluated], problem: Problem, reference: float | None) -> float | None:
    """The share of consecutive designs whose utility strictly rises; None for fewer than two."""
    worth = [utility(d.verdict, problem, reference) for d in designs]
    return sum(after > before for before, after in pairwise(worth)) / (len(worth) - 1) if len(worth) > 1 else None


def next_feasible(designs: list[Evaluated], *, after: bool) -> tuple[int, int]:
    """How many designs right after a feasible (or infeasible) one are feasible, and out of how many."""
    followers = [b.verdict.feasible for a, b in pairwise(designs) if a.verdict.feasible is after]
    return sum(followers), len(followers)


def directed_updates(designs: list[Evaluated]) -> tuple[int, int]:
    """How often the most violated limit gains slack in the next design, and out of how many such steps."""
    moved = []
    for before, after in pairwise(designs):
        broken = [v for v in before.verdict.violations if v.name in before.verdict.slack]
        if broken:
            worst = max(broken, key=lambda v: v.normalized).name
            moved.append(after.verdict.slack.get(worst, -math.inf) > before.verdict.slack[worst])
    return sum(moved), len(moved)


def violation_reductions(totals: Sequence[float], least: float = 1e-6) -> tuple[int, int]:
    """How often the total violation falls by at least `least` in the next design, and out of how many."""
    fell = [after < before and after <= before - least for before, after in pairwise(totals)]  # inf - least is inf
    return sum(fell), len(fell)


def worst_limit_gains(slacks: Sequence[Mapping[str, float]]) -> float | None:
    """The share of steps after a violation in which the most violated limit gains slack; None without such a step.

    The authors' violation reduction: most violated means the most negative slack in the limit's own unit.
    """
    gains = []
    for before, after in pairwise(slacks):
        worst = min(before, key=before.__getitem__, default=None)
        if worst is not None and before[worst] < 0 and worst in after:
            gains.append(after[worst] > before[worst])
    return sum(gains) / len(gains) if gains else None


def local_edits(edits: Sequence[float], largest: float = 0.25) -> tuple[int, int]:
    """How many edits move the variables by at most `largest` of their ranges on average, out of those that move any."""
    moved = [size for size in edits if size > NO_EDIT]
    return sum(size <= largest for size in moved), len(moved)


def edit_sizes(designs: list[Evaluated], problem: Problem) -> list[float]:
    """Mean change of a variable in units of its range, for each design and the next one."""
    sizes = []
    for before, after in pairwise(designs):
        changes = _changes(before.design, after.design, problem)
        if changes:
            sizes.append(sum(changes) / len(changes))
    return sizes


def largest_change(before: Design, after: Design, problem: Problem) -> float:
    """The largest change of a variable in units of its range; variables without a range are left out."""
    return max(_changes(before, after, problem), default=0.0)


def _changes(before: Design, after: Design, problem: Problem) -> list[float]:
    """The change of each variable that has a range, in units of it."""
    bounds = problem.bounds
    boxes = [
        (name, box) for name in problem.variables if (box := bounds.get(name)) is not None and box["max"] > box["min"]
    ]
    return [abs(after[name] - before[name]) / (box["max"] - box["min"]) for name, box in boxes]


def log_edit(before: Design, after: Design, problem: Problem) -> float | None:
    """Mean log edit size of (A-30) over the variables for which it exists (range and both values above 0)."""
    sizes = []
    for name in problem.variables:
        box = problem.bounds.get(name)
        if box is not None and 0 < box["min"] < box["max"] and before[name] > 0 and after[name] > 0:
            sizes.append(
                abs(math.log(after[name]) - math.log(before[name])) / (math.log(box["max"]) - math.log(box["min"]))
            )
    return sum(sizes) / len(sizes) if sizes else None
