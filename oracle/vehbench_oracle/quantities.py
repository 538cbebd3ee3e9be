"""What a design problem is made of, whatever is designed: variables, metrics, limits and an objective.

Prompts, verdicts and error texts take their names, units and words from these, so that they cannot disagree.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

Side = Literal["upper", "lower", "target"]


class Box(TypedDict):
    """Inclusive range of one design variable, in the variable's unit."""

    min: float
    max: float


class Variable(NamedTuple):
    """A design variable: its name in task files and its symbol, its unit as in `vehbench_hf.parsing.numbers`.

    `low` and `high` say where the model is declared to hold. `log` is true for a variable that is spread over decades:
    its range is divided in log scale. `spellings` are other names by which replies call it.
    """

    name: str
    symbol: str
    unit: str
    meaning: str
    low: float
    high: float
    log: bool = False
    spellings: tuple[str, ...] = ()


class Quantity(NamedTuple):
    """What a verifier reports about a design: symbol, unit as exposed in task files, meaning in a few words."""

    symbol: str
    unit: str
    meaning: str


class Limit(NamedTuple):
    """A limit on a metric: at most `value`, at least `value`, or within `tolerance` of it on both sides.

    `value` and `tolerance` are in `unit`. In the tables of a domain `value` is what holds where a brief says nothing.
    """

    name: str
    metric: str
    kind: Side
    value: float
    unit: str
    meaning: str
    tolerance: float = 0.0

    @property
    def upper(self) -> bool:
        """Whether the metric must stay below."""
        return self.kind == "upper"

    def slack(self, metric: ArrayLike) -> NDArray[np.float64]:
        """How far inside the limit a metric lies, in `unit`: negative where it is broken, NaN for NaN."""
        number = np.asarray(metric, dtype=np.float64)
        if self.kind == "target":
            return np.asarray(self.tolerance - np.abs(number - self.value))
        return np.asarray(self.value - number if self.kind == "upper" else number - self.value)

    def share(self, slack: ArrayLike) -> NDArray[np.float64]:
        """A slack as a share of the limit, or as it is where the limit is zero."""
        return np.asarray(slack) / (abs(self.value) or 1.0)


@dataclass(frozen=True)
class Objective:
    """What is to be made as large, or as small, as possible among the feasible designs.

    `name` and `short` are its words in prompts ("load power", "power"). `column` is the name under which a bank keeps
    its value, in a history and in a reference, `bound_column` that of its proven bound in a reference.
    """

    metric: str
    unit: str
    better: Literal["larger", "smaller"]
    name: str
    short: str
    column: str
    bound_column: str

    @property
    def sign(self) -> float:
        """1 where larger is better, -1 where smaller is: times the value it is to be made large."""
        return 1.0 if self.better == "larger" else -1.0

    def usable(self, reference: float | None) -> float | None:
        """The reference if a value can be rated by it: if it is positive."""
        return reference if reference is not None and reference > 0 else None

    def score(self, value: float, reference: float) -> float:
        """What a feasible value is worth, 1 for the reference itself and more for what is better than it.

        A domain that rates between a worst and a best value has an objective of its own.
        """
        return value / reference if self.better == "larger" else reference / value
