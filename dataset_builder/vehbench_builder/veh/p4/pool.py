"""Choosing the five candidates of a pool, so that the policy and nothing simpler decides their order.

The search starts from random pools and exchanges one candidate at a time. What must hold comes first, then the wishes.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_builder.veh.p4.policy import AMPLITUDES, WEIGHTS, dominates, utilities
from vehbench_builder.veh.p4.pool_plan import POOL, Plan
from vehbench_builder.veh.p4.supply import Supply
from vehbench_oracle.space import Array

Indices = NDArray[np.intp]

PERFORMANCE, BALANCED, RELIABILITY = range(len(WEIGHTS))
"""Where the profiles stand in arrays."""

LEAST_GAP = 0.005 + 1e-6
"""Neighbours in the order differ by this much utility, under every profile; with room for another way to compute it."""
LEAST_POWER_GAP = 0.005
"""Any two candidates differ by this share of the largest power, so that the order by power is clear."""
LEAST_DISTANCE = 0.05
"""Any two candidates differ by this share of its range in some variable, the load in log scale."""

AGAINST_COLUMN = 2
"""Wished number of the ten pairs that performance_first orders against the power, and reliability_first against S."""
AGAINST_CENTRE = 4
"""Wished number of pairs in which the balanced profile prefers the design that is nearer to the centre of the box."""
AGAINST_PROFILE = 5
"""Wished number of pairs that performance_first and reliability_first order differently."""
WEIGHT_OF_PLACES, WEIGHT_OF_PAIRS = 5, 1
"""Who wins counts more than the order of a pair."""
WEIGHT_OF_WISHES = 0.01
"""All wishes together count less than 1, which is the least that something counts that must hold."""

RANDOM_POOLS, CHAINS, EXCHANGES = 8_000, 60, 40
"""Pools to start from, how many of them are improved, and exchanges that each tries in a round."""
ROUNDS_FOR_WISHES, ROUNDS = 40, 120
CELLS = 12
"""Candidates are drawn evenly over a grid of so many ranges of power times so many of amplitude margin."""

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


def choose(supply: Supply, plan: Plan, draw: np.random.Generator) -> Indices | None:
    """Five indices into the supply that make a pool as planned, None when the search does not find any."""
    if len(supply.power) < POOL:
        return None
    pick = _evenly(supply, draw)
    pools = pick((RANDOM_POOLS, POOL))
    missing = _missing(supply, pools, plan)
    kept = np.argsort(missing, kind="stable")[:CHAINS]
    pools, missing = pools[kept], missing[kept]
    chains, slots = np.arange(CHAINS), np.arange(CHAINS * EXCHANGES)
    for number in range(ROUNDS):
        if missing.min() == 0 or (missing.min() < 1 and number >= ROUNDS_FOR_WISHES):
            break
        tried = np.repeat(pools, EXCHANGES, axis=0)
        tried[slots, draw.integers(POOL, size=len(tried))] = pick((len(tried),))
        now_missing = _missing(supply, tried, plan).reshape(CHAINS, EXCHANGES)
        best = now_missing.argmin(axis=1)
        better = now_missing[chains, best] < missing
        pools = np.where(better[:, None], tried.reshape(CHAINS, EXCHANGES, POOL)[chains, best], pools)
        missing = np.where(better, now_missing[chains, best], missing)
    if missing.min() >= 1:
        return None
    equally_good = pools[missing == missing.min()]
    return np.asarray(equally_good[facts(supply, equally_good).gap.argmax()])


def shortfall(measured: Facts, plan: Plan) -> Array:
    """How far pools are from what must hold, shape (m,): 0 when all of it holds, above 1 otherwise."""
    missing = np.maximum(0.0, 1 - measured.gap / LEAST_GAP)
    missing += np.maximum(0.0, 1 - measured.power_gap / LEAST_POWER_GAP)
    missing += np.maximum(0.0, 1 - measured.distance / LEAST_DISTANCE)
    # Neither the power alone nor the margin alone gives the order under any profile.
    missing += (measured.against_power == 0).sum(axis=1) + (measured.against_margin == 0).sum(axis=1)
    missing += _off_family(measured, plan.family)
    winners = {profile: measured.orders[:, number, 0] for number, profile in enumerate(WEIGHTS)}
    for end in ("performance_first", "reliability_first"):
        missing += (winners["balanced"] == winners[end]) != (plan.balanced_with == end)
    return np.asarray(missing + (missing > 0))


def _off_family(measured: Facts, family: str) -> Array:
    """How far pools are from a family, shape (m,)."""
    if family == "elimination_control":
        return np.asarray(np.abs(measured.dominated - (POOL - 2)), dtype=np.float64)
    orders = measured.orders
    moved_first = (orders[:, PERFORMANCE] != orders[:, BALANCED]).sum(axis=1)
    moved_last = (orders[:, BALANCED] != orders[:, RELIABILITY]).sum(axis=1)
    off = 1.0 * (measured.dominated == 0) + np.maximum(0, measured.dominated - 2)
    if family == "performance_control":
        return np.asarray(off + moved_first / POOL)
    if family == "reliability_control":
        return np.asarray(off + moved_last / POOL)
    return np.asarray(off + (moved_first == 0) + (moved_last == 0))


def _missing(supply: Supply, pools: Indices, plan: Plan) -> Array:
    """What must hold and does not, and, below 1, how far the wishes are missed."""
    known = facts(supply, pools)
    places = np.abs(known.power_place - plan.power_place) + np.abs(known.margin_place - plan.margin_place)
    pairs = (
        np.maximum(0, AGAINST_COLUMN - known.against_power[:, PERFORMANCE])
        + np.maximum(0, AGAINST_COLUMN - known.against_margin[:, RELIABILITY])
        + np.maximum(0, AGAINST_CENTRE - known.against_centre[:, BALANCED])
        + np.maximum(0, AGAINST_PROFILE - known.against_profile)
        + known.one_limit
    )
    return np.asarray(shortfall(known, plan) + WEIGHT_OF_WISHES * (WEIGHT_OF_PLACES * places + WEIGHT_OF_PAIRS * pairs))


def _evenly(supply: Supply, draw: np.random.Generator) -> Callable[[tuple[int, ...]], Indices]:
    """Draws of indices that are even over power and margin, although the supply is crowded near its reference."""
    cell = np.zeros(len(supply.power), dtype=np.intp)
    for values in (supply.power, supply.margin):
        edges = np.linspace(values.min(), values.max(), CELLS + 1)[1:-1]
        cell = cell * CELLS + np.digitize(values, edges)
    _, cell, count = np.unique(cell, return_inverse=True, return_counts=True)
    reached = np.cumsum(1 / count[cell])

    def pick(shape: tuple[int, ...]) -> Indices:
        return np.asarray(np.searchsorted(reached, draw.random(shape) * reached[-1]))

    return pick


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
