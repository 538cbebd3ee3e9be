"""The cantilever model of the paper's appendix B: one mode, one piezo layer on one substrate, one resistor.

Read `_formulas` from top to bottom beside equations (A-2) to (A-20): every line carries its number. All
arithmetic is in SI units and at full precision. The arrays of a batch and the numbers of a single design go
through the same lines. It is a lumped reduction of the beam to one degree of freedom: the mass of the static shape,
driven by the conventional base force, moving mass times acceleration. Erturk and Inman (2008),
doi:10.1115/1.2890402, show that this force is too small for a light tip mass, by a factor of 1.566 without one;
`distributed` holds their solution.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_oracle.checks import positive
from vehbench_oracle.veh import materials
from vehbench_oracle.veh.quantities import VARIABLES

Array = NDArray[np.float64]

GRAVITY_M_S2 = 9.80665
VACUUM_PERMITTIVITY_F_M = 8.854187817e-12
MASS_FACTOR = 0.2357  # alpha_phi of: share of the beam mass that moves with the tip
SLOPE_FACTOR = 1.3765  # gamma_1 of: L times slope over displacement at the tip, bare first mode
DEFAULT_DAMPING_RATIO = 0.01
BLOCK = 2048
"""Designs of a large batch evaluated at a time. The temporaries of larger blocks pass the size at which the
allocator hands memory back to the system after every block, which costs more than the fewer calls save."""


@dataclass(frozen=True)
class Response:
    """What the oracle computes: numbers for one design, arrays of the batch's shape for a batch."""

    resonant_freq_hz: Array
    freq_error_pct: Array
    load_power_uw: Array
    tip_stress_mpa: Array
    tip_disp_mm: Array
    effective_mass_kg: Array
    bending_stiffness_n_m2: Array
    coupling_n_per_v: Array
    capacitance_f: Array

    def at(self, index: int) -> dict[str, float]:
        """The values of one design of a batch as plain numbers."""
        return {f.name: float(np.ravel(getattr(self, f.name))[index]) for f in fields(self)}


def respond(
    design: Mapping[str, ArrayLike],
    *,
    frequency_hz: ArrayLike,
    acceleration_g: ArrayLike,
    piezo: str | materials.Piezo = "PZT-5A",
    substrate: str | materials.Substrate = "stainless_steel",
    damping_ratio: float | None = None,
) -> Response:
    """Steady-state response to harmonic base excitation, equations (A-2) to (A-20).

    `design` maps the six design variables (mm, mm, um, um, g, ohm) to numbers or to arrays that broadcast
    against each other and against the excitation. `acceleration_g` is the peak base acceleration in units of
    9.80665 m/s2. `damping_ratio` None means 0.01. `piezo` and
    `substrate` are names or constants of one's own. Returned amplitudes are peak values, the power is the
    average over a cycle.

    Raises MissingVariableError for an absent or null input, InvalidValueError for one that is not a finite
    positive number (tip mass may be 0), UnknownMaterialError for a material outside the tables.
    """
    p = materials.piezo(piezo)
    s = materials.substrate(substrate)
    zeta = DEFAULT_DAMPING_RATIO if damping_ratio is None else damping_ratio
    inputs = (
        *(positive(name, design.get(name), zero_allowed=name == "tip_mass_g") for name in VARIABLES),
        positive("frequency_hz", frequency_hz),
        positive("acceleration_g", acceleration_g),
        positive("damping_ratio", zeta),
    )
    shape = np.broadcast_shapes(*(v.shape for v in inputs))
    with np.errstate(all="ignore"):  # legal input may overflow; the verdict then calls the design infeasible
        one_block = math.prod(shape) <= BLOCK
        values = _formulas(p, s, *inputs) if one_block else _in_blocks(p, s, inputs, shape)
    return Response(*(v if v.shape == shape else np.broadcast_to(v, shape) for v in values))


def _formulas(
    p: materials.Piezo,
    s: materials.Substrate,
    length_mm: Array,
    width_mm: Array,
    substrate_um: Array,
    piezo_um: Array,
    tip_mass_g: Array,
    load: Array,
    f_e: Array,
    a_g: Array,
    zeta: Array,
) -> tuple[Array, ...]:
    """The values of `Response` in its order.

    Powers are written as products: faster, and the same to the last bit in a batch and alone.
    """
    length, width, m_t = 1e-3 * length_mm, 1e-3 * width_mm, 1e-3 * tip_mass_g
    h_s, h_p, a = 1e-6 * substrate_um, 1e-6 * piezo_um, GRAVITY_M_S2 * a_g
    y_bar, bending, mass, theta, capacitance = _beam(p, s, length, width, h_s, h_p, m_t)
    w_r = np.sqrt(3 * bending / (mass * length * length * length))
    f_r = w_r / (2 * np.pi)
    error_pct = 100 * np.abs(f_r - f_e) / f_e
    w = 2 * np.pi * f_e
    wrc = w * load * capacitance
    # |Z_e|^2 = R^2 / (1 + (w R C)^2), and j w Z_e = w R (w R C + j) / (1 + (w R C)^2)
    shunt = theta * theta * w * load / (1 + wrc * wrc)
    real = mass * (w_r * w_r - w * w) + shunt * wrc  # real part
    imag = 2 * zeta * mass * w_r * w + shunt  # imaginary part
    tip = mass * a / np.sqrt(real * real + imag * imag)
    power = shunt * w * tip * tip / 2  # V^2 / (2 R)
    stress = s.youngs_modulus * y_bar * 3 * tip / (length * length)
    return f_r, error_pct, 1e6 * power, 1e-6 * stress, 1e3 * tip, mass, bending, theta, capacitance


def _beam(
    p: materials.Piezo,
    s: materials.Substrate,
    length: Array,
    width: Array,
    h_s: Array,
    h_p: Array,
    m_t: Array,
) -> tuple[Array, ...]:
    """What does not depend on the excitation, in SI units: y_bar, EI, m_eff, theta, C_p."""
    y_s, y_p = h_s / 2, h_s + h_p / 2
    stiff_s, stiff_p = s.youngs_modulus * width * h_s, p.youngs_modulus * width * h_p
    y_bar = (stiff_s * y_s + stiff_p * y_p) / (stiff_s + stiff_p)
    d_s, d_p = y_s - y_bar, y_p - y_bar
    bending = stiff_s * (h_s * h_s / 12 + d_s * d_s) + stiff_p * (h_p * h_p / 12 + d_p * d_p)
    beam_mass = (s.density * h_s + p.density * h_p) * width * length
    mass = MASS_FACTOR * beam_mass + m_t
    e31 = p.d31 * p.youngs_modulus
    theta = -e31 * SLOPE_FACTOR * width * d_p / length
    capacitance = VACUUM_PERMITTIVITY_F_M * p.relative_permittivity * width * length / h_p
    return y_bar, bending, mass, theta, capacitance


def _in_blocks(
    p: materials.Piezo, s: materials.Substrate, inputs: tuple[Array, ...], shape: tuple[int, ...]
) -> tuple[Array, ...]:
    """`_formulas` over a large batch in blocks whose temporaries stay in the processor's cache."""
    size = math.prod(shape)
    flat = [v if v.ndim == 0 else np.broadcast_to(v, shape).reshape(-1) for v in inputs]
    out = np.empty((len(fields(Response)), size))
    for start in range(0, size, BLOCK):
        block = slice(start, start + BLOCK)
        values = _formulas(p, s, *(v if v.ndim == 0 else v[block] for v in flat))
        for row, computed in zip(out, values, strict=True):
            row[block] = computed
    return tuple(row.reshape(shape) for row in out)
