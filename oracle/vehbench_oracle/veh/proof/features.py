"""Five features of a design that decide, per width, what it does: L, h_s, h_p, rho = w_r / w and tau = w R C_p.

Width, tip mass and load enter the model only through rho, tau and a factor b, so that bounds and optimizers work on the
features. With quantities per width, t = h_p / h_s and n = E_p / E_s,

    m = 0.2357 mu L + m_t / b = 3 N / (L^3 (rho w)^2),   N = EI / b,   mu = rho_s h_s + rho_p h_p         (A-7) to (A-9)
    x = rho^2 g(t) tau / (1 + tau^2),   g(t) = theta^2 / (C_p k) = (gamma_1 e31)^2 d^2 h_p / (3 eps N)    (A-12), (A-13)
    D = rho^2 (1 + g(t) tau^2 / (1 + tau^2)) - 1 + j (2 zeta rho + x)                    (A-15), divided by m w^2
    W = (a / w^2) / |D|,   P = (b m) (a^2 / 2 w) x / |D|^2                                        (A-16), (A-18)

where k = 3 N / L^3 and d = y_p - y_bar. Everything here is in SI units.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle.errors import InvalidValueError
from vehbench_oracle.veh.cantilever import (
    DEFAULT_DAMPING_RATIO,
    GRAVITY_M_S2,
    MASS_FACTOR,
    SLOPE_FACTOR,
    VACUUM_PERMITTIVITY_F_M,
)
from vehbench_oracle.veh.problem import VehProblem

Array = NDArray[np.float64]
Ends = tuple[float, float]

OUT = 1e-9
UP, DOWN = 1 + OUT, 1 - OUT
"""Ends of ranges are pushed outward by this share, far more than evaluating them in floating point can cost."""


class Facts(NamedTuple):
    """The numbers of a problem in SI units. Pairs are the ends of a range, `band` is that of w_r / w."""

    length: Ends
    width: Ends
    substrate: Ends
    piezo: Ends
    tip_mass: Ends
    load: Ends
    band: Ends
    e_s: float
    rho_s: float
    rho_p: float
    n: float
    drive: float  # gamma_1 |e31|
    permittivity: float
    zeta: float
    w: float
    a: float
    stress: float
    displacement: float
    coupling_peak: float  # t at which g(t) is largest
    strain_peak: float  # t at which d / y_bar is largest


def facts_of(problem: VehProblem) -> Facts:
    """The problem in SI units, under its first excitation; `band` is what all stated excitations leave of it.

    Raises what `require_complete` raises, and InvalidValueError unless the substrate is stiffer than the piezo layer.
    """
    setting = problem.require_complete()
    p, s = setting["piezo"], setting["substrate"]
    n = p.youngs_modulus / s.youngs_modulus
    if not n < 1:
        raise InvalidValueError("substrate", f"bounds need a substrate stiffer than the piezo layer, got E_p/E_s = {n}")
    error = 0.01 * problem.limit("freq_error_pct_limit") * UP
    band = ((1 - error) * DOWN if error < 1 else 0.0, (1 + error) * UP)
    lowest, highest = band
    for condition in problem.conditions:
        faster = condition.frequency_hz / setting["frequency_hz"]
        band = max(band[0], lowest * faster * DOWN), min(band[1], highest * faster * UP)
    return Facts(
        length=_pushed(problem, "beam_length_mm", 1e-3),
        width=_pushed(problem, "beam_width_mm", 1e-3),
        substrate=_pushed(problem, "substrate_thickness_um", 1e-6),
        piezo=_pushed(problem, "piezo_thickness_um", 1e-6),
        tip_mass=_pushed(problem, "tip_mass_g", 1e-3),
        load=_pushed(problem, "load_resistance_ohm", 1.0),
        band=band,
        e_s=s.youngs_modulus,
        rho_s=s.density,
        rho_p=p.density,
        n=n,
        drive=SLOPE_FACTOR * abs(p.d31 * p.youngs_modulus),
        permittivity=VACUUM_PERMITTIVITY_F_M * p.relative_permittivity,
        zeta=DEFAULT_DAMPING_RATIO if setting["damping_ratio"] is None else setting["damping_ratio"],
        w=2 * math.pi * setting["frequency_hz"],
        a=GRAVITY_M_S2 * setting["acceleration_g"],
        stress=1e6 * problem.limit("stress_limit_mpa"),
        displacement=1e-3 * problem.limit("disp_limit_mm"),
        coupling_peak=_zero_of_falling(lambda t: coupling_slope(n, t)),
        strain_peak=max(0.0, math.sqrt((1 - n) / n) - 1),
    )


def facts_under(problem: VehProblem) -> tuple[Facts, ...]:
    """The problem under each stated excitation, the first one first; only `w` and `a` differ. Raises as `facts_of`."""
    first = facts_of(problem)
    return (
        first,
        *(
            first._replace(w=2 * math.pi * condition.frequency_hz, a=GRAVITY_M_S2 * condition.acceleration_g)
            for condition in problem.conditions
        ),
    )


def root_box(f: Facts) -> tuple[Array, Array]:
    """Lower and upper ends, shape (5,), of the features of all designs of the box that meet the frequency limit."""
    rho, tau = [], []
    for light, heavy in ((0, 1), (1, 0)):
        # The lightest section is the most compliant one, so its stiffness stands against the mass of the heaviest.
        beam = MASS_FACTOR * (f.rho_s * f.substrate[heavy] + f.rho_p * f.piezo[heavy]) * f.length[heavy]
        mass = beam + f.tip_mass[heavy] / f.width[light]
        stiff = stiffness(f, f.substrate[light], f.piezo[light])
        rho.append(math.sqrt(3 * stiff / (cube(f.length[heavy]) * mass)) / f.w)
        tau.append(f.w * f.permittivity * f.load[light] * f.width[light] * f.length[light] / f.piezo[heavy])
    low = (f.length[0], f.substrate[0], f.piezo[0], max(rho[0], f.band[0]), tau[0])
    high = (f.length[1], f.substrate[1], f.piezo[1], min(rho[1], f.band[1]), tau[1])
    return np.array(low) * DOWN, np.array(high) * UP


def stiffness(f: Facts, h_s: Array | float, h_p: Array | float) -> Array:
    """N = EI / b: both layers about their own axes, and about the common one."""
    stiff_s, stiff_p = f.e_s * h_s, f.e_s * f.n * h_p
    own = (stiff_s * h_s * h_s + stiff_p * h_p * h_p) / 12
    return np.asarray(own + stiff_s * stiff_p / (stiff_s + stiff_p) * square((h_s + h_p) / 2))


def lever(f: Facts, h_s: Array, h_p: Array) -> Array:
    """d: distance of the piezo layer's middle from the neutral axis."""
    return h_s * (h_s + h_p) / (2 * (h_s + f.n * h_p))


