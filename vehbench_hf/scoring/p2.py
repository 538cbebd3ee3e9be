"""P2, search with a verifier: is the final design feasible, and how much of the reference power does it give.

Paper: (A-28) to (A-30), (A-41), (A-42) and the column definitions of appendix H.1. The two conventions differ
in which design is final, in the rows that a missing reference removes, and in what the diagnostics of a
trajectory count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vehbench_hf.runlog.sorted_rows import Row
from vehbench_hf.scoring.trajectory import (
    NO_EDIT,
    Evaluated,
    best_feasible_value,
    budget_of,
    directed_updates,
    edit_sizes,
    evaluated,
    local_edits,
    log_edit,
    next_feasible,
    rising_share,
    total_violation,
    unread_turns,
    violation_reductions,
    worst_limit_gains,
)
from vehbench_hf.scoring.values import (
    Array,
    MetricValue,
    PerRow,
    at_least_zero,
    complement,
    mean_bounds,
    pooled,
    row_mean,
)
from vehbench_hf.types import Convention, Record, Task
from vehbench_oracle.quantities import Objective

RELEASED_AUC_LENGTH = 10
"""The authors' curve runs over ten turns although a search has six queries."""


@dataclass(frozen=True)
class Steps:
    """What both conventions read alike in the designs of a search; pairs are sums and counts."""

    first: bool
    invalid: bool
    preserved: tuple[int, int]
    local: tuple[int, int]
    unmoved: tuple[int, int]


@dataclass(frozen=True)
class Search:
    """One row. Ratios are final over reference power; None where a quantity does not exist for the row."""

    steps: Steps
    final: bool
    ratio: float | None
    closed_ratio: float | None
    rising: float | None
    rising_with_power: float | None
    auc: float | None
    auc_of_budget: float | None
    queries: int
    directed: tuple[int, int]
    reductions: tuple[float, int]
    log_edits: tuple[float, int] = (0.0, 0)


@dataclass(frozen=True)
class Rows:
    """All rows with the column of the headline."""

    searches: list[Search]
    per_row: PerRow
    convention: Convention


def read_rows(scored: Sequence[Row], convention: Convention) -> Rows:
    """What each search reached, under one convention."""
    read = _as_released if convention == "released" else _as_defined
    searches = [read(task, record) for task, record in scored]
    return Rows(searches, row_mean(search.ratio for search in searches), convention)


def headline(rows: Rows, weights: Array) -> Array:
    """P2b of (A-28), (A-41): mean of final / reference power, infeasible ones 0; for weights (..., N)."""
    return rows.per_row.mean(weights)


def parts(rows: Rows) -> dict[str, MetricValue]:
    """The columns of Table 19, the error families, the diagnostics of appendix F.2, and the indicators of Table 15.

    `utility_improvement` and `auc_budget` are the columns `impr` and `auc` as the authors' profiles read them: with the
    power, and over the query budget. As defined there is no difference.
    """
    searches, released = rows.searches, rows.convention == "released"
    final = row_mean(s.final for s in searches).average("no search was scored")
    closed = row_mean(s.closed_ratio for s in searches).average(
        "no scored search ended feasible with a known reference"
    )
    preserved = pooled(s.steps.preserved for s in searches).average("no design was proposed after a feasible one")
    destructive = complement(preserved)
    if released and searches and destructive.value is None:
        destructive = MetricValue(0.0, 0)  # as the authors print it
    invalid = row_mean(s.steps.invalid for s in searches).average("no search was scored")
    reductions = pooled((s.reductions for s in searches), counted=not released)
    no_pair = "no search has two proposals"
    numbers = {
        "p2a": row_mean(s.steps.first for s in searches).average("no search was scored"),
        "p2b": rows.per_row.average("no scored task has a positive reference power"),
        "final_feasible": final,
        "cond_ratio": closed,
        "impr": row_mean(s.rising for s in searches).average("no search with a reference has two proposals"),
        "auc": row_mean(s.auc for s in searches).average("no scored search has a reference power"),
        "queries": row_mean(s.queries for s in searches).average("no search was scored"),
        "infeasible_closure": complement(final),
        "utility_loss": at_least_zero(complement(closed)),
        "destructive": destructive,
        "invalid": invalid,
        "directed_update": pooled(s.directed for s in searches).average(
            "no design was proposed after an infeasible one"
        ),
        "feasibility_preservation": preserved,
        "non_destructive": preserved,
        "protocol_valid": complement(invalid),
        "violation_reduction": reductions.average(
            "no design was proposed after an infeasible one" if released else no_pair
        ),
        "bounded_local_edit": pooled(s.steps.local for s in searches).average(
            "no proposal differs from the one before"
        ),
        "no_op": pooled(s.steps.unmoved for s in searches).average(no_pair),
        "utility_improvement": row_mean(s.rising_with_power for s in searches).average(
            "no search with a reference has two proposals"
        ),
        "auc_budget": row_mean(s.auc_of_budget for s in searches).average("no scored search has a reference power"),
    }
    if not released:
        numbers["log_edit"] = pooled((s.log_edits for s in searches), counted=False).average(no_pair)
    return numbers


