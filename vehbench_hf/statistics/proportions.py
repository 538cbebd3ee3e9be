"""Wilson's interval for a proportion (Wilson, 1927)."""

from math import sqrt
from statistics import NormalDist

from vehbench_hf.statistics.bootstrap import LEVEL


def wilson_interval(numerator: float, of: float, *, level: float = LEVEL) -> tuple[float, float] | None:
    """Interval in [0, 1] for `numerator` events out of `of` independent ones; None for 0 of 0.

    It takes the events as independent, so it is too narrow where tasks of one paper fail together.

    Raises ValueError unless 0 <= numerator <= of.
    """
    if not 0 <= numerator <= of:
        raise ValueError(f"a proportion needs 0 <= numerator <= of, got {numerator} of {of}")
    if of == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate, spread = numerator / of, z * z / of
    middle = (rate + spread / 2) / (1 + spread)
    half = z * sqrt(rate * (1 - rate) / of + spread / (4 * of)) / (1 + spread)
    # At the ends the formula gives 0 or 1 up to rounding.
    return (0.0 if numerator == 0 else middle - half), (1.0 if numerator == of else middle + half)
