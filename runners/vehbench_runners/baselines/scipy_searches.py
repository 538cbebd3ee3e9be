"""Two optimizers that every installation has: differential evolution and SLSQP of scipy, in the unit box.

Neither is tuned on the bank. With 6 queries both have hardly begun: SLSQP needs seven for one gradient.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle import VARIABLES, Verdict
from vehbench_runners.baselines.counted_oracle import CountedOracle, loss

Array = NDArray[np.float64]

POPULATION = 8
"""Of differential evolution; scipy's own default for six variables is 90, a random sample at any budget below that."""
STEP = 1e-6
"""Of the forward differences, as a share of a variable's range; backward where it would leave the box."""
MAX_ITERATIONS = 100
SMALLEST = 1e-300
"""Logarithms begin here, so that a limit of zero is far away and no error."""
FAR = 1e3
"""How far off the limits a design without a response counts, in logarithms."""


def differential_evolution(oracle: CountedOracle, draw: np.random.Generator) -> None:
    """Differential evolution (best1bin) from random populations, a new one when one has collapsed. Ends by Enough."""
    from scipy import optimize

    while True:
        optimize.differential_evolution(
            lambda place: loss(oracle.at_place(place)),
            [(0, 1)] * len(VARIABLES),
            init=draw.random((POPULATION, len(VARIABLES))),
            seed=draw,
            tol=0,
            polish=False,
        )


def slsqp(oracle: CountedOracle, draw: np.random.Generator) -> None:
    """SLSQP from random places, one after another, until Enough.

    It climbs ln(power) with the three upper limits as constraints in logarithms. The power target is no constraint: the
    climb goes past it where it can be met. A gradient takes a query for the place and one for each variable: each is a
    design that is proposed. A verdict holds power and slacks, so a place that SLSQP returns to is not asked again
    within one climb.
    """
    from scipy import optimize

    while True:
        climb = _Climb(oracle)
        with np.errstate(all="ignore"):
            optimize.minimize(
                lambda place, climb=climb: climb.values(place)[0],
                draw.random(len(VARIABLES)),
                jac=lambda place, climb=climb: climb.slopes(place)[0],
                method="SLSQP",
                bounds=[(0, 1)] * len(VARIABLES),
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
    """What one run of SLSQP has learned: -ln(power) and four margins, shape (5,), at each place it asked about."""

    def __init__(self, oracle: CountedOracle) -> None:
        self._oracle = oracle
        self._seen: dict[bytes, Array] = {}

    def values(self, place: Array) -> Array:
        inside = np.clip(place, 0, 1)
        key = inside.tobytes()
        if key not in self._seen:
            verdict = self._oracle.at_place(inside)
            frequency_hz = self._oracle.spec["excitation"]["frequency_hz"]
            assert frequency_hz is not None  # there is no verdict without it
            self._seen[key] = _values(verdict, frequency_hz)
        return self._seen[key]

    def slopes(self, place: Array) -> Array:
        """Derivatives, shape (5 values, 6 variables), by differences of which none leaves the box."""
        here, inside = self.values(place), np.clip(place, 0, 1)
        columns = []
        for i in range(inside.size):
            step = STEP if inside[i] + STEP <= 1 else -STEP
            beside = inside.copy()
            beside[i] += step
            columns.append((self.values(beside) - here) / step)
        # Row by row in memory: SLSQP (scipy 1.17) reads a gradient that is not as if it were, without an error.
        return np.stack(columns, axis=1)


def _values(verdict: Verdict, frequency_hz: float) -> Array:
    """-ln(power in uW) and the margins to the limits in logarithms, zero or more where met.

    A limit is the metric plus its slack. The frequency error has a kink at resonance, so both
    sides of it are limits on the frequency ratio.
    """
    if not verdict.metrics:
        return np.array([FAR, *[-FAR] * 4])
    metrics, slack = verdict.metrics, verdict.slack
    stress, displacement = metrics["tip_stress_mpa"], metrics["tip_disp_mm"]
    ratio = _log(metrics["resonant_freq_hz"] / frequency_hz)
    error = (metrics["freq_error_pct"] + slack["freq_error_pct_limit"]) / 100
    return np.array(
        [
            -_log(metrics["load_power_uw"]),
            _log(stress + slack["stress_limit_mpa"]) - _log(stress),
            _log(displacement + slack["disp_limit_mm"]) - _log(displacement),
            _log(1 + error) - ratio,
            ratio - _log(1 - error),
        ]
    )


def _log(value: float) -> float:
    return math.log(max(value, SMALLEST))
