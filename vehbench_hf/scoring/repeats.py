"""What repeats of a run (`--epochs k`) say: the headline of each, and how many tasks succeed every time."""

from collections import Counter
from collections.abc import Sequence
from math import isnan
from statistics import fmean

import numpy as np

from vehbench_hf.runlog.sorted_rows import Row
from vehbench_hf.scoring.scores_type import PassAll, Repeats
from vehbench_hf.scoring.values import Array, PerRow
from vehbench_hf.statistics import Statistic, repeat_interval


def repeats(scored: Sequence[Row], headline: Statistic, epochs: int, success: PerRow | None = None) -> Repeats:
    """The headline of each repeat by itself, their mean, and Student's interval of that mean over the repeats.

    Every repeat is taken over the same `n` tasks, those that all repeats have a score for: the interval is about the
    noise between repeats alone. It does not exist for one repeat. A repeat whose headline is undefined is null among
    the values and leaves the mean undefined. With `success`, 0 or 1 a row, pass^k is told, too.
    """
    counts = Counter(row.task.task_id for row in scored)
    whole = np.array([counts[row.task.task_id] == epochs for row in scored], dtype=np.float64)
    tasks = sum(count == epochs for count in counts.values())
    epoch = np.array([row.record.epoch for row in scored])
    values = [float(headline(whole * (epoch == e))) if tasks else float("nan") for e in range(epochs)]
    complete = not any(map(isnan, values))
    ends = repeat_interval(values) if complete else None
    reason = None
    if not tasks:
        reason = f"no task has {epochs} scored repeats"
    elif not complete:
        reason = "the headline of a repeat is undefined"
    elif ends is None:
        reason = "one repeat says nothing about the noise between repeats"
    result: Repeats = {
        "epochs": epochs,
        "n": tasks,
        "values": [None if isnan(value) else value for value in values],
        "mean": fmean(values) if complete else None,
        "interval": None if ends is None else list(ends),
        "undefined": reason,
    }
    if success is not None:
        result["pass"] = _pass_all(scored, success, whole, epochs, tasks)
    return result


def _pass_all(scored: Sequence[Row], success: PerRow, whole: Array, epochs: int, tasks: int) -> PassAll:
    """pass^k: the share of tasks of which all k repeats succeed, over those with k scored repeats.

    pass^1 is the plain rate.
    """
    failed = {row.task.task_id for row, happened in zip(scored, success.total, strict=True) if not happened}
    passed = {row.task.task_id for row, inside in zip(scored, whole, strict=True) if inside} - failed
    return {
        "k": epochs,
        "value": len(passed) / tasks if tasks else None,
        "n": tasks,
        "undefined": None if tasks else f"no task has {epochs} scored repeats",
    }
