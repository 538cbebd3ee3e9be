"""The oracle of one P2 brief as an optimizer sees it: six numbers in, a verdict out, and every question is counted.

An optimizer gets exact verdicts; a model reads them at six digits. Nothing here knows the task's gold.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES, Verdict

Place = Sequence[float] | NDArray[np.float64]
"""A share in [0, 1] of the range of each variable, in the order of `VARIABLES`."""

UNEVALUABLE = 1e12
"""Loss of a design for which the oracle has no numbers: worse than any that it can judge."""


class Asked(NamedTuple):
    """One query: the design and the oracle's verdict on it."""

    design: Design
    verdict: Verdict


class Enough(Exception):
    """As many queries were asked as were wanted. It ends a search from within, whatever library runs it."""


class CountedOracle:
    """The verdicts on the designs of one brief, at most `queries` of them; all are kept in `asked`, in order."""

    def __init__(self, spec: Spec, queries: int) -> None:
        self.spec, self.queries = spec, queries
        self.asked: list[Asked] = []

    def at_place(self, place: Place) -> Verdict:
        """The verdict at a place of the unit box. Raises Enough in place of a query too many."""
        return self.at_design(design_at(self.spec, place))

    def at_design(self, design: Design) -> Verdict:
        """The verdict on a design, moved into the box where it is off. Raises Enough in place of a query too many."""
        if len(self.asked) >= self.queries:
            raise Enough
        inside = {}
        for name in VARIABLES:
            low, high = range_of(self.spec, name)
            inside[name] = min(max(float(design[name]), low), high)
        verdict = judge_for(self.spec, inside)
        self.asked.append(Asked(inside, verdict))
        return verdict


def range_of(spec: Spec, name: str) -> tuple[float, float]:
    """Smallest and largest value of a variable, in its unit. Raises ValueError where the brief states no range."""
    box = spec["variable_bounds"][name]
    if box is None:
        raise ValueError(f"the brief has no bounds for {name}")
    return box["min"], box["max"]


def design_at(spec: Spec, place: Place) -> Design:
    """The design at a place of the unit box: the load in log scale, the other variables linear."""
    design = {}
    for name, share in zip(VARIABLES, place, strict=True):
        low, high = range_of(spec, name)
        if name == "load_resistance_ohm":
            value = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            value = low + share * (high - low)
        design[name] = min(max(float(value), low), high)
    return design


def loss(verdict: Verdict) -> float:
    """What a search makes small: minus the power in uW where feasible, else 1 + the total normalized violation.

    Every feasible design is thus below every infeasible one.
    """
    if verdict.objective is None:
        return UNEVALUABLE
    return -verdict.objective if verdict.feasible else 1 + verdict.total_violation


def raw_loss(verdict: Verdict) -> float:
    """The same with the violations as they are: MPa, mm, percent and uW are added up, as the authors' script does."""
    if verdict.objective is None:
        return UNEVALUABLE
    return -verdict.objective if verdict.feasible else 1 + sum(max(0.0, -value) for value in verdict.slack.values())
