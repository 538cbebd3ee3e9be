"""Paired differences: one number of a probe in two runs of the same tasks, each task once in each run."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from vehbench_hf.analysis.result_types import Effect
from vehbench_hf.runlog.sorted_rows import Row, cluster
from vehbench_hf.scoring import score_parts
from vehbench_hf.scoring.values import Array, PerRow
from vehbench_hf.statistics import LEVEL, PAIRED_RESAMPLES, SEED, Difference, Statistic, paired_difference
from vehbench_hf.types import Convention, Probe

METHOD = {
    "level": LEVEL,
    "drawn": "anchor papers, for both runs together",
    "p_value": "exchange of the two runs in random papers, two-sided, not adjusted",
}


@dataclass(frozen=True)
class PairedRows:
    """The rows of two runs on the tasks that both have scored: `rows`, those of the first run before the others.

    `first` and `second` hold a weight a row, which gives the number of either run alone: the repeats of a task add up
    to 1. `left_out` counts the tasks of each run that the other one lacks.
    """

    rows: list[Row]
    first: Array
    second: Array
    tasks: int
    left_out: tuple[int, int]

    def values(self, statistic: Statistic) -> tuple[float, float]:
        """The statistic of each run alone; NaN where it is undefined."""
        return float(statistic(self.first)), float(statistic(self.second))

    def difference(self, statistic: Statistic, *, resamples: int, seed: int) -> Difference:
        """Second minus first of a statistic that is defined for both, with whole papers drawn for both together."""
        clusters = [cluster(row.task) for row in self.rows]
        return paired_difference(statistic, self.first, self.second, clusters, resamples=resamples, seed=seed)


def pair_rows(first: Sequence[Row], second: Sequence[Row]) -> PairedRows:
    """Pair two runs by task; a task of the same name with other content is another task."""
    tasks, others = ({row.task.task_id: row.task for row in rows} for rows in (first, second))
    shared = {name for name, task in tasks.items() if others.get(name) == task}
    mine, theirs = ([row for row in rows if row.task.task_id in shared] for rows in (first, second))
    return PairedRows(
        rows=[*mine, *theirs],
        first=np.concatenate([_once_a_task(mine), np.zeros(len(theirs))]),
        second=np.concatenate([np.zeros(len(mine)), _once_a_task(theirs)]),
        tasks=len(shared),
        left_out=(len(tasks) - len(shared), len(others) - len(shared)),
    )


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
) -> Effect:
    """Second minus first of a part (`success`, `cascade`, `tau`, ...) over the tasks that both runs have scored.

    `task_ids` are those the effect is about. A rate whose denominator depends on the run, such as the cascades among
    escapes, is divided anew in every resample. Values that do not exist are None, with the reason under `undefined`.
    Raises KeyError for a part that the probe lacks, and ValueError for one that is no mean over rows, such as the P1
    composite.
    """
    names = set(task_ids)
    pairs = pair_rows(*([row for row in rows if row.task.task_id in names] for rows in (first, second)))
    entry: Effect = {
        "part": part,
        "n": pairs.tasks,
        "left_out": len(names) - pairs.tasks,
        "first": None,
        "second": None,
        "difference": None,
        "interval": None,
        "p_value": None,
        "clusters": None,
        "undefined": None,
    }
    if not pairs.tasks:
        return {**entry, "undefined": "no task is scored in both runs"}
    statistic = _per_row(pairs.rows, probe, part, convention).mean
    values = [None if np.isnan(value) else value for value in pairs.values(statistic)]
    entry["first"], entry["second"] = values
    if None in values:
        return {**entry, "undefined": f"{part} has no row to be taken over in one of the runs"}
    effect = pairs.difference(statistic, resamples=resamples, seed=seed)
    return {
        **entry,
        "difference": effect.value,
        "interval": None if effect.interval is None else list(effect.interval),
        "p_value": effect.p_value,
        "clusters": effect.clusters,
        "undefined": None if effect.interval else "no interval: fewer than two papers, or too few defined resamples",
    }


def _per_row(rows: Sequence[Row], probe: Probe, part: str, convention: Convention) -> PerRow:
    """What each row adds to the numerator and to the denominator of a part."""
    overall = score_parts(probe, rows, convention)[part]
    if overall.value is not None and overall.denominator is None:
        raise ValueError(f"{part} of {probe} is no mean over rows and has no paired effect here")
    values = [score_parts(probe, [row], convention)[part] for row in rows]
    return PerRow(
        np.array([value.numerator or 0.0 for value in values]), np.array([value.denominator or 0.0 for value in values])
    )


def _once_a_task(rows: Sequence[Row]) -> Array:
    repeats = Counter(row.task.task_id for row in rows)
    return np.array([1 / repeats[row.task.task_id] for row in rows])
