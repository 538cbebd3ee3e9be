"""Reading numbers that may be anything: each failure is a typed error that names the quantity."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_oracle.errors import InvalidValueError, MissingVariableError


def as_numbers(name: str, value: ArrayLike | None) -> NDArray[np.float64]:
    """`value` as floats of any shape; text, truth values and objects are not numbers.

    Raises MissingVariableError for null, InvalidValueError for everything else that is no number.
    """
    if value is None:
        raise MissingVariableError(name, f"{name} is missing")
    try:
        # Python integers have no limit; numpy would keep large ones as objects.
        raw = np.asarray(float(value) if type(value) is int else value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidValueError(name, f"{name} must be a number, got {type(value).__name__}") from None
    if raw.dtype.kind not in "iuf":
        raise InvalidValueError(name, f"{name} must be a number, got {str(value)[:40]!r}")
    return raw.astype(np.float64, copy=False)


def positive(name: str, value: ArrayLike | None, *, zero_allowed: bool = False) -> NDArray[np.float64]:
    """`value` as finite positive floats of any shape; raises as `as_numbers`, and for values out of range."""
    numbers = as_numbers(name, value)
    if numbers.size == 0:
        return numbers
    lowest, highest = (numbers.min(), numbers.max()) if numbers.ndim else (numbers, numbers)
    # NaN propagates through min and max and fails both comparisons.
    if not (highest < np.inf and (lowest >= 0 if zero_allowed else lowest > 0)):
        kind = "finite and not negative" if zero_allowed else "finite and positive"
        good = np.isfinite(numbers) & ((numbers >= 0) if zero_allowed else (numbers > 0))
        bad = float(np.ravel(numbers)[int(np.argmin(np.ravel(good)))])
        raise InvalidValueError(name, f"{name} must be {kind}, got {bad!r}")
    return numbers


def finite(name: str, value: float | None) -> float:
    """`value` as one finite float. Raises as `as_numbers` does, and for NaN, infinities and arrays."""
    number = as_numbers(name, value)
    if number.ndim or not np.isfinite(number):
        raise InvalidValueError(name, f"{name} must be one finite number, got {str(value)[:40]}")
    return float(number)
