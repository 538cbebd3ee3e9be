"""Paired differences: one number of a probe in two runs of the same tasks, each task once in each run."""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from vehbench_hf.analysis.result_types import Effect, EffectMethod
from vehbench_hf.runlog.sorted_rows import Row, cluster
from vehbench_hf.scoring import score_parts
from vehbench_hf.scoring.values import Array
from vehbench_hf.statistics import LEVEL, Estimate, combined, estimate, interval, p_value
from vehbench_hf.types import Convention, Probe

PAIRED = "the papers behind the tasks, the same in both runs; linearised, Student's t"
METHOD: EffectMethod = {"level": LEVEL, "clusters": PAIRED, "p_value": "two-sided, not adjusted"}


def shared_tasks(first: Sequence[Row], second: Sequence[Row]) -> frozenset[str]:
    """The tasks that both runs have a score for; one of the same name with other content is another task."""
    tasks, others = ({row.task.task_id: row.task for row in rows} for rows in (first, second))
    return frozenset(name for name, task in tasks.items() if others.get(name) == task)


def once_a_task(rows: Sequence[Row]) -> Array:
    """Row weights with which the repeats of a task count as one."""
    repeats = Counter(row.task.task_id for row in rows)
    return np.array([1 / repeats[row.task.task_id] for row in rows])


def paired_effect(
    first: Sequence[Row],
    second: Sequence[Row],
    probe: Probe,
    part: str,
    task_ids: Collection[str],
    *,
    convention: Convention,
) -> Effect:
    """Second minus first of a part (`success`, `cascade`, `tau`, ...) over the tasks that both runs have scored.

    `task_ids` are those the effect is about. Values that do not exist are None, with the reason under `undefined`.
    Raises KeyError for a part that the probe lacks, and ValueError for one that is no mean over rows, such as the P1
    composite.
    """
    shared = shared_tasks(first, second) & set(task_ids)
    entry: Effect = {
        "part": part,
        "n": len(shared),
        "left_out": len(set(task_ids)) - len(shared),
        "first": None,
        "second": None,
        "difference": None,
        "interval": None,
        "p_value": None,
        "clusters": None,
        "undefined": None,
    }
    if not shared:
        return {**entry, "undefined": "no task is scored in both runs"}
    sides = [
        _estimate([row for row in rows if row.task.task_id in shared], probe, part, convention)
        for rows in (first, second)
    ]
    entry["first"], entry["second"] = (None if np.isnan(side.value) else side.value for side in sides)
    if entry["first"] is None or entry["second"] is None:
        return {**entry, "undefined": f"{part} has no row to be taken over in one of the runs"}
    effect = combined([(1.0, sides[1]), (-1.0, sides[0])])
    ends = interval(effect)
    return {
        **entry,
        "difference": effect.value,
        "interval": None if ends is None else list(ends),
        "p_value": p_value(effect),
        "clusters": effect.clusters,
        "undefined": why_no_interval(effect),
    }


def why_no_interval(difference: Estimate) -> str | None:
    """Why a difference has no interval; None where it has one."""
    if difference.clusters < 2:
        return "no interval: one paper alone shows no spread"
    if not difference.standard_error:
        return "no interval and no detectable difference: all papers moved by the same, so that there is no spread"
    return None


def _estimate(rows: Sequence[Row], probe: Probe, part: str, convention: Convention) -> Estimate:
    """A part over some rows, with its error over papers."""
    value = score_parts(probe, rows, convention)[part]
    if value.column is None:
        if value.value is not None:
            raise ValueError(f"{part} of {probe} is no mean over rows and has no paired effect here")
        return Estimate(float("nan"), {})
    weights = once_a_task(rows) * np.minimum(1.0, value.column.count)
    return estimate(value.column.mean, weights, [cluster(row.task) for row in rows])
