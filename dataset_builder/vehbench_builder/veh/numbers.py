"""Numbers as the bank stores them, and those that a brief must state."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from vehbench_hf.types import Design

DIGITS = 6
"""Significant digits of a design in the bank; it is rounded before it is judged."""


def known(value: float | None) -> float:
    """A number of the brief. Raises ValueError when it is withheld."""
    if value is None:
        raise ValueError("the brief withholds a number that is needed")
    return value


def rounded(value: float, digits: int = DIGITS) -> float:
    """`value` at some significant digits."""
    return float(f"{value:.{digits}g}")


def rounded_design(design: Mapping[str, ArrayLike]) -> Design:
    """A design as the bank stores it."""
    return {name: rounded(float(np.asarray(value))) for name, value in design.items()}
