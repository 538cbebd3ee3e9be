"""Rigorous bounds for many sub-boxes of features at once: can a design in them meet the limits and give some power?

The facts used, in the notation of `features`. They need E_s > E_p, which holds for all pairs of the tables.

- N grows with h_s and h_p: EI is the smallest value over y of the integral of E (y' - y)^2 over the section.
- d grows with h_s and h_p, as d = (h_s + h_p) / (2 (1 + n t)) = h_s (1 + t) / (2 (1 + n t)) shows.
- y_bar = h_s (1 + 2 n t + n t^2) / (2 (1 + n t)), where the second factor grows with t.
- g has one maximum: g ~ t (1 + t)^2 / ((1 + n t) (1 + 4 n t + 6 n t^2 + 4 n t^3 + n^2 t^4)), and the numerator of its
  logarithmic derivative changes sign once among its coefficients (Descartes).
- d / y_bar = (1 + t) / (1 + 2 n t + n t^2) is largest at (1 + t)^2 = (1 - n) / n, or falls throughout.
- Mass, resonance, width and load of a design are tied by m = 0.2357 mu L + m_t / b = 3 N / (L^3 (rho w)^2) and
  tau = w R eps b L / h_p; where the ranges of both sides do not meet, there is no design.
- Mechanical bound. W <= W_max, what displacement and stress limit allow, means |D| >= a / (w^2 W_max) = D_min. Hence
  P <= (b m) (a^2 / 2 w) x / max(D_min^2, Re(D)^2 + (2 zeta rho + x)^2), which has one maximum over x.
- Electrical bound. All output comes from the strain Z = d W / L^2, at most (d / y_bar) sigma_max / (3 E_s). With the
  open-circuit voltage V = gamma_1 e31 h_p Z / eps and the short-circuit current I = gamma_1 e31 w b L Z,
  2 P = V I tau / (1 + tau^2) = (V^2 / R) tau^2 / (1 + tau^2) = I^2 R / (1 + tau^2).

Only operations that round alike on every machine are used: no exp, log or power.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vehbench_oracle.veh.cantilever import MASS_FACTOR
from vehbench_oracle.veh.proof.features import (
    DOWN,
    UP,
    Array,
    Facts,
    coupling,
    cube,
    lever,
    neutral_axis,
    opened,
    square,
    stiffness,
    tuned,
)


class Enclosure(NamedTuple):
    """What holds for all designs of each sub-box that are in the problem's box, arrays of shape (n,).

    `gap` is above 0 where no design has such features. `amplitude` is a lower bound of W over the largest W that
    displacement and stress limit allow; `mechanical` and `electrical` are upper bounds of the power in W of designs
    within these limits. `spread` says how wide the sub-box is. NaN says nothing.
    """

    gap: Array
    amplitude: Array
    mechanical: Array
    electrical: Array
    spread: Array


def enclose(f: Facts, low: Array, high: Array) -> Enclosure:
    """Bounds for sub-boxes given by the lower and upper ends of their features, shape (5, n)."""
    with np.errstate(all="ignore"):  # what overflows or is undefined proves nothing
        return _enclose(f, low, high)


def enclose_under(facts: Sequence[Facts], low: Array, high: Array) -> Enclosure:
    """Bounds for a problem under several excitations: what one of them excludes is excluded.

    `facts` are those of `facts_under`. The features are those of the first excitation: of a design w_r / w and w R C_p
    differ between excitations, by the ratio of their frequencies, and no other feature does.
    """
    first, *others = facts
    least = enclose(first, low, high)
    for f in others:
        faster = f.w / first.w
        scale = np.array([[1.0], [1.0], [1.0], [1 / faster], [faster]])
        other = enclose(f, low * scale * DOWN, high * scale * UP)
        least = Enclosure(
            gap=np.fmax(least.gap, other.gap),
            amplitude=np.fmax(least.amplitude, other.amplitude),
            mechanical=np.fmin(least.mechanical, other.mechanical),
            electrical=np.fmin(least.electrical, other.electrical),
            spread=least.spread,
        )
    return least


def _enclose(f: Facts, low: Array, high: Array) -> Enclosure:
    len0, sub0, pz0, rho0, tau0 = low
    len1, sub1, pz1, rho1, tau1 = high
    ratio0, ratio1 = pz0 / sub1 * DOWN, pz1 / sub0 * UP
    stiff0, stiff1 = stiffness(f, sub0, pz0) * DOWN, stiffness(f, sub1, pz1) * UP
    beam0 = MASS_FACTOR * (f.rho_s * sub0 + f.rho_p * pz0) * len0 * DOWN
    beam1 = MASS_FACTOR * (f.rho_s * sub1 + f.rho_p * pz1) * len1 * UP

    mass0 = np.maximum(beam0 + f.tip_mass[0] / f.width[1], 3 * stiff0 / (cube(len1) * square(rho1 * f.w))) * DOWN
    mass1 = np.minimum(beam1 + f.tip_mass[1] / f.width[0], 3 * stiff1 / (cube(len0) * square(rho0 * f.w))) * UP
    rho0 = np.maximum(rho0, np.sqrt(3 * stiff0 / (cube(len1) * mass1)) / f.w * DOWN)
    rho1 = np.minimum(rho1, np.sqrt(3 * stiff1 / (cube(len0) * mass0)) / f.w * UP)
    tip0, tip1 = mass0 - beam1, mass1 - beam0
    per_load = f.w * f.permittivity
    by_tip0 = np.where(tip1 > 0, f.tip_mass[0] / tip1, 0.0)
    by_tip1 = np.where(tip0 > 0, f.tip_mass[1] / tip0, np.inf)
    by_load0, by_load1 = tau0 * pz0 / (per_load * len1 * f.load[1]), tau1 * pz1 / (per_load * len0 * f.load[0])
    width0 = np.maximum(np.maximum(by_tip0, by_load0) * DOWN, f.width[0])
    width1 = np.minimum(np.minimum(by_tip1, by_load1) * UP, f.width[1])
    tau0 = np.maximum(tau0, per_load * f.load[0] * width0 * len0 / pz1 * DOWN)
    tau1 = np.minimum(tau1, per_load * f.load[1] * width1 * len1 / pz0 * UP)
    gap = np.fmax.reduce([mass0 / mass1, rho0 / rho1, width0 / width1, tau0 / tau1]) - 1

    largest = np.minimum(f.displacement, f.stress * square(len1) / (3 * f.e_s * sub0 * neutral_axis(f, ratio0))) * UP
    g0 = np.minimum(coupling(f, ratio0), coupling(f, ratio1)) * DOWN
    g1 = coupling(f, np.clip(f.coupling_peak, ratio0, ratio1)) * UP
    tuned0, tuned1 = np.minimum(tuned(tau0), tuned(tau1)), tuned(np.clip(1.0, tau0, tau1))
    opened1 = opened(tau1)
    x0, x1 = square(rho0) * g0 * tuned0 * DOWN, square(rho1) * g1 * tuned1 * UP
    real0 = square(rho0) * (1 + g0 * opened(tau0)) * DOWN - 1
    real1 = square(rho1) * (1 + g1 * opened1) * UP - 1
    nearest, farthest = np.maximum(0.0, np.maximum(real0, -real1)), np.maximum(real1, -real0)
    loss0, loss1 = 2 * f.zeta * rho0, 2 * f.zeta * rho1
    static = f.a / (f.w * f.w)
    tip_w0 = static / np.sqrt(square(farthest) + square(loss1 + x1)) * DOWN
    tip_w1 = np.minimum(largest, static / np.sqrt(square(nearest) + square(loss0 + x0)) * UP)

    needed = square(static / largest)
    peak = np.sqrt(square(nearest) + square(loss0))
    corner = np.sqrt(np.maximum(0.0, needed - square(nearest))) - loss0
    x = np.minimum(np.maximum(np.maximum(peak, corner), x0), x1)
    moving = np.minimum(beam1 * width1 + f.tip_mass[1], mass1 * width1)
    mechanical = moving * f.a * f.a / (2 * f.w) * x / np.maximum(needed, square(nearest) + square(loss0 + x))

    t = np.clip(f.strain_peak, ratio0, ratio1)
    strain_limit = f.stress / (3 * f.e_s) * (1 + t) / (1 + f.n * t * (2 + t))
    strain = np.minimum(lever(f, sub1, pz1) * tip_w1 / square(len0), strain_limit)
    voltage, current = f.drive * pz1 * strain / f.permittivity, f.drive * f.w * width1 * len1 * strain
    twice = np.minimum(voltage * current * tuned1, square(voltage) * opened1 / f.load[0])
    twice = np.minimum(twice, square(current) * f.load[1] / (1 + square(tau0)))
    return Enclosure(gap, tip_w0 / largest, mechanical * UP, twice / 2 * UP, _spread(low, high, rho0, rho1, tau0, tau1))


def _spread(low: Array, high: Array, rho0: Array, rho1: Array, tau0: Array, tau1: Array) -> Array:
    """Weighted sum of the relative widths, those of resonance and load after what the others say about them."""
    length, substrate, piezo, _, _ = (high - low) / (high + low)
    rest = np.maximum(0.0, (rho1 - rho0) / (rho1 + rho0)) + np.maximum(0.0, (tau1 - tau0) / (tau1 + tau0))
    return np.asarray(3 * length + 2 * (substrate + piezo) + rest)
