"""Statistics on plain arrays: bootstrap over clusters, proportions, paired differences, many tests, repeats, ranks.

Nothing here knows tasks or metrics; a statistic is a function from row weights to values.

| question | function | source |
|---|---|---|
| between what does a value lie | `resample_weights`, `percentile_interval` | percentile bootstrap over clusters |
| the same for a proportion | `wilson_interval` | Wilson, 1927 |
| the same for the mean of repeats | `repeat_interval` | Student's t |
| do two runs differ | `paired_difference` | paired bootstrap, exchange test |
| what could have been seen | `smallest_detectable` | normal approximation |
| several such tests | `holm_adjusted` | Holm, 1979 |
| do two columns order alike | `spearman`, `correlations` | Spearman, average ranks |

Clusters: tasks that were built from one paper share its geometry and succeed or fail together, so whole papers are
drawn. With the task ids as clusters it is the plain bootstrap over tasks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 2000
"""Resamples behind the interval of one run."""
PAIRED_RESAMPLES = 10_000
"""Resamples behind a difference and its p value, as in appendix Q of the paper."""
SEED = 763
LEVEL = 0.95
LEAST_DEFINED = 0.95
"""An interval needs a value in at least this share of the resamples (a rare class can be missing in one)."""
POWER = 0.8
LEVEL_OF_TEST = 0.05
BATCH = 1000
"""Resamples at a time, which bounds the memory."""
ROUNDING = 1e-12
"""Differences below this are none: equal sums differ by as much when their terms come in another order."""
DECIMALS = 6
"""Values are rounded to this before they are ranked: equal scores must stay equal whatever the order of a sum."""

Statistic = Callable[[Array], Array]
"""Row weights (..., N) to values (...); NaN where the weights leave it undefined."""


def resample_weights(clusters: Sequence[str], *, resamples: int = RESAMPLES, seed: int = SEED) -> Array:
    """How often each row is drawn in each resample, shape (B, N): all rows of a cluster together.

    The K distinct clusters are drawn K times with replacement. Equal arguments give equal weights.
    """
    names, index = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    draws = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), resamples)
    weights: Array = draws.astype(np.float64)[:, index]
    return weights


def percentile_interval(values: Array, *, level: float = LEVEL) -> tuple[float, float] | None:
    """The central interval of resampled values; None when too many of them are undefined (NaN)."""
    defined = values[~np.isnan(values)]
    if len(values) == 0 or len(defined) < LEAST_DEFINED * len(values):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson_interval(numerator: float, total: float, *, level: float = LEVEL) -> tuple[float, float] | None:
    """Wilson's interval in [0, 1] for `numerator` events out of `total` independent ones; None for 0 of 0.

    It takes the events as independent, so it is too narrow where tasks of one paper fail together.

    Raises ValueError unless 0 <= numerator <= total.
    """
    if not 0 <= numerator <= total:
        raise ValueError(f"a proportion needs 0 <= numerator <= total, got {numerator} of {total}")
    if total == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate, spread = numerator / total, z * z / total
    middle = (rate + spread / 2) / (1 + spread)
    half = z * sqrt(rate * (1 - rate) / total + spread / (4 * total)) / (1 + spread)
    # At the ends the formula gives 0 or 1 up to rounding.
    return (0.0 if numerator == 0 else middle - half), (1.0 if numerator == total else middle + half)


def repeat_interval(values: Sequence[float], *, level: float = LEVEL) -> tuple[float, float] | None:
    """Student's interval for the mean over k repeats on the same tasks; None for fewer than two.

    It holds the noise between repeats alone, not that of drawing other tasks.
    """
    if len(values) < 2:
        return None
    from scipy.special import stdtrit  # slow to import, and most runs have one repeat

    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * stdev(values) / sqrt(len(values))
    return fmean(values) - half, fmean(values) + half


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

    Interval and standard error come from a bootstrap that draws clusters for both runs together. The p value comes from
    exchanging the two runs in a random half of the clusters: if neither run is better, every exchange is as likely as
    what was seen. Unlike a p value read off the bootstrap it stays honest with few clusters.
    """
    value_first, value_second = float(statistic(first)), float(statistic(second))
    names = np.unique(np.asarray(clusters, dtype=str))
    value = float(_without_rounding(np.float64(value_second - value_first)))
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
        first=value_first,
        second=value_second,
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


def smallest_detectable(standard_error: float, *, level: float = LEVEL_OF_TEST, power: float = POWER) -> float:
    """(z(1 - level/2) + z(power)) times the standard error of the difference; 2.80 of them by default.

    A true difference of this size is found by a two-sided test at `level` in the share `power` of such comparisons. One
    test, a normal difference: with Holm's adjustment over several tests the detectable difference is larger.
    """
    normal = NormalDist()
    return (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)) * standard_error


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of p values, in the given order.

    Compared with a level, adjusted p values bound the chance of any false finding by it.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Rank correlation in [-1, 1] of two columns of equal length; ties share their average rank.

    None where it does not exist: fewer than two rows, or a column without any difference.
    Raises ValueError for columns of different length.
    """
    if len(first) != len(second):
        raise ValueError(f"two columns of equal length are needed, got {len(first)} and {len(second)} values")
    if len(first) < 2:
        return None
    x, y = (average_ranks(column) for column in (first, second))
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / spread if spread > 0 else None


def average_ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Ranks from 1 of the rounded values; equal ones share the mean of their places."""
    _, place, count = np.unique(np.round(values, DECIMALS), return_inverse=True, return_counts=True)
    mean: NDArray[np.float64] = np.cumsum(count) - (count - 1) / 2
    return mean[place]


def correlations(
    rows: Mapping[str, Mapping[str, float]], columns: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float | None]]:
    """Spearman of every row with every column, each a mapping from models to values, over the models both have."""
    table: dict[str, dict[str, float | None]] = {}
    for name, row in rows.items():
        table[name] = {}
        for other, column in columns.items():
            models = [model for model in row if model in column]
            table[name][other] = spearman([row[m] for m in models], [column[m] for m in models])
    return table
