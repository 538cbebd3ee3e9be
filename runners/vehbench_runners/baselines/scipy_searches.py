"""Two optimizers that every installation has: differential evolution and SLSQP of scipy, in the unit box.

Neither is tuned on the bank. With 6 queries both have hardly begun: SLSQP needs seven for one gradient.
"""

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle.space import log
from vehbench_oracle.verdict import Verdict
from vehbench_runners.baselines.counted_oracle import CountedOracle, loss

Array = NDArray[np.float64]

POPULATION = 8
"""Of differential evolution; scipy's own default for six variables is 90, a random sample at any budget below that."""
STEP = 1e-6
"""Of the forward differences, as a share of a variable's range; backward where it would leave the box."""
MAX_ITERATIONS = 100
FAR = 1e3
"""How far off the limits a design without a response counts, in logarithms."""


def differential_evolution(oracle: CountedOracle, draw: np.random.Generator) -> None:
    """Differential evolution (best1bin) from random populations, a new one when one has collapsed. Ends by Enough."""
    from scipy import optimize

    variables, objective = len(oracle.problem.variables), oracle.problem.objective
    while True:
        optimize.differential_evolution(
            lambda place: loss(oracle.at_place(place), objective),
            [(0, 1)] * variables,
            init=draw.random((POPULATION, variables)),
            seed=draw,
            tol=0,
            polish=False,
        )


def slsqp(oracle: CountedOracle, draw: np.random.Generator) -> None:
    """SLSQP from random places, one after another, until Enough.

    It climbs the logarithm of the objective, constraints are `Problem.margins`. A limit on the objective is none: the
    climb goes past it where it can be met. A gradient takes a query for the place and one for each variable: each is a
    design that is proposed. A verdict holds objective and metrics, so a place that SLSQP returns to is not asked again
    within one climb.
    """
    from scipy import optimize

    variables = len(oracle.problem.variables)
    while True:
        climb = _Climb(oracle)
        with np.errstate(all="ignore"):
            optimize.minimize(
                lambda place, climb=climb: climb.values(place)[0],
                draw.random(variables),
                jac=lambda place, climb=climb: climb.slopes(place)[0],
                method="SLSQP",
                bounds=[(0, 1)] * variables,
                constraints=[
                    {
                        "type": "ineq",
                        "fun": lambda place, climb=climb: climb.values(place)[1:],
                        "jac": lambda place, climb=climb: climb.slopes(place)[1:],
                    }
                ],
                options={"ftol": 1e-9, "maxiter": MAX_ITERATIONS},
            )


class _Climb:
    """What one run of SLSQP has learned: minus ln(objective) and the margins, one array for each place asked about."""

    def __init__(self, oracle: CountedOracle) -> None:
        self._oracle = oracle
        self._seen: dict[bytes, Array] = {}

    def values(self, place: Array) -> Array:
        inside = np.clip(place, 0, 1)
        key = inside.tobytes()
        if key not in self._seen:
            self._seen[key] = self._values(self._oracle.at_place(inside))
        return self._seen[key]

    def _values(self, verdict: Verdict) -> Array:
        problem = self._oracle.problem
        if not verdict.metrics:
            places = problem.margins(dict.fromkeys(problem.metrics, 1.0))
            return np.array([FAR, *[-FAR] * len(places)])
        value = problem.objective.sign * log(verdict.metrics[problem.objective.metric])
        return np.array([-value, *problem.margins(verdict.metrics)])

    def slopes(self, place: Array) -> Array:
        """Derivatives, shape (values, variables), by differences of which none leaves the box."""
        here, inside = self.values(place), np.clip(place, 0, 1)
        columns = []
        for i in range(inside.size):
            step = STEP if inside[i] + STEP <= 1 else -STEP
            beside = inside.copy()
            beside[i] += step
            columns.append((self.values(beside) - here) / step)
        # Row by row in memory: SLSQP (scipy 1.17) reads a gradient that is not as if it were, without an error.
        return np.stack(columns, axis=1)
