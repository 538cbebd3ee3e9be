"""The formulas of appendix B over ranges of designs, written for the check of certificates and for nothing else.

Interval arithmetic throughout. The facts behind the bounds (what grows with what, and what has one maximum) are listed
in `box_bounds`, whose code this one does not share.
"""

import math

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
from vehbench_oracle.veh.proof.certificate import AMPLITUDE, ELECTRICAL, EMPTY, MECHANICAL
from vehbench_oracle.veh.proof.intervals import Array, Interval, highest, peaked, rising

SLACK = 1e-9
"""The problem's own numbers are widened by this share, more than a design evaluated in floating point is off by."""


class RangeModel:
    """A problem in SI units, under one of its stated excitations; the first one's model has those of the others.

    The features are those of the first excitation. What one excitation excludes is excluded. Raises what
    `require_complete` raises, and InvalidValueError unless its substrate is stiffer than its piezo layer.
    """

    def __init__(self, problem: VehProblem, number: int = 0) -> None:
        setting = problem.require_complete()
        self.p, self.s = setting["piezo"], setting["substrate"]
        first, own = problem.excitations[0], problem.excitations[number]
        self.faster = own.frequency_hz / first.frequency_hz
        self.others = [] if number else [RangeModel(problem, i) for i in range(1, len(problem.excitations))]
        self.n = self.p.youngs_modulus / self.s.youngs_modulus
        if not self.n < 1:
            raise InvalidValueError("substrate", "the bounds need a substrate stiffer than the piezo layer")
        self.zeta = DEFAULT_DAMPING_RATIO if setting["damping_ratio"] is None else setting["damping_ratio"]
        self.w = 2 * math.pi * own.frequency_hz
        self.a = GRAVITY_M_S2 * own.acceleration_g
        self.stress = 1e6 * problem.limit("stress_limit_mpa")
        self.displacement = 1e-3 * problem.limit("disp_limit_mm")
        self.permittivity = VACUUM_PERMITTIVITY_F_M * self.p.relative_permittivity
        self.force_factor = SLOPE_FACTOR * abs(self.p.d31 * self.p.youngs_modulus)
        self.length = _range(problem, "beam_length_mm", 1e-3)
        self.width = _range(problem, "beam_width_mm", 1e-3)
        self.h_s = _range(problem, "substrate_thickness_um", 1e-6)
        self.h_p = _range(problem, "piezo_thickness_um", 1e-6)
        self.tip_mass = _range(problem, "tip_mass_g", 1e-3)
        self.load = _range(problem, "load_resistance_ohm", 1.0)
        error = problem.limit("freq_error_pct_limit") / 100 * (1 + SLACK)
        self.band = Interval.of((1 - error) * (1 - SLACK), (1 + error) * (1 + SLACK))

    def root(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Lower and upper ends of the five features of all designs of the box that meet the frequency limit."""
        with np.errstate(all="ignore"):
            mass = self.beam_mass(self.length, self.h_s, self.h_p) + self.tip_mass / self.width
            rho = self.resonance(self.length, self.stiffness(self.h_s, self.h_p), mass).meet(self.band)
            for other in self.others:
                rho = rho.meet(other.band * other.faster)
            tau = self.load_ratio(self.length, self.h_p, self.width)
        features = (self.length, self.h_s, self.h_p, rho, tau)
        return tuple(float(v.low) * (1 - SLACK) for v in features), tuple(float(v.high) * (1 + SLACK) for v in features)

    def excluded(self, low: Array, high: Array, target_w: float) -> dict[str, NDArray[np.bool_]]:
        """Which sub-boxes each letter excludes; they are given by the ends of their features, shape (5, n)."""
        with np.errstate(all="ignore"):  # a bound that overflows or is undefined compares false and proves nothing
            length, h_s, h_p, rho, tau = (Interval(*ends) for ends in zip(low, high, strict=True))
            excluded = self._excluded(length, h_s, h_p, rho, tau, target_w=target_w)
            for other in self.others:
                own_rho, own_tau = rho * (1 / other.faster), tau * other.faster
                under_other = other._excluded(length, h_s, h_p, own_rho, own_tau, target_w=target_w)
                excluded = {letter: mask | under_other[letter] for letter, mask in excluded.items()}
            return excluded

    def _excluded(
        self, length: Interval, h_s: Interval, h_p: Interval, rho: Interval, tau: Interval, *, target_w: float
    ) -> dict[str, NDArray[np.bool_]]:
        stiffness, beam = self.stiffness(h_s, h_p), self.beam_mass(length, h_s, h_p)
        inertia = 3 * stiffness / (length * length * length * rho.squared() * self.w**2)
        mass = inertia.meet(beam + self.tip_mass / self.width)
        rho = rho.meet(self.resonance(length, stiffness, mass))
        by_load = tau * h_p / (self.w * self.permittivity * length * self.load)
        width = self.width.meet(by_load, self.tip_mass / (mass - beam))
        tau = tau.meet(self.load_ratio(length, h_p, width))

        t = h_p / h_s
        axis = h_s * rising(self.axis_share, t)
        by_stress = self.stress * length.squared() / (3 * self.s.youngs_modulus * axis)
        allowed = np.minimum(by_stress.high, self.displacement)
        coupling = peaked(self.coupling, t, self.coupling_peak())
        x = rho.squared() * coupling * peaked(_tuned, tau, 1.0)
        error = (rho.squared() * (1 + coupling * rising(_opened, tau)) - 1).squared()
        loss = 2 * self.zeta * rho
        tip = self.a / self.w**2 / (error + (loss + x).squared()).root()

        # The mechanical bound rises with x until the amplitude is within the limits and the load is matched.
        needed = (self.a / self.w**2 / allowed) ** 2
        matched = np.sqrt(error.low + loss.low**2)
        within = np.sqrt(np.maximum(0, needed - error.low)) - loss.low
        best = np.clip(np.maximum(matched, within), x.low, x.high)
        gain = highest(best / np.maximum(needed, error.low + (loss.low + best) ** 2))
        moving = (beam * width + self.tip_mass).meet(mass * width)
        mechanical = moving * gain * (self.a**2 / (2 * self.w))

        by_tip = rising(self.lever, h_s, h_p) * highest(np.minimum(tip.high, allowed)) / length.squared()
        by_limit = peaked(self.lever_share, t, self.lever_peak()) * (self.stress / (3 * self.s.youngs_modulus))
        strain = highest(np.minimum(by_tip.high, by_limit.high))
        voltage = self.force_factor / self.permittivity * h_p * strain
        current = self.force_factor * self.w * width * length * strain
        twice_power = (
            voltage * current * peaked(_tuned, tau, 1.0),
            voltage.squared() / self.load * rising(_opened, tau),
            current.squared() * self.load / (1 + tau.squared()),
        )
        electrical = np.minimum.reduce([power.high for power in twice_power]) / 2
        return {
            EMPTY: mass.empty | rho.empty | width.empty | tau.empty,
            AMPLITUDE: tip.low > allowed * (1 + SLACK),
            MECHANICAL: mechanical.high * (1 + SLACK) < target_w,
            ELECTRICAL: electrical * (1 + SLACK) < target_w,
        }

    def stiffness(self, h_s: Interval, h_p: Interval) -> Interval:
        """EI / b about the modulus-weighted centroid, (A-3) to (A-6); grows with both thicknesses."""
        e_s, e_p = self.s.youngs_modulus, self.p.youngs_modulus

        def bending(s: Array, p: Array) -> Array:
            y = (e_s * s * s / 2 + e_p * p * (s + p / 2)) / (e_s * s + e_p * p)
            about_axis = e_s * s * (s * s / 12 + (s / 2 - y) ** 2) + e_p * p * (p * p / 12 + (s + p / 2 - y) ** 2)
            return np.asarray(about_axis)

        return rising(bending, h_s, h_p)

    def beam_mass(self, length: Interval, h_s: Interval, h_p: Interval) -> Interval:
        """Moving mass of the beam per width, (A-7), (A-8)."""
        return MASS_FACTOR * (self.s.density * h_s + self.p.density * h_p) * length

    def resonance(self, length: Interval, stiffness: Interval, mass: Interval) -> Interval:
        """w_r / w from stiffness and moving mass per width, (A-9)."""
        return (3 * stiffness / (mass * length * length * length)).root() * (1 / self.w)

    def load_ratio(self, length: Interval, h_p: Interval, width: Interval) -> Interval:
        """w R C_p, (A-13)."""
        return self.w * self.permittivity * self.load * width * length / h_p

    def lever(self, h_s: Array, h_p: Array) -> Array:
        """y_p - y_bar; grows with both thicknesses."""
        return np.asarray((h_s + h_p) / (2 * (1 + self.n * h_p / h_s)))

    def axis_share(self, t: Array) -> Array:
        """y_bar / h_s; grows with t = h_p / h_s."""
        return np.asarray((0.5 + self.n * t * (1 + t / 2)) / (1 + self.n * t))

    def lever_share(self, t: Array) -> Array:
        """(y_p - y_bar) / y_bar; grows up to `lever_peak` and falls beyond."""
        return np.asarray((1 + t) / (1 + 2 * self.n * t + self.n * t**2))

    def lever_peak(self) -> float:
        """The t that makes `lever_share` largest."""
        return max(0.0, math.sqrt(1 / self.n - 1) - 1)

    def coupling(self, t: Array) -> Array:
        """theta^2 / (C_p k), from a section with h_s = 1; grows up to `coupling_peak` and falls beyond."""
        ones = np.ones_like(t)
        stiffness = self.stiffness(Interval(ones, ones), Interval(t, t)).low
        return np.asarray(self.force_factor**2 * self.lever(ones, t) ** 2 * t / (3 * self.permittivity * stiffness))

    def coupling_peak(self) -> float:
        """The one positive root of the numerator of the logarithmic derivative of `coupling`."""
        n = self.n
        falling = [-2 * n**3, -(4 * n**3 + 5 * n**2), -15 * n**2, -(8 * n**2 + 2 * n)]
        roots = np.roots([*falling, 4 * n * (1 - n), 3, 1])
        return float(max(root.real for root in roots if abs(root.imag) < 1e-9 * abs(root)))


def _range(problem: VehProblem, name: str, unit: float) -> Interval:
    low, high = problem.range_of(name)
    return Interval.of(low * unit * (1 - SLACK), high * unit * (1 + SLACK))


def _tuned(tau: Array) -> Array:
    return np.asarray(tau / (1 + tau**2))


def _opened(tau: Array) -> Array:
    return np.asarray(1 / (1 + tau**-2))
