"""Numerical optimizers as P2 baselines: each query of the episode is the design the optimizer asks for next.

They are deterministic in (seed, task, epoch): a run taken up again recomputes the designs already asked for. Asking for
more does not change what was asked before. An optimizer sees the brief and the verdicts on its own designs, and asks
for the next design whether or not one was feasible; its result is the best design it has seen. Where the episode goes
on after a feasible design, the last query therefore repeats the best one, because there the last design is the result.
"""

import json
import random
from collections.abc import Callable, Sequence

import numpy as np

from vehbench_hf.types import Design, Message
from vehbench_oracle.domain import Problem
from vehbench_oracle.quantities import Objective
from vehbench_runners.baselines import cma_es, scipy_searches
from vehbench_runners.baselines.counted_oracle import Asked, CountedOracle, Enough

Search = Callable[[CountedOracle, np.random.Generator], None]
"""Asks the oracle design by design and never returns: the oracle ends it by raising Enough."""

SEARCHES: dict[str, Search] = {
    "cma": cma_es.scaled,
    "cma-raw": cma_es.raw,
    "de": scipy_searches.differential_evolution,
    "slsqp": scipy_searches.slsqp,
}
FEWEST = 8
"""Designs computed at once at the least."""


def check_installed(name: str) -> None:
    """Raise UserError where the optimizer needs a package that is not installed."""
    if name.startswith("cma"):
        cma_es.cma_package()


def queries(problem: Problem, name: str, seed_text: str, count: int) -> list[Asked]:
    """The first `count` designs that an optimizer asks for in a brief, with their verdicts.

    `seed_text` stands for seed, task and epoch. The list for a smaller `count` is the beginning of this one.
    """
    oracle = CountedOracle(problem, count)
    try:
        SEARCHES[name](oracle, np.random.default_rng(random.Random(seed_text).getrandbits(64)))
    except Enough:
        return oracle.asked
    raise AssertionError(f"the search {name} returned after {len(oracle.asked)} of {count} queries")


class QuerySequence:
    """The designs of one episode in order, computed when they are needed."""

    def __init__(self, problem: Problem, name: str, seed_text: str) -> None:
        self._problem, self._name, self._seed_text = problem, name, seed_text
        self._known: list[Asked] = []

    def design(self, index: int, *, last: bool) -> Design:
        """The design of query `index`, from 0; `last` says that it is the episode's last, where the best one counts."""
        if index >= len(self._known):
            self._known = queries(self._problem, self._name, self._seed_text, max(FEWEST, 2 * (index + 1)))
        if last and (best := strongest(self._known[:index], self._problem.objective)) is not None:
            return best.design
        return self._known[index].design


def strongest(asked: Sequence[Asked], objective: Objective) -> Asked | None:
    """The feasible query with the best objective, the first of equal ones; None when none is feasible."""
    feasible = [query for query in asked if query.verdict.feasible and query.verdict.objective is not None]
    return max(feasible, key=lambda query: objective.sign * (query.verdict.objective or 0.0), default=None)


def is_last_query(messages: Sequence[Message]) -> bool:
    """Whether the verifier's last answer says that one query is left. Before the first query nothing says so."""
    try:
        left = json.loads(messages[-1]["content"])["queries_left"]
    except (IndexError, KeyError, TypeError, ValueError):
        return False
    return bool(left == 1)
