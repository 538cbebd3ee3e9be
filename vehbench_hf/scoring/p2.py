"""P2, search with a verifier: is the final design feasible, and how much of the reference power does it give.

Paper: (A-28) to (A-30), (A-41), (A-42) and the column definitions of appendix H.1. The two conventions differ
in which design is final, in the rows that a missing reference removes, and in what the diagnostics of a
trajectory count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vehbench_hf.scoring.parts import Array, Column, Part, complement, pooled, row_mean
from vehbench_hf.scoring.rows import Row
from vehbench_hf.scoring.trajectory import (
    Evaluated,
    best_feasible_power,
    directed_updates,
    evaluated,
    log_edit,
    next_feasible,
    rising_share,
    violation_reductions,
)
from vehbench_hf.types import Convention, Record, Task

HEADLINE = "p2_ratio"
HEADLINE_PART = "p2b"

RELEASED_AUC_LENGTH = 10
"""The authors' curve runs over ten turns although a search has six queries."""


@dataclass(frozen=True)
class Search:
    """One row. Ratios are final over reference power; None where a quantity does not exist for the row."""

    first: bool
    final: bool
    ratio: float | None
    closed_ratio: float | None
    rising: float | None
    auc: float | None
    queries: int
    invalid: bool
    directed: tuple[int, int]
    destructive: tuple[int, int]
    reductions: tuple[int, int]
    edits: tuple[float, int]


@dataclass(frozen=True)
class Rows:
    """All rows with the column of the headline."""

    searches: list[Search]
    ratio: Column
    convention: Convention


def rows(scored: Sequence[Row], convention: Convention) -> Rows:
    """What each search reached, under one convention."""
    read = _as_released if convention == "released" else _as_defined
    searches = [read(task, record) for task, record in scored]
    return Rows(searches, row_mean(search.ratio for search in searches), convention)


def headline(of: Rows, weights: Array) -> Array:
    """P2b of (A-28), (A-41): mean of final / reference power, infeasible ones 0; for weights (..., N)."""
    return of.ratio.mean(weights)


def parts(of: Rows) -> dict[str, Part]:
    """The columns of Table 19, the error families, and the trajectory diagnostics of appendix F.2."""
    searches, released = of.searches, of.convention == "released"
    final = row_mean(s.final for s in searches).part("no search was scored")
    closed = row_mean(s.closed_ratio for s in searches).part("no scored search ended feasible with a known reference")
    destructive = pooled(s.destructive for s in searches).part("no design was proposed after a feasible one")
    if released and searches and destructive.value is None:
        destructive = Part(0.0, 0)  # as the authors print it
    found = {
        "p2a": row_mean(s.first for s in searches).part("no search was scored"),
        "p2b": of.ratio.part("no scored task has a positive reference power"),
        "final_feasible": final,
        "cond_ratio": closed,
        "impr": row_mean(s.rising for s in searches).part("no search with a reference has two proposals"),
        "auc": row_mean(s.auc for s in searches).part("no scored search has a reference power"),
        "queries": row_mean(s.queries for s in searches).part("no search was scored"),
        "infeasible_closure": complement(final),
        "utility_loss": complement(closed),
        "destructive": destructive,
        "invalid": row_mean(s.invalid for s in searches).part("no search was scored"),
        "directed_update": pooled(s.directed for s in searches).part("no design was proposed after an infeasible one"),
    }
    if not released:
        why = "no search has two proposals"
        found["violation_reduction"] = pooled(s.reductions for s in searches).part(why)
        found["log_edit"] = pooled(s.edits for s in searches).part(why)
    return found


def extremes(task: Task, convention: Convention) -> tuple[float, float] | None:
    """The lowest and highest ratio one search could have; None where no certified upper bound is known."""
    reference = task.gold["reference"]
    power, bound = (reference["power_uw"], reference["upper_bound_uw"]) if reference else (None, None)
    return (0.0, bound / power) if power and power > 0 and bound is not None else None


def _as_released(task: Task, record: Record) -> Search:
    """What the authors' evaluator computes.

    The design kept is the best feasible one (their search ends with it). A missing or zero reference scores
    0, and their result rows carry a reference only when feasible, which decides who enters the improvement
    and the AUC. The improvement sees no power: their evaluator reads it from a field that does not exist.
    """
    designs = evaluated(record)
    power = best_feasible_power(designs)
    reference = record.reference_power_uw if record.recorded else _reference(task)
    reference = reference if power is not None and reference and reference > 0 else None
    ratio = power / reference if power is not None and reference else 0.0
    turns = [step for step in record.steps if step.action in ("propose_design", "replan")]
    powers = [s.verdict.objective if s.verdict is not None and s.verdict.feasible else None for s in turns]
    return _search(
        record,
        designs,
        final=power is not None,
        ratio=ratio,
        closed_ratio=ratio if ratio > 0 else None,
        rising=rising_share(designs, None) if reference else None,
        auc=_best_so_far(powers, reference, RELEASED_AUC_LENGTH) if reference else None,
        queries=len(record.steps),
        directed=next_feasible(designs, after=False),
    )


def _as_defined(task: Task, record: Record) -> Search:
    """What the paper's text says: the last evaluated design counts, over tasks with a positive reference.

    The utility of the improvement is normalized power minus the penalties; the AUC runs over the query
    budget, and a turn that evaluates nothing leaves the best so far as it is.
    """
    designs = evaluated(record)
    last = designs[-1].verdict if designs else None
    final = last is not None and last.feasible
    reference = _reference(task)
    reference = reference if reference and reference > 0 else None
    ratio = None
    if reference:
        ratio = last.objective / reference if last is not None and final and last.objective is not None else 0.0
    powers: list[float | None] = [None] * len(record.steps)
    for design in designs:
        powers[design.position] = design.verdict.objective if design.verdict.feasible else None
    return _search(
        record,
        designs,
        final=final,
        ratio=ratio,
        closed_ratio=ratio if final else None,
        rising=rising_share(designs, reference) if reference else None,
        auc=_best_so_far(powers, reference, task.spec["query_budget"]) if reference else None,
        queries=len(designs),
        directed=directed_updates(designs),
        edits=[
            size
            for a, b in pairwise(designs)
            if (size := log_edit(a.design, b.design, task.spec["variable_bounds"])) is not None
        ],
    )


def _search(
    record: Record,
    designs: list[Evaluated],
    *,
    final: bool,
    ratio: float | None,
    closed_ratio: float | None,
    rising: float | None,
    auc: float | None,
    queries: int,
    directed: tuple[int, int],
    edits: Sequence[float] = (),
) -> Search:
    """A row from what the convention decided and what both conventions read alike."""
    stayed, followed = next_feasible(designs, after=True)
    return Search(
        first=bool(designs) and designs[0].verdict.feasible,
        final=final,
        ratio=ratio,
        closed_ratio=closed_ratio,
        rising=rising,
        auc=auc,
        queries=queries,
        invalid=record.outcome != "ok",
        directed=directed,
        destructive=(followed - stayed, followed),
        reductions=violation_reductions(designs),
        edits=(sum(edits), len(edits)),
    )


def _reference(task: Task) -> float | None:
    reference = task.gold["reference"]
    return reference["power_uw"] if reference else None


def _best_so_far(powers: Sequence[float | None], reference_uw: float, length: int) -> float:
    """Mean over `length` turns of the best feasible power so far / reference; it lasts after the end."""
    best, area = 0.0, 0.0
    for turn in range(length):
        power = powers[turn] if turn < len(powers) else None
        best = best if power is None else max(best, power)
        area += best / reference_uw
    return area / length
