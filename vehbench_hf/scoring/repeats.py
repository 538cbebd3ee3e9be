"""What repeats of a run (`--epochs k`) say: the headline of each, and how many tasks succeed every time."""

from collections.abc import Callable, Sequence
from math import isnan
from statistics import fmean

import numpy as np

from vehbench_hf.runlog.sorted_rows import Row
from vehbench_hf.scoring.scores_type import Repeats
from vehbench_hf.scoring.values import Array, MetricValue, PerRow, share
from vehbench_hf.statistics import repeat_interval


def repeats(
    scored: Sequence[Row], headline: Callable[[Array], Array], epochs: int, success: PerRow | None = None
) -> Repeats:
    """The headline of each repeat by itself, their mean, and Student's interval of that mean over the repeats.

    `headline` takes row weights. The interval is about the noise between repeats on the same tasks; it does not exist
    for one repeat. A repeat whose headline is undefined is null among the values and leaves the mean undefined.
    With `success`, 0 or 1 a row, pass^k for the k repeats that were made is told, too.
    """
    epoch = np.array([row.record.epoch for row in scored])
    values = [float(headline((epoch == e).astype(np.float64))) for e in range(epochs)] if scored else []
    known = [value for value in values if not isnan(value)]
    complete = len(known) == epochs
    interval = repeat_interval(known) if complete else None
    reason = None
    if interval is None:
        reason = "one repeat says nothing about the noise between repeats" if epochs == 1 else None
        reason = reason if complete else "the headline of a repeat is undefined"
    result: Repeats = {
        "epochs": epochs,
        "values": [None if isnan(value) else value for value in values],
        "mean": fmean(known) if complete else None,
        "interval": None if interval is None else list(interval),
        "undefined": reason,
    }
    if success is not None:
        passed = pass_all(scored, success, epochs)
        result["pass"] = {"k": epochs, "value": passed.value, "n": passed.n, "undefined": passed.reason}
    return result


def pass_all(scored: Sequence[Row], success: PerRow, k: int) -> MetricValue:
    """pass^k: the share of tasks of which all `k` repeats succeed, over the tasks that have k scored repeats.

    `success` is 0 or 1 for each row. pass^1 is the plain rate.
    """
    tries: dict[str, list[float]] = {}
    for row, happened in zip(scored, success.total, strict=True):
        tries.setdefault(row.task.task_id, []).append(float(happened))
    complete = [successes for successes in tries.values() if len(successes) == k]
    return share(sum(all(successes) for successes in complete), len(complete), f"no task has {k} scored repeats")
