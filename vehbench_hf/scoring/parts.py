"""What a metric is made of: a quantity per row that can be averaged under any weights, and the final number.

Undefined is a value of its own: NaN inside arrays, None with a reason in a `Part`, never 0.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """One number of a score: its value, over how many rows or pairs it is taken, and why it is None."""

    value: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True)
class Column:
    """One quantity over N rows: what a row adds to the sum and to the count, both 0 where it is left out.

    A plain mean over rows has counts 0 and 1; a rate pooled over the steps of all rows has the steps as
    counts.
    """

    total: Array
    count: Array

    def mean(self, weights: Array) -> Array:
        """Weighted mean for weights of shape (..., N), as shape (...); NaN where no row has weight."""
        return divide(weights @ self.total, weights @ self.count)

    def part(self, reason: str) -> Part:
        """The mean with every row counted once; `reason` is given when no row enters."""
        return part(self.mean(np.ones(len(self.total))), int(self.count.sum()), reason)


def row_mean(values: Iterable[float | None]) -> Column:
    """A column to be averaged over rows; None means that the quantity does not exist for the row."""
    listed = list(values)
    return Column(
        np.array([0.0 if value is None else float(value) for value in listed]),
        np.array([0.0 if value is None else 1.0 for value in listed]),
    )


def pooled(counts: Iterable[tuple[float, float]]) -> Column:
    """A column of (sum, count) pairs, to be averaged over all that was counted in all rows together."""
    table = np.array(list(counts), dtype=np.float64).reshape(-1, 2)
    return Column(table[:, 0], table[:, 1])


def part(value: float | Array, n: int, reason: str) -> Part:
    """A `Part` of a computed value; NaN becomes None with the reason."""
    number = float(value)
    return Part(None, n, reason) if np.isnan(number) else Part(number, n)


def complement(of: Part) -> Part:
    """One minus a part; undefined stays undefined."""
    return Part(None if of.value is None else 1.0 - of.value, of.n, of.reason)


def divide(numerator: Array, denominator: Array) -> Array:
    """Elementwise quotient, NaN where the denominator is 0."""
    nothing = denominator == 0
    quotient: Array = np.where(nothing, np.nan, numerator / np.where(nothing, 1.0, denominator))
    return quotient