def neutral_axis(f: Facts, t: Array) -> Array:
    """y_bar / h_s."""
    return (1 + f.n * t * (2 + t)) / (2 * (1 + f.n * t))


def coupling(f: Facts, t: Array) -> Array:
    """g(t)."""
    n = f.n
    shape = (1 + n * t) * (1 + n * t * (4 + t * (6 + t * (4 + n * t))))
    return f.drive * f.drive / (f.permittivity * f.e_s) * t * square(1 + t) / shape


def coupling_slope(n: float, t: float) -> float:
    """Numerator of g'(t) / g(t)."""
    rising = 1 + t * (3 + t * 4 * n * (1 - n))
    falling = n * (8 * n + 2) + t * n * n * (15 + t * (4 * n + 5 + t * 2 * n))
    return rising - t * t * t * falling


def tuned(tau: Array) -> Array:
    """tau / (1 + tau^2): largest, 1 / 2, at tau = 1."""
    return tau / (1 + tau * tau)


def opened(tau: Array) -> Array:
    """tau^2 / (1 + tau^2): from 0 in a short circuit to 1 in an open one."""
    return tau * tau / (1 + tau * tau)


def square(v: Array | float) -> Array:
    """v^2."""
    return np.asarray(v * v)


def cube(v: Array | float) -> Array:
    """v^3."""
    return np.asarray(v * v * v)


def _zero_of_falling(function: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    while function(high) > 0:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high


def _pushed(problem: VehProblem, name: str, unit: float) -> Ends:
    low, high = problem.range_of(name)
    return low * unit * DOWN, high * unit * UP
