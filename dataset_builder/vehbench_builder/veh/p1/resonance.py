"""The resonances that a box allows: an interval that holds them all, close enough to ask for just outside of it."""

from typing import NamedTuple

import numpy as np

from vehbench_builder.veh.beam import unexcited
from vehbench_hf.types import Spec
from vehbench_oracle.space import Array
from vehbench_oracle.veh.domain import problem_of_brief

CELLS = 32
ROUNDING = 1e-9
"""Bounds are moved outward by this share, far more than evaluating them in floating point can cost."""


class Range(NamedTuple):
    """A closed interval."""

    low: float
    high: float


def narrow_resonance_range_hz(spec: Spec) -> Range:
    """An interval that holds the resonance of every design of the box, and is hardly wider than it must be.

    Resonance falls with length and tip mass and grows with width, but a thicker layer is both stiffer and heavier. So
    on each of `CELLS`^2 cells of the two thicknesses the stiffness is taken at one corner and the mass at the other.

    With D = EI / b and m = m_eff / b = 0.2357 (rho_s h_s + rho_p h_p) L + m_t / b, w_r^2 = 3 D / (L^3 m). D grows with
    h_s and with h_p, whatever the moduli: EI is the smallest value over y0 of the integral of E (y - y0)^2 over the
    section, and a thicker layer adds to that integral for every y0. m grows with L, h_s, h_p and m_t and falls with b.
    """
    low = _resonance(spec, stiffness_end=0, mass_end=1, length_end=1).min()
    high = _resonance(spec, stiffness_end=1, mass_end=0, length_end=0).max()
    return Range(float(low) * (1 - ROUNDING), float(high) * (1 + ROUNDING))


def _resonance(spec: Spec, *, stiffness_end: int, mass_end: int, length_end: int) -> Array:
    """Hz of the cells, with ends (0 lower, 1 upper) for the stiffness, for the mass and for the length.

    Length and tip mass are at the same end, the width at the other one: that is where the extremes are.
    """
    length = problem_of_brief(spec).range_of("beam_length_mm")[length_end]
    common = {
        "beam_length_mm": length,
        "beam_width_mm": problem_of_brief(spec).range_of("beam_width_mm")[1 - length_end],
        "tip_mass_g": problem_of_brief(spec).range_of("tip_mass_g")[length_end],
        "load_resistance_ohm": 1.0,  # without influence, and a brief may withhold it
    }
    stiff = unexcited(spec, {**common, **_corners(spec, stiffness_end)})
    heavy = unexcited(spec, {**common, **_corners(spec, mass_end)})
    omega_squared = 3 * stiff.bending_stiffness_n_m2 / (heavy.effective_mass_kg * (1e-3 * length) ** 3)
    return np.asarray(np.sqrt(omega_squared) / (2 * np.pi))


def _corners(spec: Spec, end: int) -> dict[str, Array]:
    """Both thicknesses at the lower (0) or upper (1) corner of every cell, as a grid."""
    substrate, piezo = (
        np.linspace(*problem_of_brief(spec).range_of(name), CELLS + 1)[end : CELLS + end]
        for name in ("substrate_thickness_um", "piezo_thickness_um")
    )
    return {"substrate_thickness_um": substrate[:, None], "piezo_thickness_um": piezo[None, :]}
