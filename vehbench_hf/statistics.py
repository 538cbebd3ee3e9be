"""Statistics on plain arrays: errors over clusters, intervals, differences, many tests, repeats, ranks.

Nothing here knows tasks or metrics; a statistic is a function from row weights to values.

| question | function | source |
|---|---|---|
| how does a value depend on each cluster | `estimate` | linearisation, leverage as in CR3 (Bell and McCaffrey, 2002) |
| the same for a difference, or a mean of values | `combined` | |
| between what does a value lie | `interval` | Student's t; between limits Wilson's form (Dean and Pagano, 2015) |
| do two runs differ | `p_value` | the same t |
| what could have been seen | `smallest_detectable` | the same t |
| a proportion of independent events | `wilson_interval` | Wilson, 1927 |
| the mean of repeats | `repeat_interval` | Student's t |
| several such tests | `holm_adjusted` | Holm, 1979 |
| do two columns order alike | `spearman`, `correlations` | Spearman, average ranks |

Clusters: tasks that were built from one paper share its geometry and succeed or fail together, so papers are what is
counted. `tests/statistics/test_coverage.py` simulates how often the intervals hold and the tests find something.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, stdev

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Interval = tuple[float, float]

LEVEL = 0.95
POWER = 0.8
LEVEL_OF_TEST = 0.05
STEP = 1e-3
"""How much the weight of a cluster is moved to see what depends on it."""
LARGEST = 4_000_000
"""Weights at a time, which bounds the memory where every row is a cluster of its own."""
ROUNDING = 1e-10
"""Deviations and differences below this are none: sums differ by as much when their terms come in another order."""
NORMAL_KURTOSIS = 3.0
DECIMALS = 6
"""Values are rounded to this before they are ranked: equal scores must stay equal whatever the order of a sum."""

Statistic = Callable[[Array], Array]
"""Row weights (..., N) to values (...); NaN where the weights leave it undefined."""


@dataclass(frozen=True)
class Estimate:
    """A value, and by cluster how far the value would move without it: its error is the root of their sum of squares.

    `value` is NaN, and there are no deviations, where the statistic is undefined. `limits` are the least and largest
    value that is possible, where there are any.
    """

    value: float
    deviations: Mapping[str, float]
    limits: Interval | None = None

    @property
    def clusters(self) -> int:
        """How many clusters the value is taken over."""
        return len(self.deviations)

    @property
    def standard_error(self) -> float | None:
        """The error that comes from drawing these clusters and not others; None for fewer than two."""
        return sqrt(sum(d * d for d in self.deviations.values())) if self.clusters > 1 else None

    @property
    def degrees_of_freedom(self) -> float:
        """Clusters less one; fewer, down to 1, where few clusters make up the whole error.

        The error itself is then as uncertain as the kurtosis of the deviations says.
        """
        squares = [d * d for d in self.deviations.values()]
        whole = self.clusters - 1.0
        if whole < 1 or not sum(squares):
            return whole
        kurtosis = self.clusters * sum(s * s for s in squares) / sum(squares) ** 2
        return max(1.0, whole * min(1.0, NORMAL_KURTOSIS / kurtosis))


def estimate(
    statistic: Statistic, weights: Array, clusters: Sequence[str], *, limits: Interval | None = None
) -> Estimate:
    """A statistic of rows with some weights (N,), linearised over the clusters of the rows.

    The derivative to the weight of a cluster, over one minus its share of all weights, is close to what leaving it out
    does, and exists where leaving it out does not. Clusters without weight are left out.
    """
    names, index = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    share = np.bincount(index, weights, len(names)) / weights.sum() if weights.sum() > 0 else np.zeros(len(names))
    value = float(statistic(weights))
    if np.isnan(value):
        return Estimate(value, {}, limits)
    present = np.flatnonzero(share)
    slopes = []
    for part in np.array_split(present, 1 + len(present) * len(weights) // LARGEST):
        moves = STEP * (index[None, :] == part[:, None])
        slopes.append((statistic(weights * (1 + moves)) - statistic(weights * (1 - moves))) / (2 * STEP))
    slope = np.concatenate(slopes)
    rest = 1 - share[present]
    deviations = np.where(np.abs(slope) < ROUNDING, 0.0, slope) / np.where(rest > ROUNDING, rest, 1.0)
    return Estimate(value, dict(zip(names[present].tolist(), deviations.tolist(), strict=True)), limits)


def combined(parts: Iterable[tuple[float, Estimate]]) -> Estimate:
    """The sum of values with factors, as (1, second), (-1, first) for a difference; equal clusters move together."""
    value, deviations = 0.0, dict[str, float]()
    for factor, part in parts:
        value += factor * part.value
        for name, deviation in part.deviations.items():
            deviations[name] = deviations.get(name, 0.0) + factor * deviation
    exact = {name: 0.0 if abs(each) < ROUNDING else each for name, each in deviations.items()}
    return Estimate(0.0 if abs(value) < ROUNDING else value, exact)


def interval(of: Estimate, *, level: float = LEVEL) -> Interval | None:
    """Between what the value lies; None for fewer than two clusters, and without limits where all clusters agree.

    Between limits the variance is taken to shrink towards both ends as that of a proportion does. Where all clusters
    agree, there are then as many observations as clusters, so that the interval never has zero width.
    """
    error = of.standard_error
    if np.isnan(of.value) or error is None:
        return None
    t = _quantile((1 + level) / 2, of.degrees_of_freedom)
    if of.limits is None:
        return None if error == 0 else (of.value - t * error, of.value + t * error)
    low, high = of.limits
    place = min(1.0, max(0.0, (of.value - low) / (high - low)))
    variance = place * (1 - place)
    observations = variance * ((high - low) / error) ** 2 if error > 0 and variance > 0 else float(of.clusters)
    begin, end = _wilson(place, observations, t)
    return low + begin * (high - low), low + end * (high - low)


def p_value(of: Estimate) -> float | None:
    """Two-sided p value of a difference against 0, at most 0.05 where and only where `interval` leaves 0 out.

    Where all clusters moved by the same: 1 for no difference, else the chance that all move to one side, 2 / 2^K.
    None for fewer than two clusters.
    """
    error = of.standard_error
    if np.isnan(of.value) or error is None:
        return None
    if error == 0:
        return 1.0 if of.value == 0 else 2.0 ** (1 - of.clusters)
    from scipy.special import stdtr  # slow to import, and scoring alone needs no test

    return float(2 * stdtr(of.degrees_of_freedom, -abs(of.value) / error))


def smallest_detectable(of: Estimate, *, level: float = LEVEL_OF_TEST, power: float = POWER) -> float | None:
    """(t(1 - level/2) + t(power)) times the standard error of a difference; None where there is no error.

    A true difference of this size is found by `p_value` at `level` in the share `power` of such comparisons. One test:
    with Holm's adjustment over several tests the detectable difference is larger.
    """
    error = of.standard_error
    if not error:
        return None
    return (_quantile(1 - level / 2, of.degrees_of_freedom) + _quantile(power, of.degrees_of_freedom)) * error


def wilson_interval(numerator: float, total: float, *, level: float = LEVEL) -> Interval | None:
    """Wilson's interval in [0, 1] for `numerator` events out of `total` independent ones; None for 0 of 0.

    Raises ValueError unless 0 <= numerator <= total.
    """
    if not 0 <= numerator <= total:
        raise ValueError(f"a proportion needs 0 <= numerator <= total, got {numerator} of {total}")
    return None if total == 0 else _wilson(numerator / total, total, NormalDist().inv_cdf((1 + level) / 2))


def _wilson(rate: float, total: float, quantile: float) -> Interval:
    spread = quantile * quantile / total
    middle = (rate + spread / 2) / (1 + spread)
    half = sqrt(rate * (1 - rate) * spread + spread * spread / 4) / (1 + spread)
    # At the ends the formula gives 0 or 1 up to rounding.
    return (0.0 if rate == 0 else middle - half), (1.0 if rate == 1 else middle + half)


def _quantile(share: float, degrees_of_freedom: float) -> float:
    from scipy.special import stdtrit  # slow to import

    return float(stdtrit(degrees_of_freedom, share))


def repeat_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval | None:
    """Student's interval for the mean over k repeats on the same tasks; None for fewer than two.

    It holds the noise between repeats alone, not that of drawing other tasks.
    """
    if len(values) < 2:
        return None
    half = _quantile((1 + level) / 2, len(values) - 1) * stdev(values) / sqrt(len(values))
    return fmean(values) - half, fmean(values) + half


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
