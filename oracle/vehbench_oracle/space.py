"""Box and place: a design of a brief as a point of the unit cube, and back.

A place has a number from 0 to 1 for each variable, in the problem's order; variables with `log` are divided in log
scale. Batches have places of shape (variables, n).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_oracle.checks import finite
from vehbench_oracle.errors import MissingVariableError
from vehbench_oracle.quantities import Box, Limit, Variable

Array = NDArray[np.float64]


class Space(Protocol):
    """The part of a problem that is read here."""

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The variables in order."""

    @property
    def bounds(self) -> Mapping[str, Box | None]:
        """The range of each."""


def range_of(space: Space, name: str) -> tuple[float, float]:
    """Smallest and largest value of a variable, in its unit. Raises MissingVariableError where the brief has none."""
    box = space.bounds.get(name)
    if box is None:
        raise MissingVariableError(name, f"the range of {name} is missing")
    return finite(f"minimum of {name}", box["min"]), finite(f"maximum of {name}", box["max"])


def designs_at(space: Space, places: ArrayLike) -> dict[str, Array]:
    """The designs at places of shape (variables,) or (variables, n), inside their box to the last bit."""
    rows = np.asarray(places, dtype=np.float64)
    designs = {}
    for (name, variable), row in zip(space.variables.items(), rows, strict=True):
        low, high = range_of(space, name)
        value = low * (high / low) ** row if variable.log else low + row * (high - low)
        designs[name] = np.asarray(np.clip(value, low, high))
    return designs


def design_at(space: Space, place: Sequence[float] | Array) -> dict[str, float]:
    """The one design at a place of shape (variables,), as plain numbers."""
    return {name: float(value) for name, value in designs_at(space, place).items()}


def places_of(space: Space, designs: Mapping[str, ArrayLike]) -> Array:
    """Where designs lie in their box, shape (variables, ...): outside 0 to 1 beside it, NaN where a range is empty."""
    rows = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for name, variable in space.variables.items():
            low, high = range_of(space, name)
            value = np.asarray(designs[name], dtype=np.float64)
            rows.append(np.log(value / low) / np.log(high / low) if variable.log else (value - low) / (high - low))
    return np.array(rows)


def clipped(space: Space, design: Mapping[str, float]) -> dict[str, float]:
    """The design moved into its box where it is off."""
    inside = {}
    for name in space.variables:
        low, high = range_of(space, name)
        inside[name] = min(max(float(design[name]), low), high)
    return inside


def centre(space: Space) -> dict[str, float]:
    """The middle of the box, arithmetic in every variable, as a reader of the bounds would take it."""
    return {name: sum(range_of(space, name)) / 2 for name in space.variables}


def least_slack(limits: Mapping[str, Limit], metrics: Mapping[str, ArrayLike]) -> Array:
    """The smallest slack / limit over some limits, for the metrics of a design or a batch; negative: infeasible."""
    shares = [limit.share(limit.slack(metrics[limit.metric])) for limit in limits.values()]
    return np.asarray(np.min(np.broadcast_arrays(*shares), axis=0))


SMALLEST = 1e-300
"""Logarithms begin here, so that a limit of zero is far away and no error."""


def log_margins(limits: Mapping[str, Limit], metrics: Mapping[str, float]) -> list[float]:
    """ln(limit / metric) for each upper limit, the reverse for each lower one, both for each target."""
    margins: list[float] = []
    for limit in limits.values():
        value = log(metrics[limit.metric])
        if limit.kind != "lower":
            margins.append(log(limit.value + limit.tolerance) - value)
        if limit.kind != "upper":
            margins.append(value - log(limit.value - limit.tolerance))
    return margins


def log(value: float) -> float:
    """The natural logarithm, of `SMALLEST` for what is smaller."""
    return math.log(max(value, SMALLEST))
