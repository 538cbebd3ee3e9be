"""A second optimizer that shares neither formulas, coordinates nor method with the first: differential evolution.

It evolves the six variables themselves through the oracle, over the whole box and then around the best design. Of two
designs the less infeasible one survives, of two feasible ones the stronger (Storn and Price 1997,
doi:10.1023/A:1008202821328; Deb 2000, doi:10.1016/S0045-7825(99)00389-8).
"""

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle import Certificate, CertificateError, verify_certificate
from vehbench_oracle.veh.optimum import AGREEMENT, Optimum, rounded, smallest_slack
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.quantities import LIMITS, UPPER_LIMITS, VARIABLES

Array = NDArray[np.float64]

STAGES = ((0.5, 200, 300), (0.1, 64, 150), (0.02, 64, 150))
"""Half-width around the best design so far as a share of the box, population, generations; the second run takes twice
the population and generations, and so on."""

ROUNDING = 1e-9
"""Slack kept for rounding the design."""


def cross_check(
    problem: VehProblem,
    *,
    seed: int = 0,
    runs: int = 4,
    expected_uw: float | None = None,
    min_slack: float = 1e-6,
    digits: int = 12,
) -> Optimum | None:
    """The strongest design that up to `runs` evolutions find; the other arguments and the result are `find_optimum`'s.

    The first run that comes within 0.1 % of `expected_uw` or above is the last. None when no run finds a feasible
    design. Equal arguments give equal results with equal versions of numpy.
    """
    found: list[tuple[float, float, dict[str, float]]] = []
    runs_done = 0
    for run in range(runs):
        runs_done += 1
        draw = np.random.default_rng([seed, run])
        design = rounded(problem, _evolve(problem, draw, run + 1, min_slack + ROUNDING), digits)
        slack = smallest_slack(problem, design)
        if slack >= min_slack:
            found.append((float(problem.respond(design).load_power_uw), slack, design))
            if expected_uw is not None and found[-1][0] >= (1 - AGREEMENT) * expected_uw:
                break
    if not found:
        return None
    power, slack, design = max(found, key=lambda one: one[0])
    reached = sum(one[0] >= (1 - AGREEMENT) * power for one in found)
    return Optimum(design, power, slack, runs_done, reached)


def certificate_holds(problem: VehProblem, target_uw: float, certificate: Certificate | str) -> bool:
    """Whether `verify_certificate` finds nothing wrong."""
    try:
        verify_certificate(problem, target_uw, certificate)
    except CertificateError:
        return False
    return True


def disagreement(first: Optimum, second: Optimum) -> float:
    """By what share the smaller power of two results is below the larger one."""
    low, high = sorted((first.power_uw, second.power_uw))
    return 1 - low / high


def _evolve(problem: VehProblem, draw: np.random.Generator, effort: int, min_slack: float) -> dict[str, float]:
    best = np.full((len(VARIABLES), 1), 0.5)
    for half_width, population, generations in STAGES:
        low, high = np.maximum(best - half_width, 0), np.minimum(best + half_width, 1)
        place = low + (high - low) * draw.random((len(VARIABLES), effort * population))
        place[:, :1] = best
        best = _stage(problem, draw, place, low, high, effort * generations, min_slack)
    return {name: float(value[0]) for name, value in _designs(problem, best).items()}


def _stage(
    problem: VehProblem,
    draw: np.random.Generator,
    place: Array,
    low: Array,
    high: Array,
    generations: int,
    min_slack: float,
) -> Array:
    """The best place, shape (6, 1), after some generations of rand/1 with binomial crossover."""
    n, population = place.shape
    power, excess = _rated(problem, place, min_slack)
    for _ in range(generations):
        a, b, c = draw.integers(population, size=(3, population))
        trial = place[:, c] + draw.uniform(0.3, 0.9, population) * (place[:, a] - place[:, b])
        crossed = draw.random((n, population)) < 0.9
        crossed[draw.integers(n, size=population), np.arange(population)] = True
        trial = np.clip(np.where(crossed, trial, place), low, high)
        new_power, new_excess = _rated(problem, trial, min_slack)
        better = (new_excess < excess) | ((new_excess == excess) & (new_power >= power))
        place = np.where(better, trial, place)
        power, excess = np.where(better, new_power, power), np.where(better, new_excess, excess)
    return place[:, [np.lexsort((-power, excess))[0]]]


def _designs(problem: VehProblem, place: Array) -> dict[str, Array]:
    """The designs at places of the unit box; the load is spread in log scale."""
    found = {}
    for row, name in zip(place, VARIABLES, strict=True):
        low, high = problem.range_of(name)
        log = name == "load_resistance_ohm"
        found[name] = np.clip(low * (high / low) ** row if log else low + row * (high - low), low, high)
    return found


def _rated(problem: VehProblem, place: Array, min_slack: float) -> tuple[Array, Array]:
    """Power, and the sum of the relative excess over the upper limits less `min_slack`."""
    response = problem.respond(_designs(problem, place))
    excess = np.zeros(place.shape[1])
    for name in UPPER_LIMITS:
        limit = problem.limit(name)
        over = getattr(response, LIMITS[name].metric) - (1 - min_slack) * limit
        excess += np.maximum(0.0, over) / (limit or 1.0)
    return response.load_power_uw, excess
