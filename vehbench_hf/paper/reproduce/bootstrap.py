"""The percentile bootstrap over tasks, as the paper's intervals have it; our own scores use another method."""

from collections.abc import Sequence

import numpy as np

from vehbench_hf.statistics import LEVEL, Array, Interval, Statistic

RESAMPLES = 2000
SEED = 763
LEAST_DEFINED = 0.95
"""An interval needs a value in at least this share of the resamples (a rare class can be missing in one)."""
BATCH = 1000
"""Resamples at a time, which bounds the memory."""
ROUNDING = 1e-12
"""Differences below this are none."""


def resample_weights(clusters: Sequence[str], *, resamples: int = RESAMPLES, seed: int = SEED) -> Array:
    """How often each row is drawn in each resample, shape (B, N): all rows of a cluster together.

    The K distinct clusters are drawn K times with replacement. Equal arguments give equal weights.
    """
    names, index = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    draws = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), resamples)
    weights: Array = draws.astype(np.float64)[:, index]
    return weights


def percentile_interval(values: Array, *, level: float = LEVEL) -> Interval | None:
    """The central interval of resampled values; None when too many of them are undefined (NaN)."""
    defined = values[~np.isnan(values)]
    if len(values) == 0 or len(defined) < LEAST_DEFINED * len(values):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def paired_interval(statistic: Statistic, first: Array, second: Array, clusters: Sequence[str]) -> Interval | None:
    """The interval of second minus first, where clusters are drawn for both together.

    `first` and `second`, shape (N,), are the weights that give the statistic of either alone.
    """
    batches = []
    for begin in range(0, RESAMPLES, BATCH):
        drawn = resample_weights(clusters, resamples=BATCH, seed=SEED + begin)
        batches.append(statistic(drawn * second) - statistic(drawn * first))
    differences = np.concatenate(batches)
    return percentile_interval(np.where(np.abs(differences) < ROUNDING, 0.0, differences))
