"""Interval arithmetic on arrays: each result contains every result of the operation on members of its operands.

An end that overflows or is undefined is infinite or NaN, with numpy's warnings; NaN compares false, so that it excludes
nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

PUSH = 1e-12
"""Every result is widened by this share: thousands of times what one operation loses in floating point."""


@dataclass(frozen=True)
class Interval:
    """Ranges with ends `low` and `high`, arrays or numbers; empty where `low` is above `high`."""

    low: Array
    high: Array

    @classmethod
    def of(cls, low: ArrayLike, high: ArrayLike) -> "Interval":
        """The range between two ends, widened."""
        low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        return cls(low - PUSH * np.abs(low), high + PUSH * np.abs(high))

    def __add__(self, other: "Interval | float") -> "Interval":
        other = _interval(other)
        # A difference may be small beside its operands, whose size decides what rounding costs.
        size = PUSH * (_size(self) + _size(other))
        return Interval(self.low + other.low - size, self.high + other.high + size)

    def __sub__(self, other: "Interval | float") -> "Interval":
        other = _interval(other)
        return self + Interval(-other.high, -other.low)

    def __mul__(self, other: "Interval | float") -> "Interval":
        other = _interval(other)
        return _hull(self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, other: "Interval | float") -> "Interval":
        """By positive members of the divisor only; unbounded above, or on both sides, where those come near zero."""
        other = _interval(other)
        least = np.where(other.low > 0, 1 / np.where(other.low > 0, other.low, 1.0), np.inf)
        inverse = Interval(1 / other.high, least)
        ends = [a * b for a in (self.low, self.high) for b in (inverse.low, inverse.high)]
        quotient = _hull(*ends)
        known = (other.high > 0) & ~np.isnan(quotient.low)
        return Interval(np.where(known, quotient.low, -np.inf), np.where(known, quotient.high, np.inf))

    def __rtruediv__(self, other: float) -> "Interval":
        return _interval(other) / self

    def squared(self) -> "Interval":
        """The square of each member."""
        least = np.maximum(0.0, np.maximum(self.low, -self.high))
        return Interval.of(least * least, np.maximum(self.low * self.low, self.high * self.high))

    def root(self) -> "Interval":
        """The square root of each member that has one."""
        return Interval.of(np.sqrt(np.maximum(0.0, self.low)), np.sqrt(np.maximum(0.0, self.high)))

    def meet(self, *others: "Interval") -> "Interval":
        """What lies in all of them."""
        low, high = self.low, self.high
        for other in others:
            low, high = np.maximum(low, other.low), np.minimum(high, other.high)
        return Interval(low, high)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Where no member is left."""
        return np.asarray(self.low > self.high)


def rising(function: Callable[..., Array], *arguments: Interval) -> Interval:
    """The values of a function that grows with each of its arguments."""
    return Interval.of(function(*(v.low for v in arguments)), function(*(v.high for v in arguments)))


def peaked(function: Callable[[Array], Array], argument: Interval, peak: float) -> Interval:
    """The values of a function that grows up to `peak` and falls beyond."""
    ends = function(argument.low), function(argument.high)
    top = function(np.clip(peak, argument.low, argument.high))
    return Interval.of(np.minimum(*ends), top)


def highest(values: Array) -> Interval:
    """What is known of a quantity that is not negative and of which only an upper bound matters."""
    return Interval.of(np.zeros_like(values), values)


def _interval(value: Interval | float) -> Interval:
    return value if isinstance(value, Interval) else Interval(np.asarray(value), np.asarray(value))


def _size(value: Interval) -> Array:
    return np.maximum(np.abs(value.low), np.abs(value.high))


def _hull(*products: Array) -> Interval:
    same = np.broadcast_arrays(*products)
    return Interval.of(np.minimum.reduce(same), np.maximum.reduce(same))
