"""Bounds that hold for every design of a box, in closed form. They prove that a brief is infeasible.

With D = EI / b and m = m_eff / b = 0.2357 (rho_s h_s + rho_p h_p) L + m_t / b:

- D grows with h_s and with h_p, whatever the moduli: EI is the smallest value over y0 of the integral of
  E (y - y0)^2 over the section, and a thicker layer adds to that integral for every y0.
- m grows with L, h_s, h_p and m_t and falls with b, so w_r^2 = 3 D / (L^3 m) lies between its values with D on
  one side and L, m on the other side of their ranges.
- No load and no frequency yield more than m_eff a^2 / (16 zeta w_r). With x = Im(theta^2 j w Z_e) / w, (A-15)
  to (A-18) give P = x w^2 W^2 / 2 with W <= m_eff a / (2 zeta m_eff w_r w + x w), and x / (c + x)^2 <= 1 / (4 c).
"""

import math
from typing import Literal, NamedTuple

from vehbench_builder.veh.beam import unexcited
from vehbench_builder.veh.numbers import known
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO, GRAVITY_M_S2
from vehbench_oracle.veh.domain import problem_of_brief

End = Literal["min", "max"]

ROUNDING = 1e-9
"""Bounds are moved outward by this share, far more than evaluating them in floating point can cost."""


class Range(NamedTuple):
    """A closed interval."""

    low: float
    high: float


def resonance_range_hz(spec: Spec) -> Range:
    """An interval that holds the resonance of every design of the box."""
    low = _resonance(_stiffness(spec, "min"), _mass(spec, "max", width="min"), _metres(spec, "beam_length_mm", "max"))
    high = _resonance(_stiffness(spec, "max"), _mass(spec, "min", width="max"), _metres(spec, "beam_length_mm", "min"))
    return Range(low * (1 - ROUNDING), high * (1 + ROUNDING))


def allowed_range_hz(spec: Spec) -> Range:
    """The resonances that meet the frequency limit of the brief."""
    f_e, limit = known(spec["excitation"]["frequency_hz"]), known(spec["constraints"]["freq_error_pct_limit"])
    return Range(f_e * (1 - limit / 100), f_e * (1 + limit / 100))


def power_bound_uw(spec: Spec) -> float:
    """A power in uW that no design exceeds that lies in the box and meets the frequency limit.

    The largest effective mass of the box at the lowest resonance that box and limit leave.
    """
    lowest = max(resonance_range_hz(spec).low, allowed_range_hz(spec).low)
    heaviest = _mass(spec, "max", width="max") * _metres(spec, "beam_width_mm", "max")
    a = GRAVITY_M_S2 * known(spec["excitation"]["acceleration_g"])
    zeta = spec["materials"]["damping_ratio"] or DEFAULT_DAMPING_RATIO
    return 1e6 * heaviest * a**2 / (16 * zeta * 2 * math.pi * lowest) * (1 + ROUNDING)


def _resonance(stiffness: float, mass: float, length: float) -> float:
    """Hz from D (N m), m (kg/m) and L (m)."""
    return math.sqrt(3 * stiffness / (length**3 * mass)) / (2 * math.pi)


def _stiffness(spec: Spec, end: End) -> float:
    """D in N m with both thicknesses at one end."""
    response = unexcited(spec, _corner(spec, end, width=end))
    return float(response.bending_stiffness_n_m2) / _metres(spec, "beam_width_mm", end)


def _mass(spec: Spec, end: End, *, width: End) -> float:
    """m in kg/m with length, thicknesses and tip mass at one end and the width at another."""
    response = unexcited(spec, _corner(spec, end, width=width))
    return float(response.effective_mass_kg) / _metres(spec, "beam_width_mm", width)


def _corner(spec: Spec, end: End, *, width: End) -> Design:
    ends: dict[str, End] = dict.fromkeys(VARIABLES, end) | {"beam_width_mm": width}
    # Neither stiffness nor mass depends on the load, whose bounds a brief may withhold.
    return {
        name: 1.0 if name == "load_resistance_ohm" else problem_of_brief(spec).range_of(name)[ends[name] == "max"]
        for name in VARIABLES
    }


def _metres(spec: Spec, name: str, end: End) -> float:
    return 1e-3 * problem_of_brief(spec).range_of(name)[end == "max"]
