"""The P4 tasks of the sample: five feasible designs to be ranked under a stated policy."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from vehbench_builder.devices import Device
from vehbench_builder.rows import task_of
from vehbench_builder.sample_p2 import search_brief
from vehbench_builder.veh.spec_numbers import Array, bounds_of, known, response_for, rounded, unit_box
from vehbench_hf.types import Candidate, Design, Pair, Spec, Task
from vehbench_oracle import LIMITS, METRICS, VARIABLES, slacks

WEIGHTS = {"performance_first": (0.75, 0.25), "balanced": (0.55, 0.45), "reliability_first": (0.35, 0.65)}
"""Weights of power and of amplitude margin by profile."""

POOL = 5
LEAST_SLACK = 0.005
"""Every candidate keeps this share of every limit in hand."""
LEAST_GAP = 0.005
"""Neighbours in the order differ by this much utility under every profile."""
LEAST_DISTANCE = 0.05
"""Two candidates differ by this share of its range in some variable."""


class Supply(NamedTuple):
    """Feasible designs to choose from: places in the unit box (n, 6), powers (n,), slack / limit (n, 4)."""

    designs: list[Design]
    u: Array
    power: Array
    slack: Array


def ranking_task(device: Device, number: int, seed: int, acceleration_g: float, profile: str) -> Task:
    """Five candidates whose order follows from the policy text alone."""
    spec, found = search_brief(device, seed, acceleration_g, half_width=0.2)
    draw = np.random.default_rng([seed, 4])
    supply = _feasible_around(spec, found.design, draw)
    ids = [chr(ord("A") + place) for place in draw.permutation(POOL)]
    chosen = zip(ids, _choose(supply, profile, draw), strict=True)
    candidates = sorted((_candidate(spec, name, supply.designs[i]) for name, i in chosen), key=lambda c: c["id"])
    spec = {
        **spec,
        "query_budget": 1,
        "profile": profile,
        "policy": policy_text(profile),
        "candidates": candidates,
    }
    power = {c["id"]: c["metrics"]["load_power_uw"] for c in candidates}
    share = {
        c["id"]: {name: c["slack"][name] / known(spec["constraints"][name]) for name in LIMITS} for c in candidates
    }
    margin = {name: min(one["stress_limit_mpa"], one["disp_limit_mm"]) for name, one in share.items()}
    power_weight, margin_weight = WEIGHTS[profile]
    largest = max(power.values())
    utility = {name: power_weight * power[name] / largest + margin_weight * margin[name] for name in power}
    ranking = sorted(utility, key=lambda name: (-utility[name], -power[name], -margin[name], name))
    gold = {
        "ranking": ranking,
        "utilities": [{"id": name, "value": utility[name]} for name in ranking],
        "dominated_pairs": [
            Pair(better=a, worse=b)
            for a, b in combinations(ranking, 2)  # who dominates has the larger utility
            if _dominates([power[a], *share[a].values()], [power[b], *share[b].values()])
        ],
        "policy_sensitive_pairs": [Pair(better=a, worse=b) for a, b in combinations(ranking, 2) if power[a] < power[b]],
        "pool_id": f"sample-pool-{number}",
        "pool_family": "five_feasible",
    }
    return task_of(device, probe="p4", number=number, subtype="declared_profile", spec=spec, gold=gold)


def policy_text(profile: str) -> str:
    """The rule of a profile in words from which the order of a pool can be computed."""
    power, margin = WEIGHTS[profile]
    return (
        f"Rank by U = {power:g} P / P_max + {margin:g} S, largest first. P is load_power_uw and P_max the largest "
        "load_power_uw among these candidates. S is the smaller of 1 - tip_stress_mpa / stress_limit_mpa and "
        "1 - tip_disp_mm / disp_limit_mm. Ties go to the larger P, then to the larger S, then to the id that comes "
        "first in the alphabet."
    )


def _feasible_around(spec: Spec, reference: Design, draw: np.random.Generator) -> Supply:
    """Perturbations of the reference, in few variables or in all, that keep `LEAST_SLACK` of every limit."""
    n, k = 20_000, len(VARIABLES)
    centre = np.array([_place(spec, name, reference[name]) for name in VARIABLES])
    size = draw.choice([0.05, 0.15, 0.3], size=(n, 1))
    touched = draw.random((n, k)) < draw.choice([0.3, 0.6, 1.0], size=(n, 1))
    u = np.clip(centre + size * touched * draw.standard_normal((n, k)), 0.0, 1.0)
    columns = {name: np.array([rounded(v) for v in values]) for name, values in unit_box(spec)(u.T).items()}
    response = response_for(spec, columns)
    slack = slacks(response, spec["constraints"])
    share = np.array([slack[name] / known(spec["constraints"][name]) for name in LIMITS]).T
    kept = np.flatnonzero((share >= LEAST_SLACK).all(axis=1))
    designs = [{name: float(columns[name][i]) for name in VARIABLES} for i in kept]
    return Supply(designs, u[kept], response.load_power_uw[kept], share[kept])


def _choose(supply: Supply, profile: str, draw: np.random.Generator) -> list[int]:
    """Of many random pools, one in which the policy matters most.

    Every pool has a dominated pair, a pair that the profile orders against the power, and clear utility gaps under all
    profiles. Pools with more different winners come first, then those with more such pairs.
    """
    pools = draw.integers(len(supply.power), size=(20_000, POOL))
    first, second = np.array(list(combinations(range(POOL), 2))).T
    power, slack, u = supply.power[pools], supply.slack[pools], supply.u[pools]
    relative = power / power.max(axis=1, keepdims=True)
    margin = slack[..., :2].min(axis=2)  # stress and displacement come first in LIMITS
    utilities = {name: w * relative + v * margin for name, (w, v) in WEIGHTS.items()}
    gaps = np.min([np.diff(np.sort(one, axis=1), axis=1).min(axis=1) for one in utilities.values()], axis=0)
    distance = np.abs(u[:, first] - u[:, second]).max(axis=2).min(axis=1)
    own = utilities[profile]
    against = ((own[:, first] - own[:, second]) * (power[:, first] - power[:, second]) < 0).sum(axis=1)
    worth = np.concatenate([power[..., None], slack], axis=2)
    better = worth[:, first] - worth[:, second]
    dominated = ((better >= 0).all(axis=2) | (better <= 0).all(axis=2)).sum(axis=1)
    winners = np.sort([one.argmax(axis=1) for one in utilities.values()], axis=0)
    merit = 100 * (1 + (np.diff(winners, axis=0) > 0).sum(axis=0)) + against
    fit = (gaps >= LEAST_GAP) & (distance >= LEAST_DISTANCE) & (dominated > 0) & (against > 0)
    if not fit.any():
        raise ValueError(f"no pool has a pair that {profile} orders against the power; choose another seed")
    return [int(i) for i in pools[np.argmax(np.where(fit, merit, -1))]]


def _dominates(a: list[float], b: list[float]) -> bool:
    """At least as good everywhere and better somewhere."""
    return all(x >= y for x, y in zip(a, b, strict=True)) and a != b


def _candidate(spec: Spec, name: str, design: Design) -> Candidate:
    response = response_for(spec, design)
    return {
        "id": name,
        "design": design,
        "metrics": {metric: float(getattr(response, metric)) for metric in METRICS},
        "slack": {limit: float(value) for limit, value in slacks(response, spec["constraints"]).items()},
    }


def _place(spec: Spec, name: str, value: float) -> float:
    low, high = bounds_of(spec, name)
    if name == "load_resistance_ohm":
        return float(np.log(value / low) / np.log(high / low))
    return (value - low) / (high - low)