def bounds(rows: Rows, lost: Sequence[Task], convention: Convention) -> tuple[float, float] | None:
    """The headline if the tasks without a score were as bad, and as good, as they can be."""
    return mean_bounds(rows.per_row, [extremes(task, convention) for task in lost])


def extremes(task: Task, convention: Convention) -> tuple[float, float] | None:
    """The lowest and highest ratio one search could have; None where no certified upper bound is known."""
    value, bound = task.reference_values()
    reference, objective = task.problem.objective.usable(value), task.problem.objective
    return None if reference is None or bound is None else (0.0, objective.score(bound, reference))


def _as_released(task: Task, record: Record) -> Search:
    """What the authors' evaluator computes.

    The design kept is the best feasible one (their search ends with it). A missing or zero reference scores
    0, and their result rows carry a reference only when feasible, which decides who enters the improvement
    and the AUC. The improvement sees no power: their evaluator reads it from a field that does not exist.
    """
    designs, problem, objective = evaluated(record), task.problem, task.problem.objective
    best = best_feasible_value(designs, objective)
    reference = objective.usable(record.reference_value if record.recorded else task.reference_values()[0])
    reference = None if best is None else reference
    ratio = 0.0 if best is None or reference is None else objective.score(best, reference)
    turns = [step for step in record.steps if step.action in ("propose_design", "replan")]
    values = [s.verdict.objective if s.verdict is not None and s.verdict.feasible else None for s in turns]
    gains = worst_limit_gains([d.verdict.slack for d in designs])
    return Search(
        steps=_steps(task, record, designs),
        final=best is not None,
        ratio=ratio,
        closed_ratio=ratio if ratio > 0 else None,
        rising=rising_share(designs, problem, None) if reference else None,
        rising_with_power=rising_share(designs, problem, reference) if reference else None,
        auc=_best_so_far(values, objective, reference, RELEASED_AUC_LENGTH) if reference else None,
        auc_of_budget=_best_so_far(values, problem.objective, reference, budget_of(task, record))
        if reference
        else None,
        queries=len(record.steps) + unread_turns(record),
        directed=next_feasible(designs, after=False),
        reductions=(gains or 0.0, int(gains is not None)),
    )


def _as_defined(task: Task, record: Record) -> Search:
    """What the paper's text says: the last evaluated design counts, over tasks with a positive reference.

    The utility of the improvement is normalized power minus the penalties; the AUC runs over the query
    budget, and a turn that evaluates nothing leaves the best so far as it is.
    """
    designs, problem, objective = evaluated(record), task.problem, task.problem.objective
    last = designs[-1].verdict if designs else None
    final = last is not None and last.feasible
    reference = objective.usable(task.reference_values()[0])
    ratio = None
    if reference:
        value = last.objective if last is not None and final else None
        ratio = 0.0 if value is None else objective.score(value, reference)
    values: list[float | None] = [None] * len(record.steps)
    for design in designs:
        values[design.position] = design.verdict.objective if design.verdict.feasible else None
    rising = rising_share(designs, problem, reference) if reference else None
    auc = _best_so_far(values, objective, reference, budget_of(task, record)) if reference else None
    log_edits = [e for a, b in pairwise(designs) if (e := log_edit(a.design, b.design, problem)) is not None]
    return Search(
        steps=_steps(task, record, designs),
        final=final,
        ratio=ratio,
        closed_ratio=ratio if final else None,
        rising=rising,
        rising_with_power=rising,
        auc=auc,
        auc_of_budget=auc,
        queries=len(designs),
        directed=directed_updates(designs),
        reductions=violation_reductions([total_violation(d.verdict) for d in designs]),
        log_edits=(sum(log_edits), len(log_edits)),
    )


def _steps(task: Task, record: Record, designs: list[Evaluated]) -> Steps:
    edits = edit_sizes(designs, task.problem)
    return Steps(
        first=bool(designs) and designs[0].verdict.feasible,
        invalid=record.outcome != "ok",
        preserved=next_feasible(designs, after=True),
        local=local_edits(edits),
        unmoved=(sum(size <= NO_EDIT for size in edits), len(edits)),
    )


def _best_so_far(values: Sequence[float | None], objective: Objective, reference: float, length: int) -> float:
    """Mean over `length` turns of the best score of a feasible design so far; it lasts after the end."""
    best, area = 0.0, 0.0
    for turn in range(length):
        value = values[turn] if turn < len(values) else None
        best = best if value is None else max(best, objective.score(value, reference))
        area += best
    return area / length
