"""P3, recovery from a corrupted history: out of the trap, and feasible. Paper: (A-31), (A-32), appendix H.1.

The two conventions read the same trajectory quite differently; `Recovery` is what either makes of one row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vehbench_hf.runlog.sorted_rows import Row
from vehbench_hf.scoring.trajectory import (
    Evaluated,
    budget_of,
    evaluated,
    largest_change,
    total_violation,
    violation_reductions,
    worst_limit_gains,
)
from vehbench_hf.scoring.values import Array, MetricValue, PerRow, complement, mean_bounds, pooled, row_mean
from vehbench_hf.types import Convention, Record, Task
from vehbench_oracle.domain import Problem
from vehbench_oracle.verdict import Verdict

MEANINGFUL_CHANGE = 0.01
"""A proposal that moves no variable by this share of its range changes nothing (convention `defined`)."""
LESS_VIOLATION = 1e-6
"""An escape lowers the total violation by more than this (convention `defined`)."""
ESCAPE_SHARE = 0.08
ESCAPE_STEPS = 2
"""The authors' escape: the trap variable back by this share of its range in this many proposals in a row."""


@dataclass(frozen=True)
class Recovery:
    """One row. `dead` and `escaped` are None where a trap variable is needed and the bank names none.

    `cascade`, `quality` and `after_escape` (the share of feasible designs from the escaping one on) are None where they
    do not exist: without an escape, a success, or a reference. `reductions` and `after_feedback` are sums and counts.
    """

    success: bool
    first_feasible: bool
    replanned: bool
    dead: float | None
    escaped: bool | None
    cascade: bool | None
    quality: float | None
    after_escape: float | None
    reductions: tuple[float, int]
    after_feedback: tuple[int, int]


@dataclass(frozen=True)
class Rows:
    """All rows with the column of the headline."""

    recoveries: list[Recovery]
    per_row: PerRow
    convention: Convention


def read_rows(scored: Sequence[Row], convention: Convention) -> Rows:
    """What became of each corrupted history, under one convention."""
    read = _as_released if convention == "released" else _as_defined
    recoveries = [read(task, record) for task, record in scored]
    return Rows(recoveries, row_mean(recovery.success for recovery in recoveries), convention)


def headline(rows: Rows, weights: Array) -> Array:
    """P3-Success of (A-31), in [0, 1], for weights (..., N)."""
    return rows.per_row.mean(weights)


def parts(rows: Rows) -> dict[str, MetricValue]:
    """The columns of Table 20, the error families (cascade and dead are both), and the indicators of Table 15."""
    recoveries, released = rows.recoveries, rows.convention == "released"
    success = rows.per_row.average("no recovery was scored")
    escape = row_mean(r.escaped for r in recoveries).average("no scored task names a trap variable")
    quality = row_mean(r.quality for r in recoveries).average("no successful recovery has a certified reference")
    if released and recoveries and quality.value is None:
        quality = MetricValue(0.0, 0)  # as the authors print it
    cascade = row_mean(r.cascade for r in recoveries).average("no scored trajectory escaped")
    dead = row_mean(r.dead for r in recoveries).average("no scored task names a trap variable")
    reductions = pooled((r.reductions for r in recoveries), counted=not released)
    return {
        "success": success,
        "recq": quality,
        "first_feasible": row_mean(r.first_feasible for r in recoveries).average("no recovery was scored"),
        "escape": escape,
        "cascade": cascade,
        "dead": dead,
        "replan": row_mean(r.replanned for r in recoveries).average("no recovery was scored"),
        "escape_failure": complement(escape),
        "post_escape_failure": _post_escape_failure(success, escape),
        "escape_quality": row_mean(r.after_escape for r in recoveries).average("no scored trajectory escaped"),
        "non_cascade": complement(cascade),
        "non_dead": complement(dead),
        "violation_reduction": reductions.average("no design was proposed after a violation"),
        "post_feedback_feasible": pooled(r.after_feedback for r in recoveries).average(
            "no design was judged after feedback"
        ),
    }


def bounds(rows: Rows, lost: Sequence[Task], convention: Convention) -> tuple[float, float] | None:
    """The headline if the tasks without a score were as bad, and as good, as they can be."""
    return mean_bounds(rows.per_row, [(0.0, 1.0)] * len(lost))


def _post_escape_failure(success: MetricValue, escape: MetricValue) -> MetricValue:
    """1 - success / escape from the two rates, clipped to [0, 1] (appendix H.1)."""
    if success.value is None or escape.value is None:
        return MetricValue(None, success.n, success.reason or escape.reason)
    return MetricValue(min(1.0, max(0.0, 1.0 - success.value / max(escape.value, 1e-12))), success.n)


