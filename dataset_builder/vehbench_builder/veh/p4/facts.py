"""What matters about five designs that may become the candidates of a pool, measured for many pools at once."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_builder.veh.p4.policy import AMPLITUDES, WEIGHTS, dominates, utilities
from vehbench_builder.veh.p4.pool_plan import POOL
from vehbench_builder.veh.p4.supply import Supply
from vehbench_oracle.space import Array

Indices = NDArray[np.intp]

PERFORMANCE, BALANCED, RELIABILITY = range(len(WEIGHTS))
"""Where the profiles stand in arrays."""

_FIRST, _SECOND = np.array(list(combinations(range(POOL), 2))).T


class Facts(NamedTuple):
    """Facts about m pools; places are those of the candidates in the pool.

    orders: places from best to worst under each profile, (m, 3, 5).
    gap: smallest difference of utility between neighbours in any order.
    power_gap: smallest difference between two powers, as a share of the largest.
    distance: smallest distance between two designs, as the largest share of a range by which they differ.
    dominated: how many candidates another one dominates.
    against_power, against_margin, against_centre: how many of the ten pairs each profile orders against the power, the
        amplitude margin, the distance from the centre of the box, (m, 3).
    against_profile: how many pairs performance_first and reliability_first order differently.
    power_place: how many candidates have more power than the winner under performance_first.
    margin_place: how many have more amplitude margin than the winner under reliability_first.
    one_limit: whether stress or displacement is the nearer limit for all candidates alike.
    """

    orders: Indices
    gap: Array
    power_gap: Array
    distance: Array
    dominated: Indices
    against_power: Indices
    against_margin: Indices
    against_centre: Indices
    against_profile: Indices
    power_place: Indices
    margin_place: Indices
    one_limit: NDArray[np.bool_]


def facts(supply: Supply, pools: Indices) -> Facts:
    """The facts about pools of indices into the supply, shape (m, 5)."""
    power, slack, margin, u = supply.power[pools], supply.slack[pools], supply.margin[pools], supply.u[pools]
    relative = power / power.max(axis=1, keepdims=True)
    by_profile = np.stack(list(utilities(power, margin).values()), axis=1)
    orders = np.argsort(-by_profile, axis=2, kind="stable")
    worth = np.concatenate([power[..., None], slack], axis=2)
    return Facts(
        orders=orders,
        gap=_smallest_gap(by_profile).min(axis=1),
        power_gap=_smallest_gap(relative),
        distance=np.abs(u[:, _FIRST] - u[:, _SECOND]).max(axis=2).min(axis=1),
        dominated=dominates(worth[:, :, None], worth[:, None, :]).any(axis=1).sum(axis=1),
        against_power=_against(by_profile, power),
        against_margin=_against(by_profile, margin),
        against_centre=_against(by_profile, ((u - 0.5) ** 2).sum(axis=2)),
        against_profile=_against(by_profile, by_profile[:, RELIABILITY])[:, PERFORMANCE],
        power_place=_place(power, orders[:, PERFORMANCE, 0]),
        margin_place=_place(margin, orders[:, RELIABILITY, 0]),
        one_limit=np.ptp(slack[..., AMPLITUDES].argmin(axis=2), axis=1) == 0,
    )


def _smallest_gap(values: Array) -> Array:
    return np.asarray(np.diff(np.sort(values, axis=-1), axis=-1).min(axis=-1))


def _against(by_profile: Array, values: Array) -> Indices:
    """How many pairs each profile orders against `values` (m, 5), shape (m, 3)."""
    of_utility = by_profile[..., _FIRST] - by_profile[..., _SECOND]
    of_value = (values[:, _FIRST] - values[:, _SECOND])[:, None]
    return np.asarray((of_utility * of_value < 0).sum(axis=2))


def _place(values: Array, chosen: Indices) -> Indices:
    """How many values of each pool are above that of the chosen candidate."""
    return np.asarray((values > np.take_along_axis(values, chosen[:, None], axis=1)).sum(axis=1))
