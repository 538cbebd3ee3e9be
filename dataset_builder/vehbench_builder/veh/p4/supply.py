"""Designs to choose the candidates of a pool from: changes of known designs, evaluated in large numbers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehbench_builder.veh.numbers import rounded
from vehbench_builder.veh.p4.policy import amplitude_margin
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import Array, designs_at, places_of
from vehbench_oracle.veh.domain import problem_of_brief

LEAST_SLACK = 0.005
"""Every candidate keeps this share of every limit in hand."""
ROUND = 8_000
"""Designs drawn around the reference, and again, twice, around feasible ones that were found before."""
SIZES = (0.02, 0.2)
"""Standard deviations of a change, as shares of a variable's range."""
SHARES_CHANGED = (0.3, 0.6, 1.0)
"""How many of the variables are changed in a design, on average."""


class Supply(NamedTuple):
    """Designs to choose from: places in the unit box (n, 6), powers in uW (n,), slack / limit as in LIMITS (n, 4)."""

    u: Array
    power: Array
    slack: Array
    columns: dict[str, Array]

    @property
    def margin(self) -> Array:
        """The amplitude margin S of every design, shape (n,)."""
        return amplitude_margin(self.slack)

    def design(self, index: int) -> Design:
        """One design as the bank stores it."""
        return {name: float(self.columns[name][index]) for name in VARIABLES}

    def only(self, kept: NDArray[np.bool_]) -> "Supply":
        """The designs that are marked in `kept`, shape (n,)."""
        columns = {name: values[kept] for name, values in self.columns.items()}
        return Supply(self.u[kept], self.power[kept], self.slack[kept], columns)


def feasible_around(spec: Spec, reference: Design, draw: np.random.Generator) -> Supply:
    """Designs near `reference` and farther away that keep `LEAST_SLACK` of every limit."""
    centres = places_in(spec, [reference])
    rounds: list[Supply] = []
    for _ in range(3):
        designs = evaluated(spec, changed(centres, draw))
        rounds.append(designs.only(np.asarray((designs.slack >= LEAST_SLACK).all(axis=1))))
        reached = np.concatenate([part.u for part in rounds])
        centres = reached if len(reached) else centres
    return Supply(
        u=np.concatenate([part.u for part in rounds]),
        power=np.concatenate([part.power for part in rounds]),
        slack=np.concatenate([part.slack for part in rounds]),
        columns={name: np.concatenate([part.columns[name] for part in rounds]) for name in VARIABLES},
    )


def changed(centres: Array, draw: np.random.Generator) -> Array:
    """`ROUND` places in the unit box, shape (ROUND, 6), each a centre with some or all variables changed."""
    smallest, largest = SIZES
    size = np.exp(draw.uniform(np.log(smallest), np.log(largest), (ROUND, 1)))
    touched = draw.random((ROUND, len(VARIABLES))) < draw.choice(SHARES_CHANGED, (ROUND, 1))
    change = size * touched * draw.standard_normal((ROUND, len(VARIABLES)))
    return np.asarray(np.clip(centres[draw.integers(len(centres), size=ROUND)] + change, 0.0, 1.0))


def evaluated(spec: Spec, u: Array) -> Supply:
    """The designs at places in the unit box, shape (n, 6), rounded as the bank stores them and then evaluated."""
    problem = problem_of_brief(spec)
    columns = {name: np.array([rounded(v) for v in values]) for name, values in designs_at(problem, u.T).items()}
    response = problem.respond(columns)
    slacks = [limit.share(limit.slack(getattr(response, limit.metric))) for limit in problem.limits.values()]
    power = np.asarray(response.load_power_uw)
    return Supply(places_of(problem, columns).T, power, np.column_stack(slacks), columns)


def places_in(spec: Spec, designs: Sequence[Design]) -> Array:
    """Places of designs in the unit box of a brief, shape (n, 6)."""
    problem = problem_of_brief(spec)
    return np.array([places_of(problem, design) for design in designs])
