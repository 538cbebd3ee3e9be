"""The ranking policy of P4, in words for the brief and in numbers for the gold."""

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from vehbench_builder.veh.numbers import known
from vehbench_hf.types import Candidate, Pair
from vehbench_oracle import LIMITS
from vehbench_oracle.space import Array


class Weights(NamedTuple):
    """What a profile gives to relative power and to the amplitude margin; they add up to 1."""

    power: float
    margin: float


WEIGHTS: dict[str, Weights] = {
    "performance_first": Weights(0.75, 0.25),
    "balanced": Weights(0.55, 0.45),
    "reliability_first": Weights(0.35, 0.65),
}

AMPLITUDES = [place for place, name in enumerate(LIMITS) if name in ("stress_limit_mpa", "disp_limit_mm")]
"""Where the limits of the amplitude margin stand in `LIMITS`."""


def policy_text(profile: str) -> str:
    """The rule of a profile in words, from which the order of a pool can be computed with what the brief shows."""
    weights = WEIGHTS[profile]
    return (
        f"Rank the candidates by the utility U = {weights.power:g} P / P_max + {weights.margin:g} S, largest first. "
        "P is a candidate's load_power_uw, and P_max is the largest load_power_uw among the candidates listed here. "
        "S is its amplitude margin, the smaller of 1 - tip_stress_mpa / stress_limit_mpa and "
        "1 - tip_disp_mm / disp_limit_mm. Nothing else counts. If two utilities are equal, the larger P goes first, "
        "then the larger S, then the id that is first in the alphabet."
    )


def amplitude_margin(slack: Array) -> Array:
    """S from slack / limit in the order of `LIMITS`, shape (..., 4): the smaller share of stress and displacement."""
    return np.asarray(slack[..., AMPLITUDES].min(axis=-1))


def utilities(power: Array, margin: Array) -> dict[str, Array]:
    """U of every candidate under every profile, from the powers and amplitude margins of pools, shape (..., 5)."""
    relative = power / power.max(axis=-1, keepdims=True)
    return {name: weights.power * relative + weights.margin * margin for name, weights in WEIGHTS.items()}


def dominates(candidate: Array, other: Array) -> Array:
    """Whether a candidate is at least as good in everything and better in something.

    Both hold the power and the slacks along the last axis.
    """
    return np.asarray((candidate >= other).all(axis=-1) & (candidate > other).any(axis=-1))


class Order(NamedTuple):
    """The gold of a pool under a profile: ids from best to worst with their utilities, and the pairs that count.

    A pair is dominated when one candidate has at least the power and at least every slack of the other and more of
    something. It is sensitive to the policy when the policy orders it against the power.
    """

    ranking: list[str]
    utility: dict[str, float]
    dominated: list[Pair]
    sensitive: list[Pair]


def order_of(candidates: Sequence[Candidate], limits: Mapping[str, float | None], profile: str) -> Order:
    """The order that the policy text of `profile` asks for, from the unrounded metrics and slacks."""
    ids = [c["id"] for c in candidates]
    power = np.array([c["metrics"]["load_power_uw"] for c in candidates])
    share = np.array([[c["slack"][name] / known(limits[name]) for name in LIMITS] for c in candidates])
    margin = amplitude_margin(share)
    utility = utilities(power, margin)[profile]
    worth = np.column_stack([power, share])
    order = sorted(range(len(ids)), key=lambda i: (-utility[i], -power[i], -margin[i], ids[i]))
    ordered = list(permutations(order, 2))
    return Order(
        ranking=[ids[i] for i in order],
        utility={ids[i]: float(utility[i]) for i in order},
        dominated=[Pair(better=ids[a], worse=ids[b]) for a, b in ordered if dominates(worth[a], worth[b])],
        sensitive=[Pair(better=ids[a], worse=ids[b]) for a, b in combinations(order, 2) if power[a] < power[b]],
    )
