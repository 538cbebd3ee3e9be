"""Bringing a device into the oracle's declared domain by geometric similarity.

All lengths are multiplied by kappa, the tip mass by kappa^3, the load stays. Aspect ratios, mass ratio, coupling and
load over optimum load stay as they are; the resonance goes as 1 / kappa.
"""

from typing import NamedTuple

from vehbench_hf.types import Design
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES

LENGTHS = ("beam_length_mm", "beam_width_mm", "substrate_thickness_um", "piezo_thickness_um")

TOLERANCE = 1e-9
"""A value this share beyond its end is rounding, not a clipped value."""


class Projection(NamedTuple):
    """`outside` were out of the domain before, `clipped` after the scaling; `design` is in it."""

    kappa: float
    design: Design
    outside: tuple[str, ...]
    clipped: tuple[str, ...]


def project(design: Design) -> Projection:
    """`design` scaled by the kappa nearest to 1 that brings lengths and tip mass into the domain, then clipped.

    Where no kappa brings in all of them, kappa is the one nearest to 1 that brings in the lengths, or, where none does,
    the smallest that keeps each from being too small. A design inside the domain comes back unchanged.
    """
    kappa = _kappa(design)
    factors = dict.fromkeys(LENGTHS, kappa) | {"tip_mass_g": kappa**3, "load_resistance_ohm": 1.0}
    scaled = {name: design[name] * factors[name] for name in VARIABLES}
    projected = {name: min(max(scaled[name], low), high) for name, (low, high) in DECLARED_DOMAIN.items()}
    return Projection(kappa, projected, _outside(design), _outside(scaled))


def _kappa(design: Design) -> float:
    smallest = max(DECLARED_DOMAIN[name][0] / design[name] for name in LENGTHS)
    lengths = min(DECLARED_DOMAIN[name][1] / design[name] for name in LENGTHS)
    heaviest = DECLARED_DOMAIN["tip_mass_g"][1]
    mass = (heaviest / design["tip_mass_g"]) ** (1 / 3) if design["tip_mass_g"] > 0 else lengths
    largest = min(lengths, mass) if min(lengths, mass) >= smallest else lengths
    return max(smallest, min(1.0, largest))


def _outside(design: Design) -> tuple[str, ...]:
    return tuple(
        name
        for name, (low, high) in DECLARED_DOMAIN.items()
        if not low * (1 - TOLERANCE) <= design[name] <= high * (1 + TOLERANCE)
    )
