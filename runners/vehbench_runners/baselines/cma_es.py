"""CMA-ES (Hansen 2016, arXiv:1604.00772) through the package `cma`, scaled and as the paper's authors ran it.

Both draw populations of 8 with an initial sigma of 0.15 (appendix M of the paper) about the centre of the box. `scaled`
searches the unit box, in log scale where a variable has one. `raw` searches the variables in their units with one step
for all, 0.15 times the mean of their ranges, which is the step of the released script. One range may be nearly all of
that mean (that of a resistance in ohm): the step is then many times the range of every other variable, where the
package cuts it to a third of the range, and a small part of the large one. Its loss adds violations in different units.

Where the released script differs from `raw`: it divides a feasible power by the task's reference and stops at 95 % of
it. The first changes nothing, because CMA-ES reads ranks alone; the second needs the gold and is left out. It takes a
population of the budget where that is below 8; one unfinished generation of 8 asks for the same designs.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vehbench_hf.errors import UserError
from vehbench_oracle.space import range_of
from vehbench_runners.baselines.counted_oracle import CountedOracle, loss, raw_loss

POPULATION = 8
SIGMA = 0.15
_NARROWEST = 1e-9
"""Width that a fixed variable gets, as a share of its size: the package takes no empty range."""


def scaled(oracle: CountedOracle, draw: np.random.Generator) -> None:
    """CMA-ES in the unit box. Ends by the oracle's Enough."""
    n, objective = len(oracle.problem.variables), oracle.problem.objective
    _search(lambda place: loss(oracle.at_place(place), objective), np.zeros(n), np.ones(n), SIGMA, draw)


def raw(oracle: CountedOracle, draw: np.random.Generator) -> None:
    """CMA-ES in the variables' own units, one step for all of them. Ends by the oracle's Enough."""
    names, objective = tuple(oracle.problem.variables), oracle.problem.objective
    low, high = np.array([range_of(oracle.problem, name) for name in names]).T
    sigma = SIGMA * float(np.mean(high - low)) or SIGMA
    high = np.maximum(high, low + _NARROWEST * np.maximum(1, np.abs(low)))

    def value_at(point: Sequence[float]) -> float:
        return raw_loss(oracle.at_design(dict(zip(names, point, strict=True))), objective)

    _search(value_at, low, high, sigma, draw)


def cma_package() -> Any:
    """The package `cma`. Raises UserError with what to install where it is absent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns that there is no matplotlib, which only its plots need
            import cma
    except ImportError:
        raise UserError(
            "the baselines baseline/cma and baseline/cma-raw need the package cma, which is not installed: "
            "pip install 'vehbench-hf[cma]'."
        ) from None
    return cma


def _search(
    value_at: Callable[[Sequence[float]], float],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    sigma: float,
    draw: np.random.Generator,
) -> None:
    """One CMA-ES after another: the first from the centre, those after it from a random point, until Enough."""
    cma = cma_package()
    options = {
        "popsize": POPULATION,
        "bounds": [low.tolist(), high.tolist()],
        # The package would seed and use numpy's global generator, which a second search would share.
        "seed": np.nan,
        "randn": lambda *shape: draw.standard_normal(shape),
        "verbose": -9,
        "verb_log": 0,
    }
    start = (low + high) / 2
    while True:
        strategy = cma.CMAEvolutionStrategy(start.tolist(), sigma, options)
        while not strategy.stop():
            points = strategy.ask()
            strategy.tell(points, [value_at(point) for point in points])
        start = low + draw.random(low.size) * (high - low)
