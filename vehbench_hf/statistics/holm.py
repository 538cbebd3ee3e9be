"""Holm's step-down adjustment of several p values (Holm, 1979)."""

from collections.abc import Sequence


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the given order: compared with a level, they bound the chance of any false finding by it."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted
