"""Asking the oracle again, and comparing with what a bank stores."""

from collections.abc import Mapping
from math import isclose

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_hf.types import Spec
from vehbench_oracle import LIMITS, VARIABLES, Response, respond, slacks

Array = NDArray[np.float64]

EXACT = 1e-9
"""Largest relative difference between a stored number and the same number computed again."""
DECIMALS = 6
"""Decimals to which bank v1 rounds what it stores."""


def agrees(stored: float, computed: float) -> bool:
    """Whether a stored number is the computed one, in full or rounded to six decimals."""
    if isclose(stored, computed, rel_tol=EXACT, abs_tol=1e-12):
        return True
    return round(stored, DECIMALS) == stored and abs(stored - computed) <= 0.6 * 10**-DECIMALS


def response_of(spec: Spec, design: Mapping[str, ArrayLike]) -> Response:
    """The oracle's answer for one design or a batch under the brief.

    Raises MissingVariableError when the brief withholds its excitation.
    """
    materials, excitation = spec["materials"], spec["excitation"]
    return respond(
        design,
        frequency_hz=excitation["frequency_hz"],  # type: ignore[arg-type]  # the oracle names what is missing
        acceleration_g=excitation["acceleration_g"],  # type: ignore[arg-type]
        piezo=materials["piezo"] or "PZT-5A",
        substrate=materials["substrate"] or "stainless_steel",
        damping_ratio=materials["damping_ratio"],
    )


def least_slack(spec: Spec, design: Mapping[str, ArrayLike]) -> Array:
    """The smallest slack / limit over the four limits, for one design or a batch; negative means infeasible."""
    found = slacks(response_of(spec, design), spec["constraints"])
    least: Array = np.min([shares(spec, name, found[name]) for name in LIMITS], axis=0)
    return least


def shares(spec: Spec, name: str, slack: ArrayLike) -> Array:
    """A slack as a share of its limit, or as it is where the limit is zero."""
    limit = spec["constraints"].get(name)
    return np.asarray(slack) / (abs(LIMITS[name].value if limit is None else limit) or 1.0)


def bounds_of(spec: Spec, name: str) -> tuple[float, float]:
    """The ends of a variable's range. Raises ValueError when the brief withholds them."""
    box = spec["variable_bounds"].get(name)
    if box is None:
        raise ValueError(f"the brief withholds the bounds of {name}")
    return box["min"], box["max"]


def place_of(spec: Spec, design: Mapping[str, float]) -> Array:
    """Where a design lies in its box: 0 to 1 in every variable, the load in log scale; shape (6,)."""
    places = []
    for name in VARIABLES:
        low, high = bounds_of(spec, name)
        if name == "load_resistance_ohm":
            places.append(np.log(design[name] / low) / np.log(high / low))
        else:
            places.append((design[name] - low) / (high - low))
    return np.array(places)


def design_at(spec: Spec, place: Array) -> dict[str, Array]:
    """The design at a place of the box, or the batch at places of shape (6, n)."""
    design = {}
    for row, name in zip(place, VARIABLES, strict=True):
        low, high = bounds_of(spec, name)
        log = name == "load_resistance_ohm"
        design[name] = np.asarray(low * (high / low) ** row if log else low + row * (high - low))
    return design


def centre_of(spec: Spec) -> dict[str, float]:
    """The middle of the box, arithmetic in every variable, as a reader of the bounds would take it."""
    return {name: sum(bounds_of(spec, name)) / 2 for name in VARIABLES}
