"""What a domain of design problems offers: one object in one folder, so that nothing else knows its words.

A `Problem` is one brief, ready to be asked. Its variables, metrics and limits are those of the brief, which may differ
from row to row. A `Domain` makes problems from briefs and holds what is common to all of them. `vehbench_hf.domains`
lists the domains.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypedDict

from vehbench_oracle.quantities import Box, Limit, Objective, Quantity, Variable
from vehbench_oracle.verdict import Verdict


class Stated(TypedDict):
    """A piece of a brief in words: the name of the field and its text."""

    name: str
    text: str


class Problem(Protocol):
    """The design problem of one brief. What the brief withholds is an error only when it is needed."""

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The design variables by name, in the order in which texts list them."""

    @property
    def metrics(self) -> Mapping[str, Quantity]:
        """What the verifier reports about a design, by name."""

    @property
    def limits(self) -> Mapping[str, Limit]:
        """The limits by name, with the values that hold in this brief."""

    @property
    def objective(self) -> Objective:
        """What a search is to make as good as it can."""

    @property
    def bounds(self) -> Mapping[str, Box | None]:
        """The range of each variable, None where the brief states none."""

    def judge(self, design: Mapping[str, float]) -> Verdict:
        """The verdict on a complete design of finite numbers; never an exception because of its values.

        Raises MissingVariableError when the brief withholds what the verdict needs.
        """

    def margins(self, metrics: Mapping[str, float]) -> list[float]:
        """What a search with gradients keeps at zero or more: a smooth margin to each limit but the objective's.

        The number of margins does not depend on the design. `space.log_margins` is enough where metrics are smooth.
        """

    def shown(self) -> dict[str, Any]:
        """The domain's own part of the brief as a model reads it, as JSON values; what is withheld is absent."""


class OwnColumns(NamedTuple):
    """TypedDicts of the columns that a domain adds to the common ones of a row.

    `brief` stands in `spec` after the limits, `verdict` in a history's verdict after "feasible", `reference` in
    `gold.reference` after the design; `changes` is what a completion of a P1 brief fills in. `verdict` and `reference`
    hold the columns that the domain's `Objective` names.
    """

    brief: type
    verdict: type
    reference: type
    changes: type


@dataclass(frozen=True)
class Domain:
    """One domain. `about` names what is designed, article included; `about_many` the same of many.

    `device` is the Jinja text that tells a model what is designed and how it is judged; it gets the variables, metrics
    and limits of the brief. `variables`, `metrics` and `limits` are those of all its briefs: the columns of a bank.
    `meanings` says what its own columns hold, by path in a row. `examples` are complete briefs (bounds, limits and own
    columns), one for each kind of brief there is; texts are fingerprinted with them. `problem` makes the problem of a
    brief; `fingerprint` is a hash of what the oracle computes.
    """

    name: str
    about: str
    about_many: str
    device: str
    variables: Mapping[str, Variable]
    metrics: Mapping[str, Quantity]
    limits: Mapping[str, Limit]
    columns: OwnColumns
    meanings: Mapping[str, str]
    examples: tuple[Mapping[str, Any], ...]
    problem: Callable[[Mapping[str, Any]], Problem]
    fingerprint: Callable[[], str]
