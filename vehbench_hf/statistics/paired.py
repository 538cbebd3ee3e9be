"""The difference of one statistic between two runs on the same tasks.

The interval and the standard error come from a bootstrap that draws clusters for both runs together. The p value comes
from exchanging the two runs in a random half of the clusters: if neither run is better, every exchange is as likely as
what was seen. Unlike a p value read off the bootstrap it stays honest with few clusters.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vehbench_hf.statistics.bootstrap import SEED, Array, percentile_interval, resample_weights

Statistic = Callable[[Array], Array]
"""Row weights (..., N) to values (...); NaN where the weights leave it undefined."""

BATCH = 1000
"""Resamples at a time, which bounds the memory."""
ROUNDING = 1e-12
"""Differences below this are none: equal sums differ by as much when their terms come in another order."""


@dataclass(frozen=True)
class Difference:
    """Second minus first, with what can be said about it.

    `interval` and `standard_error` are None for fewer than two clusters, or where too many resamples are undefined.
    `p_value` is two-sided, unadjusted, at least 1 / (resamples + 1).
    """

    first: float
    second: float
    value: float
    interval: tuple[float, float] | None
    standard_error: float | None
    p_value: float
    clusters: int


def paired_difference(
    statistic: Statistic,
    first: Array,
    second: Array,
    clusters: Sequence[str],
    *,
    resamples: int,
    seed: int = SEED,
) -> Difference:
    """Compare two runs whose N rows together are what `statistic` takes weights for.

    `first` and `second`, shape (N,), are the weights that give the statistic of either run alone; `clusters` names the
    cluster of each row, the same names in both runs. The statistic must be defined for both.
    """
    one, two = float(statistic(first)), float(statistic(second))
    names = np.unique(np.asarray(clusters, dtype=str))
    value = float(_without_rounding(np.float64(two - one)))
    resampled, exchanged = [], []
    for begin in range(0, resamples, BATCH):
        count, batch_seed = min(BATCH, resamples - begin), seed + begin
        drawn = resample_weights(clusters, resamples=count, seed=batch_seed)
        resampled.append(statistic(drawn * second) - statistic(drawn * first))
        swap = _swapped(clusters, count, batch_seed)
        exchanged.append(
            statistic(np.where(swap, first, second)) - statistic(np.where(swap, second, first)),
        )
    differences, null = _without_rounding(np.concatenate(resampled)), np.concatenate(exchanged)
    as_far = np.isnan(null) | (np.abs(null) >= abs(value) - ROUNDING)
    interval = percentile_interval(differences) if len(names) > 1 else None
    return Difference(
        first=one,
        second=two,
        value=value,
        interval=interval,
        standard_error=None
        if interval is None
        else float(_without_rounding(np.float64(np.nanstd(differences, ddof=1)))),
        p_value=float((1 + as_far.sum()) / (1 + resamples)),
        clusters=len(names),
    )


def _without_rounding(values: Array | np.float64) -> Array:
    exact: Array = np.where(np.abs(values) < ROUNDING, 0.0, values)
    return exact


def _swapped(clusters: Sequence[str], resamples: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Whether each row changes runs, shape (B, N): all rows of a cluster together."""
    names, index = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    coins = np.random.default_rng([seed, 1]).integers(0, 2, (resamples, len(names))).astype(bool)
    swapped: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = coins[:, index]
    return swapped
