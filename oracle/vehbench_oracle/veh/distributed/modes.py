"""Bending modes of a clamped uniform beam that carries a rigid mass at its tip.

With x = position / L, a mode is phi(x) = cos(k x) - cosh(k x) + s (sin(k x) - sinh(k x)), where the shear at the tip
moves the mass (phi''' = -a k^4 phi) and the moment turns it (phi'' = j k^4 phi'). Erturk and Inman (2009),
doi:10.1088/0964-1726/18/2/025009, equations 3 to 8. Everything is written
with tanh and 1/cosh, so that high modes lose no digits.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline

from vehbench_oracle.checks import positive
from vehbench_oracle.errors import InvalidValueError

Array = NDArray[np.float64]

MOST_MODES = 40
NODES, HEAVIEST = 2001, 999.0
"""Grid of the tables of `tabulated_modes`, up to this tip mass: between its points cubic splines are good to about
1e-11."""


class Modes(NamedTuple):
    """Modes of unit modal mass; in every field the last axis counts the modes.

    `eigenvalue` is k, with the angular frequency k^2 sqrt(EI / (mu L^4)). The others are without dimension, for a
    modal mass that is the mass of the beam: `tip` is phi(1), `slope` phi'(1), `curvature` phi''(0), `forcing` the sum
    of phi over all moving mass. `curvature` is positive.
    """

    eigenvalue: Array
    tip: Array
    slope: Array
    curvature: Array
    forcing: Array


def modes(tip_mass: ArrayLike, count: int = 3, rotary_inertia: ArrayLike = 0.0) -> Modes:
    """The first `count` modes, by Newton's method in brackets.

    `tip_mass` is over the mass of the beam, `rotary_inertia` of the mass about the tip over (mass of the beam) L^2;
    both at least 0, of shapes that broadcast. Raises InvalidValueError for other values and for a `count` outside 1
    to 40.
    """
    a, j = np.broadcast_arrays(
        positive("tip_mass", tip_mass, zero_allowed=True),
        positive("rotary_inertia", rotary_inertia, zero_allowed=True),
    )
    return _shapes(_eigenvalues(a, j, _checked(count)), a[..., None], j[..., None])


def tabulated_modes(tip_mass: ArrayLike, count: int = 3) -> Modes:
    """As `modes` for a point mass, from splines: within 1e-8 of it and much faster in batches."""
    a = positive("tip_mass", tip_mass, zero_allowed=True)
    if np.any(a > HEAVIEST):
        return modes(a, count)
    return _scaled(Modes(*np.moveaxis(_table(_checked(count))(1 / (1 + a)), -2, 0)), 1 + a, -1)


@cache
def _table(count: int) -> CubicSpline:
    """Modes over 1 / (1 + tip mass), scaled so that they are smooth in it."""
    place = np.linspace(1 / (1 + HEAVIEST), 1.0, NODES)
    return CubicSpline(place, np.stack(_scaled(modes(1 / place - 1, count), 1 / place, 1), axis=-2))


def _scaled(values: Modes, heavy: Array, sign: int) -> Modes:
    """The first mode times (sign 1) or over (sign -1) the powers of 1 + tip mass with which it falls and rises."""
    powers = Modes(eigenvalue=0.25, tip=0.5, slope=0.5, curvature=0.5, forcing=-0.5)  # type: ignore[arg-type]
    return Modes(
        *(
            np.concatenate([value[..., :1] * heavy[..., None] ** (sign * power), value[..., 1:]], axis=-1)
            for value, power in zip(values, powers, strict=True)
        )
    )


def _checked(count: int) -> int:
    if not 1 <= count <= MOST_MODES:
        raise InvalidValueError("count", f"count must be from 1 to {MOST_MODES} modes, got {count}")
    return count


def _shapes(k: Array, a: Array, j: Array) -> Modes:
    """Tip, slope, curvature and forcing of the modes with eigenvalues `k`, all with the modes as last axis."""
    s, c, t, q = np.sin(k), np.cos(k), np.tanh(k), 1 / np.cosh(k)
    below = 1 + c * q + k * a * (t - s * q)
    tip = -2 * s * t / below
    slope = -2 * k * (s + c * t + k * a * (c - q)) / below
    forcing = -2 * (t - s * q + k * a * (1 - c * q)) / (below * k)
    # The integral of phi^2 in closed form, with the mass and its inertia added.
    mass = (tip * tip * (1 + a) + 2 * a * tip * slope + slope * slope * (3 * j + (j * k * k) ** 2)) / 4
    unit = -1 / np.sqrt(mass)
    return Modes(k, tip * unit, slope * unit, -2 * k * k * unit, forcing * unit)


def _eigenvalues(a: Array, j: Array, count: int) -> Array:
    """Roots of the characteristic equation, (..., count).

    A point mass lowers each root of the beam without mass, at most to the one of the clamped and pinned beam; an
    inertia lowers it again, at most to the root before it. Each bracket so holds one root.
    """
    without = np.zeros_like(a)
    point = np.stack([_root(*_bracket(r, a), a, without) for r in range(count)], axis=-1)
    if not np.any(j):
        return point
    before = np.concatenate([np.zeros_like(point[..., :1]), point[..., :-1]], axis=-1)
    return np.stack([_root(before[..., r] + 1e-9, point[..., r], a, j) for r in range(count)], axis=-1)


def _bracket(r: int, a: Array) -> tuple[Array, Array]:
    """Between which the root number `r` (from 0) of a beam with a point mass lies."""
    if r == 0:
        return 0.9 * (3 / (a + 33 / 140)) ** 0.25, np.minimum(1.1 * (3 / (a + 33 / 140)) ** 0.25, 1.8752)
    return np.full(a.shape, (r + 0.25) * np.pi - 1e-3), np.full(a.shape, (r + 0.5) * np.pi + 0.02)


def _root(low: Array, high: Array, a: Array, j: Array) -> Array:
    """The root between `low` and `high`, by Newton's method; a step that leaves the bracket halves it instead."""
    sign = np.sign(_characteristic(low, a, j)[0])
    k = (low + high) / 2
    for _ in range(200):
        value, derivative = _characteristic(k, a, j)
        below = np.sign(value) == sign
        low, high = np.where(below, k, low), np.where(below, high, k)
        step = k - value / np.where(derivative == 0, np.inf, derivative)
        new = np.where((step < low) | (step > high), (low + high) / 2, step)
        done = np.all(np.abs(new - k) <= 4e-16 * k)
        k = new
        if done:
            break
    return k


def _characteristic(k: Array, a: Array, j: Array) -> tuple[Array, Array]:
    """The characteristic function over cosh(k), and its derivative over cosh(k)."""
    s, c, t, q = np.sin(k), np.cos(k), np.tanh(k), 1 / np.cosh(k)
    k2 = k * k
    value = q + c + k * a * (c * t - s) - k2 * k * j * (s + c * t) + a * j * k2 * k2 * (q - c)
    derivative = (
        c * t - s + a * (c * t - s) - 2 * k * a * s * t
        - 3 * k2 * j * (s + c * t) - 2 * k2 * k * j * c
        + 4 * k2 * k * a * j * (q - c) + a * j * k2 * k2 * (s - c * t)
    )  # fmt: skip
    return value, derivative
