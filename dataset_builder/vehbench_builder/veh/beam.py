"""A beam without its excitation, by the oracle: its quantities, its resonance and the load that suits it best."""

import math
from collections.abc import Mapping
from dataclasses import replace

from numpy.typing import ArrayLike

from vehbench_hf.types import Design, Spec
from vehbench_oracle import Response, respond
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO
from vehbench_oracle.veh.domain import problem_of_brief


def unexcited(spec: Spec, designs: Mapping[str, ArrayLike]) -> Response:
    """Stiffness, mass and resonance of designs in a brief, whatever its excitation; amplitudes are at 1 Hz and 1 g."""
    problem = replace(problem_of_brief(spec), frequency_hz=1.0, acceleration_g=1.0, conditions=())
    return problem.respond(designs)


def beam(design: Design, piezo: str, substrate: str) -> dict[str, float]:
    """The oracle's quantities of a beam that need no excitation; a missing load does not enter them."""
    complete = {"load_resistance_ohm": 1.0, **design}
    return respond(complete, frequency_hz=1.0, acceleration_g=1.0, piezo=piezo, substrate=substrate).at(0)


def resonance_hz(design: Design, piezo: str, substrate: str) -> float:
    """First resonance in Hz, (A-9)."""
    return beam(design, piezo, substrate)["resonant_freq_hz"]


def optimum_load_ohm(design: Design, piezo: str, substrate: str) -> float:
    """The load in ohm that draws most power at resonance: R = 2 zeta / (w_r C_p sqrt(4 zeta^2 + k^2)).

    k = theta^2 / (C_p m_eff w_r^2) is the coupling. It maximizes (A-18) with w = w_r and the oracle's default damping
    ratio; geometric scaling leaves it unchanged.
    """
    b = beam(design, piezo, substrate)
    w = 2 * math.pi * b["resonant_freq_hz"]
    capacitance, zeta = b["capacitance_f"], DEFAULT_DAMPING_RATIO
    k = b["coupling_n_per_v"] ** 2 / (capacitance * b["effective_mass_kg"] * w * w)
    return 2 * zeta / (w * capacitance * math.hypot(2 * zeta, k))
