"""Percentile bootstrap over clusters of rows.

Tasks that were built from one paper share its geometry and succeed or fail together, so whole papers are drawn. With
the task ids as clusters it is the plain bootstrap over tasks.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 2000
SEED = 763
LEVEL = 0.95
LEAST_DEFINED = 0.95
"""An interval needs a value in at least this share of the resamples (a rare class can be missing in one)."""


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
