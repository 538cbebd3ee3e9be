"""Reference designs: the strongest design of a box that meets all limits, searched globally, then polished."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from vehbench_builder.veh.spec_numbers import Array, known, response_for, rounded_design, unit_box
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Design, Spec
from vehbench_oracle import LIMITS, VARIABLES

ROOM = 1e-4
"""The search keeps this share of every limit in hand, so that rounding a design cannot break one."""
STARTS = 16
"""Random starts of the local search."""
STEP = 1e-7
"""Step of the slopes, as a share of a variable's range."""


class Found(NamedTuple):
    """A design, rounded, with its power as the oracle gives it for the rounded numbers."""

    design: Design
    power_uw: float


def best_design(spec: Spec, *, seed: int, room: float = ROOM) -> Found:
    """The design with the largest power that the search finds with `room` to each upper limit.

    The power target is not imposed. Differential evolution in the unit box (load in log scale), then SLSQP on ln P from
    its best point and from random ones: near a stress limit there are several local optima. Raises ValueError when no
    design meets the limits. Equal arguments give equal results with equal versions of numpy and scipy.
    """
    place = unit_box(spec)
    starts = [_evolve(spec, room, seed), *np.random.default_rng(seed).random((STARTS, len(VARIABLES)))]
    found = []
    without_target: Spec = {**spec, "constraints": {**spec["constraints"], "power_target_uw": 0.0}}
    for u in [starts[0], *(_climb(spec, room, start) for start in starts)]:
        design = rounded_design(place(u))
        verdict = judge_for(without_target, design)
        if verdict.feasible:
            found.append(Found(design, verdict.metrics["load_power_uw"]))
    if not found:
        raise ValueError("the search found no design that meets the stress, displacement and frequency limits")
    return max(found, key=lambda one: one.power_uw)


def _evolve(spec: Spec, room: float, seed: int) -> Array:
    """The best point of the unit box that differential evolution finds; limits first, then power."""
    from scipy.optimize import differential_evolution

    place = unit_box(spec)

    def cost(u: Array) -> Array:
        log_power, margins = _evaluate(spec, place(u), room)
        excess = np.maximum(0.0, -margins).sum(axis=0)
        return np.where(excess > 0, 1e3 + excess, -log_power)

    found = differential_evolution(
        cost,
        [(0.0, 1.0)] * len(VARIABLES),
        seed=np.random.default_rng(seed),
        popsize=8,
        maxiter=300,
        tol=1e-6,
        polish=False,
        vectorized=True,
        updating="deferred",
        init="sobol",
    )
    return np.asarray(found.x)


def _climb(spec: Spec, room: float, start: Array) -> Array:
    """A local optimum near `start`, inside the unit box; it need not meet the limits."""
    from scipy.optimize import minimize

    place = unit_box(spec)

    def with_slopes(u: Array) -> tuple[Array, Array]:
        """Value and slope, both of shape (4, ...): ln P, then the three margins."""
        u = np.clip(u, 0.0, 1.0)
        step = np.where(u > 0.5, -STEP, STEP)  # always into the box
        points = u[:, None] + np.hstack([np.zeros((len(u), 1)), np.diag(step)])
        log_power, margins = _evaluate(spec, place(points), room)
        values = np.vstack([log_power, margins])
        return values[:, 0], (values[:, 1:] - values[:, :1]) / step

    def cost(u: Array) -> tuple[float, Array]:
        value, slope = with_slopes(u)
        return -float(value[0]), -slope[0]

    met = {"type": "ineq", "fun": lambda u: with_slopes(u)[0][1:], "jac": lambda u: with_slopes(u)[1][1:]}
    found = minimize(
        cost,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(VARIABLES),
        constraints=[met],
        options={"ftol": 1e-9, "maxiter": 60},
    )
    return np.asarray(np.clip(found.x, 0.0, 1.0))


def _evaluate(spec: Spec, design: Mapping[str, Array], room: float) -> tuple[Array, Array]:
    """ln P, and the normalized margins (3, ...) to the upper limits reduced by `room`."""
    response = response_for(spec, design)
    margins = [
        1 - getattr(response, kind.metric) / ((1 - room) * known(spec["constraints"][name]))
        for name, kind in LIMITS.items()
        if kind.upper
    ]
    return np.log(response.load_power_uw), np.array(margins)
