"""Spearman rank correlation with average ranks, as in Tables 3 and 30."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

DECIMALS = 6
"""Values are rounded to this before they are ranked: equal scores must stay equal whatever the order of a sum."""


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
    found: dict[str, dict[str, float | None]] = {}
    for name, row in rows.items():
        found[name] = {}
        for other, column in columns.items():
            models = [model for model in row if model in column]
            found[name][other] = spearman([row[m] for m in models], [column[m] for m in models])
    return found
