"""The paired effect of a change: one number of a probe in two runs of the same tasks."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from vehbench_hf.scoring import Row, cluster, score_parts
from vehbench_hf.scoring.values import Array, PerRow
from vehbench_hf.statistics import LEVEL, PAIRED_RESAMPLES, SEED, paired_difference
from vehbench_hf.types import Convention, Probe

METHOD = {
    "level": LEVEL,
    "drawn": "anchor papers, for both runs together",
    "p_value": "exchange of the two runs in random papers, two-sided, not adjusted",
}


def paired_effect(
    first: Sequence[Row],
    second: Sequence[Row],
    probe: Probe,
    part: str,
    task_ids: Collection[str],
    *,
    convention: Convention,
    resamples: int = PAIRED_RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    """Second minus first of a part (`success`, `cascade`, `tau`, ...) over the tasks that both runs have scored.

    `task_ids` are those the effect is about. A task counts once in each run, however often it was repeated. A rate
    whose denominator depends on the run, such as the cascades among escapes, is divided anew in every resample. Values
    that do not exist are None, with the reason under `undefined`. Raises KeyError for a part that the probe lacks, and
    ValueError for one that is no mean over rows, such as the P1 composite.
    """
    mine, theirs = ([row for row in rows if row.task.task_id in set(task_ids)] for rows in (first, second))
    shared = {row.task.task_id for row in mine} & {row.task.task_id for row in theirs}
    mine, theirs = ([row for row in rows if row.task.task_id in shared] for rows in (mine, theirs))
    entry: dict[str, Any] = {
        "part": part,
        "n": len(shared),
        "left_out": len(set(task_ids)) - len(shared),
        **dict.fromkeys(("first", "second", "difference", "interval", "p_value", "clusters", "undefined")),
    }
    if not shared:
        return {**entry, "undefined": "no task is scored in both runs"}
    column = _column([*mine, *theirs], probe, part, convention)
    alone = (
        np.concatenate([_once_a_task(mine), np.zeros(len(theirs))]),
        np.concatenate([np.zeros(len(mine)), _once_a_task(theirs)]),
    )
    values = [None if np.isnan(value := float(column.mean(weights))) else value for weights in alone]
    if None in values:
        both = dict(zip(("first", "second"), values, strict=True))
        return {**entry, **both, "undefined": f"{part} has no row to be taken over in one of the runs"}
    found = paired_difference(
        column.mean,
        *alone,
        [cluster(row.task) for row in [*mine, *theirs]],
        resamples=resamples,
        seed=seed,
    )
    return {
        **entry,
        "first": found.first,
        "second": found.second,
        "difference": found.value,
        "interval": None if found.interval is None else list(found.interval),
        "p_value": found.p_value,
        "clusters": found.clusters,
        "undefined": None if found.interval else "no interval: fewer than two papers, or too few defined resamples",
    }


def _column(rows: Sequence[Row], probe: Probe, part: str, convention: Convention) -> PerRow:
    """What each row adds to the numerator and to the denominator of a part."""
    whole = score_parts(probe, rows, convention)[part]
    if whole.value is not None and whole.denominator is None:
        raise ValueError(f"{part} of {probe} is no mean over rows and has no paired effect here")
    parts = [score_parts(probe, [row], convention)[part] for row in rows]
    return PerRow(
        np.array([one.numerator or 0.0 for one in parts]), np.array([one.denominator or 0.0 for one in parts])
    )


def _once_a_task(rows: Sequence[Row]) -> Array:
    repeats = Counter(row.task.task_id for row in rows)
    return np.array([1 / repeats[row.task.task_id] for row in rows])
