"""What a metric is made of: a quantity per row that can be averaged under any weights, and the final number.

Undefined is a value of its own: NaN inside arrays, None with a reason in a `MetricValue`, never 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PerRow:
    """One quantity over N rows: what a row adds to the sum and to the count, both 0 where it is left out.

    A plain mean over rows has counts 0 and 1; a rate pooled over the steps of all rows has the steps as
    counts. `counted` says that the totals count events, so that the mean is a proportion.
    """

    total: Array
    count: Array
    counted: bool = False

    def mean(self, weights: Array) -> Array:
        """Weighted mean for weights of shape (..., N), as shape (...); NaN where no row has weight."""
        return divide(weights @ self.total, weights @ self.count)

    def average(self, reason: str) -> "MetricValue":
        """The mean with every row counted once; `reason` is given when no row enters."""
        value = metric_value(self.mean(np.ones(len(self.total))), int(self.count.sum()), reason)
        return replace(value, column=self)


@dataclass(frozen=True)
class MetricValue:
    """One number of a score: its value, over how many rows or pairs it is taken, and why it is None.

    A mean or a rate keeps the `column` it is the mean of. A number made of several rates has none.
    """

    value: float | None
    n: int
    reason: str | None = None
    column: PerRow | None = field(default=None, compare=False, repr=False)

    @property
    def numerator(self) -> float | None:
        """What a mean divides; None for a number that is no mean."""
        return None if self.column is None else float(self.column.total.sum())

    @property
    def denominator(self) -> float | None:
        """By what a mean divides."""
        return None if self.column is None else float(self.column.count.sum())


def row_mean(values: Iterable[float | None]) -> PerRow:
    """A column to be averaged over rows; None means that the quantity does not exist for the row.

    Truth values make a column of events.
    """
    listed = list(values)
    return PerRow(
        np.array([0.0 if value is None else float(value) for value in listed]),
        np.array([0.0 if value is None else 1.0 for value in listed]),
        counted=all(isinstance(value, bool) for value in listed if value is not None),
    )


def pooled(counts: Iterable[tuple[float, float]], *, counted: bool = True) -> PerRow:
    """A column of (sum, count) pairs, to be averaged over all that was counted in all rows together."""
    table = np.array(list(counts), dtype=np.float64).reshape(-1, 2)
    return PerRow(table[:, 0], table[:, 1], counted)


def marked(hits: Array, among: Array) -> PerRow:
    """The proportion of marked rows: `hits` and `among` are 0 or 1 a row, and every hit is among them."""
    return PerRow(hits, among, counted=True)


def metric_value(value: float | Array, n: int, reason: str) -> MetricValue:
    """A `MetricValue` of a computed value; what is no finite number becomes None with the reason."""
    number = float(value)
    if np.isinf(number):
        reason = "the replies give no finite number"
    return MetricValue(number, n) if np.isfinite(number) else MetricValue(None, n, reason)


def complement(rate: MetricValue) -> MetricValue:
    """One minus a rate; undefined stays undefined."""
    column = rate.column
    rest = None if column is None else PerRow(column.count - column.total, column.count, column.counted)
    return replace(rate, value=None if rate.value is None else 1.0 - rate.value, column=rest)


def at_least_zero(value: MetricValue) -> MetricValue:
    """A value that is 0 instead of negative; a value that was changed divides nothing any more."""
    return MetricValue(0.0, value.n) if value.value is not None and value.value < 0 else value


def mean_bounds(column: PerRow, reach: Sequence[tuple[float, float] | None]) -> tuple[float, float] | None:
    """The mean if every further row had its lowest, or its highest, value; None where one has no such range."""
    known = [pair for pair in reach if pair is not None]
    n = float(column.count.sum()) + len(reach)
    if len(known) < len(reach) or n == 0:
        return None
    total = float(column.total.sum())
    return (total + sum(low for low, _ in known)) / n, (total + sum(high for _, high in known)) / n


def divide(numerator: Array | np.float64, denominator: Array | np.float64) -> Array:
    """Elementwise quotient, NaN where the denominator is 0."""
    nothing = denominator == 0
    quotient: Array = np.where(nothing, np.nan, numerator / np.where(nothing, 1.0, denominator))
    return quotient
