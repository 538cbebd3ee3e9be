"""Infeasible designs to stand beside a feasible one, so that its place among them does not tell it."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_builder.veh.p4.pool_plan import POOL
from vehbench_builder.veh.p4.supply import Supply, changed, evaluated, places_in
from vehbench_hf.types import Design, Spec
from vehbench_oracle import LIMITS, VARIABLES
from vehbench_oracle.space import Array

VIOLATIONS = (0.02, 1.5)
"""Range of the total violation of an infeasible candidate: clear, and not absurd."""
LEAST_DISTANCE = 0.05
"""Any two candidates differ by this share of its range in some variable, the load in log scale."""
LEAST_KINDS = 2
"""The infeasible candidates break at least so many different sets of limits."""
TRIED = 20_000
"""Random sets of four from which one is taken."""

_FIRST, _SECOND = np.array(list(combinations(range(POOL), 2))).T
_FREQUENCY = list(LIMITS).index("freq_error_pct_limit")


class Places(NamedTuple):
    """How many of the other candidates are more central than the feasible one: among the five, and in the box."""

    among: int
    in_box: int


def infeasible_beside(
    spec: Spec, witness: Design, centres: Sequence[Design], wished: Places, draw: np.random.Generator
) -> list[Design] | None:
    """Four changes of `centres` that break limits, one of them not that of the frequency; None if there are none.

    Among sets that keep the rules of this module one is taken in which the witness is as central as wished.
    """
    around = places_in(spec, centres)
    designs = evaluated(spec, changed(around, draw))
    violation = np.maximum(0.0, -designs.slack).sum(axis=1)
    broken = designs.only((violation >= VIOLATIONS[0]) & (violation <= VIOLATIONS[1]))
    if len(broken.power) < POOL - 1:
        return None
    sets = draw.integers(len(broken.power), size=(TRIED, POOL - 1))
    own = places_in(spec, [witness])
    u = np.concatenate([np.broadcast_to(own, (TRIED, 1, len(VARIABLES))), broken.u[sets]], axis=1)
    good = _well_chosen(broken, sets, u)
    if not good.any():
        return None
    apart = np.abs(u[:, :, None] - u[:, None, :]).sum(axis=(2, 3))
    off = np.abs(_place(apart) - wished.among) + np.abs(_place(((u - 0.5) ** 2).sum(axis=2)) - wished.in_box)
    best = int(np.where(good, off, off.max() + 1).argmin())
    return [broken.design(int(index)) for index in sets[best]]


def _well_chosen(broken: Supply, sets: NDArray[np.int64], u: Array) -> NDArray[np.bool_]:
    """Which sets hold designs that are far enough apart and break different limits, shape (m,)."""
    distance = np.abs(u[:, _FIRST] - u[:, _SECOND]).max(axis=2).min(axis=1)
    over = broken.slack[sets] < 0
    # Each set of broken limits as a number, one bit a limit.
    kind = np.sort((over * 2 ** np.arange(len(LIMITS))).sum(axis=2), axis=1)
    kinds = 1 + (np.diff(kind, axis=1) > 0).sum(axis=1)
    tuned = (~over[..., _FREQUENCY]).any(axis=1)
    return np.asarray((distance >= LEAST_DISTANCE) & (kinds >= LEAST_KINDS) & tuned)


def _place(values: Array) -> NDArray[np.int64]:
    """How many of the others are below the first, shape (m,), for values (m, 5)."""
    return np.asarray((values[:, 1:] < values[:, :1]).sum(axis=1))
