"""The first mode of the distributed beam alone, for large batches: the oracle's equations with five better constants.

The oracle takes the share of the beam's mass, its stiffness, the base force and the slope and curvature of the mode
as constants. Here they are functions of tip mass over beam mass, as polynomials that are within
1e-6 of `modes`. At resonance power is within 2 % of three modes, stress at light tip masses up to 5 % low.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import ArrayLike, NDArray

from vehbench_oracle.checks import positive
from vehbench_oracle.veh import materials
from vehbench_oracle.veh.cantilever import BLOCK, DEFAULT_DAMPING_RATIO, GRAVITY_M_S2
from vehbench_oracle.veh.distributed.modes import modes
from vehbench_oracle.veh.distributed.section import constant_strain_permittivity
from vehbench_oracle.veh.quantities import VARIABLES

Array = NDArray[np.float64]

DEGREE = 13
LIGHTEST = 1e-4
"""Beams of less than this share of the moving mass take the constants of this share."""


def respond_first_mode(
    design: Mapping[str, ArrayLike],
    *,
    frequency_hz: ArrayLike,
    acceleration_g: ArrayLike,
    piezo: str | materials.Piezo = "PZT-5A",
    substrate: str | materials.Substrate = "stainless_steel",
    damping_ratio: float | None = None,
) -> dict[str, Array]:
    """The oracle's five metrics by name, from the first mode of a unimorph with a point mass.

    Inputs, units and errors are those of `cantilever.respond`.
    """
    p, s = materials.piezo(piezo), materials.substrate(substrate)
    inputs = [positive(name, design.get(name), zero_allowed=name == "tip_mass_g") for name in VARIABLES]
    inputs += [positive("frequency_hz", frequency_hz), positive("acceleration_g", acceleration_g)]
    zeta = DEFAULT_DAMPING_RATIO if damping_ratio is None else float(positive("damping_ratio", damping_ratio))
    shape = np.broadcast_shapes(*(value.shape for value in inputs))
    flat = [np.atleast_1d(value if value.ndim == 0 else np.broadcast_to(value, shape).reshape(-1)) for value in inputs]
    size = int(np.prod(shape))
    metrics = np.empty((5, size))
    with np.errstate(all="ignore"):  # as in the oracle: legal input may overflow
        for start in range(0, size, BLOCK):
            block = slice(start, start + BLOCK)
            metrics[:, block] = _formulas(p, s, zeta, *(value if value.size == 1 else value[block] for value in flat))
    names = ("resonant_freq_hz", "freq_error_pct", "load_power_uw", "tip_stress_mpa", "tip_disp_mm")
    return dict(zip(names, metrics.reshape(5, *shape), strict=True))


@cache
def _coefficients() -> Array:
    """Polynomials in the beam's share of the moving mass: (5, degree + 1), the constant first."""
    share = (np.cos(np.pi * (np.arange(400) + 0.5) / 400) + 1) / 2 * (1 - LIGHTEST) + LIGHTEST
    first = modes(1 / share - 1, 1)
    tip = first.tip[:, 0]
    per_tip = (
        share / tip**2,  # modal over moving mass
        first.eigenvalue[:, 0] ** 4 / tip**2,  # stiffness times L^3 / EI
        first.forcing[:, 0] / tip * share,  # base force over moving mass times acceleration
        first.slope[:, 0] / tip,
        first.curvature[:, 0] / tip,
    )
    fits = [Chebyshev.fit(share, values, DEGREE, domain=[0, 1]).convert(kind=Polynomial) for values in per_tip]
    return np.array([fit.coef for fit in fits])


def _formulas(
    p: materials.Piezo,
    s: materials.Substrate,
    zeta: float,
    length_mm: Array,
    width_mm: Array,
    substrate_um: Array,
    piezo_um: Array,
    tip_mass_g: Array,
    load: Array,
    f_e: Array,
    a_g: Array,
) -> tuple[Array, ...]:
    """The five metrics; (A-n) are the oracle's equations, which these lines follow but for the constants."""
    length, width, m_t = 1e-3 * length_mm, 1e-3 * width_mm, 1e-3 * tip_mass_g
    h_s, h_p = 1e-6 * substrate_um, 1e-6 * piezo_um
    stiff_s, stiff_p = s.youngs_modulus * width * h_s, p.youngs_modulus * width * h_p
    y_bar = (stiff_s * h_s / 2 + stiff_p * (h_s + h_p / 2)) / (stiff_s + stiff_p)
    d_s, d_p = h_s / 2 - y_bar, h_s + h_p / 2 - y_bar
    bending = stiff_s * (h_s * h_s / 12 + d_s * d_s) + stiff_p * (h_p * h_p / 12 + d_p * d_p)
    beam = (s.density * h_s + p.density * h_p) * width * length
    moving = beam + m_t
    share = np.maximum(beam / moving, LIGHTEST)
    powers = np.ones((DEGREE + 1, share.size))
    for n in range(DEGREE):
        np.multiply(powers[n], share, out=powers[n + 1])
    values = _coefficients() @ powers
    mass, force = moving * values[0], moving * values[2]
    theta = -p.d31 * p.youngs_modulus * width * d_p * values[3] / length
    capacitance = constant_strain_permittivity(p) * width * length / h_p  # at constant strain
    w_r = np.sqrt(values[1] * bending / (mass * length * length * length))
    f_r, w = w_r / (2 * np.pi), 2 * np.pi * f_e
    wrc = w * load * capacitance
    shunt = theta * theta * w * load / (1 + wrc * wrc)
    real = mass * (w_r * w_r - w * w) + shunt * wrc
    imag = 2 * zeta * mass * w_r * w + shunt
    tip = force * (GRAVITY_M_S2 * a_g) / np.sqrt(real * real + imag * imag)
    power = shunt * w * tip * tip / 2
    stress = s.youngs_modulus * y_bar * values[4] * tip / (length * length)
    return f_r, 100 * np.abs(f_r - f_e) / f_e, 1e6 * power, 1e-6 * stress, 1e3 * tip