def _as_released(task: Task, record: Record) -> Recovery:
    """What the authors' evaluator computes.

    Success is any feasible design. Escape is a threshold on the trap variable in two proposals in a row;
    `dead` is the share of the query budget spent until then; the quality is the share of feasible designs
    from then on; a cascade is a limit broken from then on that the stored verdict of the last history step
    does not break.
    """
    designs = evaluated(record)
    has_axis = _trap_axis(task) is not None
    confirmed = _confirmed_escape(task, designs)
    turns = len(designs) if confirmed is None else confirmed + 1
    after = designs[confirmed:] if confirmed is not None else []
    stored = task.spec["history"][-1]["verdict"]["slack"]
    broken_before = {name for name in task.problem.limits if stored[name] < 0}
    shown = [step["verdict"] for step in task.spec["history"]]
    judged = [*(verdict["feasible"] for verdict in shown), *(d.verdict.feasible for d in designs)]
    gains = worst_limit_gains([*(verdict["slack"] for verdict in shown), *(d.verdict.slack for d in designs)])
    return Recovery(
        success=any(d.verdict.feasible for d in designs),
        first_feasible=bool(designs) and designs[0].verdict.feasible,
        replanned=_replanned(record),
        dead=turns / budget_of(task, record) if has_axis else None,
        escaped=confirmed is not None if has_axis else None,
        cascade=any(_broken(d.verdict, task.problem) - broken_before for d in after) if after else None,
        quality=_feasible_share(after),
        after_escape=_feasible_share(after),
        reductions=(gains or 0.0, int(gains is not None)),
        after_feedback=(sum(judged[1:]), len(judged) - 1),
    )


def _as_defined(task: Task, record: Record) -> Recovery:
    """What the paper's text says, with the last history step judged again under the task's own limits.

    Success is the last evaluated design. First feasible is a feasible design before the last live turn. An
    escape lowers the total violation; a cascade breaks a limit, from the escaping design on, that the last
    history step met. A row is dead when no design moves any variable by 1 % of its range from the design
    before it.
    """
    designs = evaluated(record)
    last, problem = task.spec["history"][-1]["design"], task.problem
    trapped = problem.judge(last)
    start = total_violation(trapped)
    escape = next(
        (i for i, d in enumerate(designs) if total_violation(d.verdict) < start - LESS_VIOLATION),
        None,
    )
    after = designs[escape:] if escape is not None else []
    states = [last, *(d.design for d in designs)]
    changes = [largest_change(a, b, task.problem) for a, b in pairwise(states)]
    success = bool(designs) and designs[-1].verdict.feasible
    return Recovery(
        success=success,
        first_feasible=any(d.verdict.feasible and d.position < len(record.steps) - 1 for d in designs),
        replanned=_replanned(record),
        dead=not any(change >= MEANINGFUL_CHANGE for change in changes),
        escaped=escape is not None,
        cascade=any(_broken(d.verdict, task.problem) - _broken(trapped, task.problem) for d in after)
        if after
        else None,
        quality=_score(task, designs[-1].verdict) if success else None,
        after_escape=_feasible_share(after),
        reductions=violation_reductions([start, *(total_violation(d.verdict) for d in designs)]),
        after_feedback=(sum(d.verdict.feasible for d in designs), len(designs)),
    )


def _feasible_share(designs: Sequence[Evaluated]) -> float | None:
    return sum(d.verdict.feasible for d in designs) / len(designs) if designs else None


def _replanned(record: Record) -> bool:
    return any(step.action in ("replan", "reset_to_prior") for step in record.steps)


def _broken(verdict: Verdict, problem: Problem) -> set[str]:
    """The limits that a design violates; all of them when the formulas give no number."""
    return {name for name in problem.limits if not verdict.slack.get(name, -1.0) >= 0}


def _score(task: Task, verdict: Verdict) -> float | None:
    """The design's score; None where the bank proves no bound for the reference, as then the scale means nothing."""
    value, bound = task.reference_values()
    objective = task.problem.objective
    reference = None if bound is None else objective.usable(value)
    return None if reference is None or verdict.objective is None else objective.score(verdict.objective, reference)


def _trap_axis(task: Task) -> tuple[str, float, float] | None:
    """The trap variable, the sign of the way out, and the range of the variable; None where none is named."""
    trap = task.gold["trap"]
    name = trap["variable"] if trap else None
    box = task.spec["variable_bounds"].get(name) if name else None
    if trap is None or name is None or box is None or trap["direction"] not in ("increase", "decrease"):
        return None
    return name, -1.0 if trap["direction"] == "increase" else 1.0, box["max"] - box["min"]


def _confirmed_escape(task: Task, designs: list[Evaluated]) -> int | None:
    """Index of the design that confirms the authors' escape."""
    axis = _trap_axis(task)
    if axis is None:
        return None
    name, sign, span = axis
    start, in_a_row = task.spec["history"][-1]["design"][name], 0
    for index, design in enumerate(designs):
        moved = sign * (design.design[name] - start) >= ESCAPE_SHARE * span
        in_a_row = in_a_row + 1 if moved else 0
        if in_a_row == ESCAPE_STEPS:
            return index
    return None
