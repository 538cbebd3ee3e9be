"""P1: can an estimate tell a brief near the limit of the possible from one beyond it, as a designer would have to?"""

from collections.abc import Callable, Sequence

import numpy as np

from vehbench_builder.audit.recomputed import Array, centre_of, design_at, response_of
from vehbench_builder.audit.report import Check, Figure, Findings, skipped, whole
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Spec, Task
from vehbench_oracle import LIMITS, VARIABLES, slacks
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO, GRAVITY_M_S2

CALLS = 400
"""Oracle calls of the second estimate."""
SPREADS = (None, 0.2, 0.1, 0.05, 0.02)
"""How far its rounds look around the best design so far, in shares of each range; None: anywhere."""
LEAST_SEPARATION = 0.9
"""Share of pairs of a solvable and an infeasible brief that the second estimate puts in the right order."""
ENOUGH = 5
SEED = 400


def estimate_checks(bank: Bank) -> list[Check]:
    """How well estimates separate the boundary briefs of P1 from those beyond the boundary."""
    boundary, beyond = (
        [t for t in bank.select(("p1",)) if t.subtype == subtype]
        for subtype in ("solvable_boundary", "infeasible_margin")
    )
    if min(len(boundary), len(beyond)) < ENOUGH:
        few = f"{len(boundary)} boundary and {len(beyond)} infeasible briefs"
        return [skipped(p1_estimates_tell_boundary_from_margin, few)]
    return [whole(p1_estimates_tell_boundary_from_margin, boundary, beyond)]


def p1_estimates_tell_boundary_from_margin(boundary: Sequence[Task], beyond: Sequence[Task]) -> Findings:
    """A search of 400 oracle calls puts 90 % of the pairs of a boundary and an infeasible brief in order."""
    by_formula = separation(boundary, beyond, matched_power_uw)
    by_calls = separation(boundary, beyond, best_of_calls_uw)
    yield Figure("pairs in order by the power of a matched load at resonance", by_formula)
    yield Figure(f"pairs in order by a search of {CALLS} oracle calls", by_calls)
    yield None if by_calls >= LEAST_SEPARATION else f"only {by_calls:.1%} are in the right order"


def separation(easy: Sequence[Task], hard: Sequence[Task], estimate: Callable[[Spec], float]) -> float:
    """The share of pairs in which the estimate over the target is larger for the easy brief; ties count half."""
    a, b = (np.array([estimate(t.spec) / _target(t.spec) for t in tasks]) for tasks in (easy, hard))
    order = np.sign(a[:, None] - b[None, :])
    return float((order + 1).mean() / 2)


def matched_power_uw(spec: Spec) -> float:
    """m a^2 / (16 zeta w) of the middle of the box at the excitation: what a matched load takes at resonance."""
    mass = float(response_of(spec, centre_of(spec)).effective_mass_kg)
    excitation = spec["excitation"]
    acceleration = GRAVITY_M_S2 * (excitation["acceleration_g"] or 0.0)
    omega = 2 * np.pi * (excitation["frequency_hz"] or np.inf)
    zeta = spec["materials"]["damping_ratio"] or DEFAULT_DAMPING_RATIO
    return 1e6 * mass * acceleration**2 / (16 * zeta * omega)


def best_of_calls_uw(spec: Spec) -> float:
    """The best of 400 designs: a fifth of them random, the rest in four rounds around the best one so far.

    A design that breaks a limit counts with its power divided by (1 + excess)^2, since amplitudes near a limit go
    with the root of the power.
    """
    draw = np.random.default_rng(SEED)
    centre, best = np.full((len(VARIABLES), 1), 0.5), -np.inf
    for spread in SPREADS:
        shape = (len(VARIABLES), CALLS // len(SPREADS))
        places = draw.random(shape) if spread is None else centre + spread * draw.standard_normal(shape)
        places = places.clip(0.0, 1.0)
        worth = _worth(spec, places)
        if worth.max() > best:
            best, centre = float(worth.max()), places[:, [int(worth.argmax())]]
    return best


def _worth(spec: Spec, places: Array) -> Array:
    response = response_of(spec, design_at(spec, places))
    found = slacks(response, spec["constraints"])
    excess = np.sum([np.maximum(0.0, -found[n] / _limit(spec, n)) for n in LIMITS if LIMITS[n].upper], axis=0)
    worth: Array = response.load_power_uw / (1 + excess) ** 2
    return worth


def _limit(spec: Spec, name: str) -> float:
    limit = spec["constraints"].get(name)
    return (LIMITS[name].value if limit is None else limit) or 1.0


def _target(spec: Spec) -> float:
    target = spec["constraints"].get("power_target_uw")
    return LIMITS["power_target_uw"].value if target is None else target
