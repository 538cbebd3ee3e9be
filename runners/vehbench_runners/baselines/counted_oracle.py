"""The oracle of one P2 brief as an optimizer sees it: a design in, a verdict out, and every question is counted.

An optimizer gets exact verdicts; a model reads them at six digits. Nothing here knows the task's gold.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_hf.types import Design
from vehbench_oracle.domain import Problem
from vehbench_oracle.quantities import Objective
from vehbench_oracle.space import clipped, design_at
from vehbench_oracle.verdict import Verdict

Place = Sequence[float] | NDArray[np.float64]
"""A share in [0, 1] of the range of each variable, in the problem's order."""

UNEVALUABLE = 1e12
"""Loss of a design for which the oracle has no numbers: worse than any that it can judge."""
FAR_BELOW = 1e9
"""Taken off an objective that is to be small, so that feasible designs are better than infeasible ones."""


class Asked(NamedTuple):
    """One query: the design and the oracle's verdict on it."""

    design: Design
    verdict: Verdict


class Enough(Exception):
    """As many queries were asked as were wanted. It ends a search from within, whatever library runs it."""


class CountedOracle:
    """The verdicts on the designs of one brief, at most `queries` of them; all are kept in `asked`, in order."""

    def __init__(self, problem: Problem, queries: int) -> None:
        self.problem, self.queries = problem, queries
        self.asked: list[Asked] = []

    def at_place(self, place: Place) -> Verdict:
        """The verdict at a place of the unit box. Raises Enough in place of a query too many."""
        return self.at_design(design_at(self.problem, place))

    def at_design(self, design: Design) -> Verdict:
        """The verdict on a design, moved into the box where it is off. Raises Enough in place of a query too many."""
        if len(self.asked) >= self.queries:
            raise Enough
        inside = clipped(self.problem, design)
        verdict = self.problem.judge(inside)
        self.asked.append(Asked(inside, verdict))
        return verdict


def loss(verdict: Verdict, objective: Objective) -> float:
    """What a search makes small: the objective, negative where larger is better, or 1 + the total violation.

    Where larger is better every feasible design is thus below every infeasible one; else FAR_BELOW sees to it.
    """
    if verdict.objective is None:
        return UNEVALUABLE
    return _feasible_loss(verdict.objective, objective) if verdict.feasible else 1 + verdict.total_violation


def raw_loss(verdict: Verdict, objective: Objective) -> float:
    """The same with the violations as they are: slacks in different units are added up, as the authors' script does."""
    if verdict.objective is None:
        return UNEVALUABLE
    if verdict.feasible:
        return _feasible_loss(verdict.objective, objective)
    return 1 + sum(max(0.0, -value) for value in verdict.slack.values())


def _feasible_loss(value: float, objective: Objective) -> float:
    return -value if objective.better == "larger" else value - FAR_BELOW
