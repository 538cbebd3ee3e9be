"""The numbers of a brief: its bounds and limits, its response at a design, and how they are rounded."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES, Response, respond

Array = NDArray[np.float64]

DIGITS = 6
"""Significant digits of a design in the bank; it is rounded before it is judged."""


def response_for(spec: Spec, design: Mapping[str, ArrayLike], *, frequency_hz: float | None = None) -> Response:
    """The oracle's response under the brief, at its own excitation or at another frequency (then at 1 g).

    Raises ValueError when the brief withholds the excitation.
    """
    stated = spec["excitation"]
    own = frequency_hz is None
    return respond(
        design,
        frequency_hz=known(stated["frequency_hz"] if own else frequency_hz),
        acceleration_g=known(stated["acceleration_g"]) if own else 1.0,
        piezo=spec["materials"]["piezo"] or "PZT-5A",
        substrate=spec["materials"]["substrate"] or "stainless_steel",
        damping_ratio=spec["materials"]["damping_ratio"],
    )


def unit_box(spec: Spec) -> Callable[[Array], dict[str, Array]]:
    """The map from points of the unit box, shape (6,) or (6, n), to designs; the load is spread in log scale."""
    boxes = [(name, bounds_of(spec, name)) for name in VARIABLES]

    def place(u: Array) -> dict[str, Array]:
        design = {}
        for row, (name, (low, high)) in zip(u, boxes, strict=True):
            log = name == "load_resistance_ohm"
            value = low * (high / low) ** row if log else low + row * (high - low)
            design[name] = np.clip(value, low, high)
        return design

    return place


def bounds_of(spec: Spec, name: str) -> tuple[float, float]:
    """Smallest and largest value of a variable. Raises ValueError when the brief withholds them."""
    box = spec["variable_bounds"][name]
    if box is None:
        raise ValueError(f"the brief withholds the bounds of {name}")
    return box["min"], box["max"]


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
    return {name: rounded(float(np.asarray(design[name]))) for name in VARIABLES}
