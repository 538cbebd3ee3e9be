"""The smallest domain: one or two resistors. Its briefs are of two kinds, which differ in variables and metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from vehbench_oracle.domain import Domain, OwnColumns
from vehbench_oracle.quantities import Box, Limit, Objective, Quantity, Variable
from vehbench_oracle.space import log_margins
from vehbench_oracle.verdict import Verdict, box_violations, verdict_on

VARIABLES = {
    "top_ohm": Variable("top_ohm", "R1", "ohm", "upper resistor", 1.0, 1e6, log=True, spellings=("r1",)),
    "bottom_ohm": Variable("bottom_ohm", "R2", "ohm", "lower resistor", 1.0, 1e6, log=True, spellings=("r2",)),
}
METRICS = {"loss_mw": Quantity("P", "mW", "power lost"), "output_v": Quantity("U", "V", "output voltage")}
LIMITS = {
    "loss_limit_mw": Limit("loss_limit_mw", "loss_mw", "upper", 100.0, "mW", "largest loss"),
    "output_target_v": Limit("output_target_v", "output_v", "target", 1.0, "V", "output voltage wanted", 0.2),
}
OBJECTIVE = Objective("loss_mw", "mW", "smaller", "lost power", "loss", "loss_mw", "least_loss_mw")


class Supply(TypedDict, total=False):
    """The supply voltage."""

    supply_v: float | None


class Loss(TypedDict, total=False):
    """The loss of a history step."""

    loss_mw: float


class Reference(TypedDict, total=False):
    """The loss of a reference, and what no feasible design comes below."""

    loss_mw: float | None
    least_loss_mw: float | None


@dataclass(frozen=True)
class ToyProblem:
    """A divider, or a single resistor where the brief has no bounds for the lower one."""

    bounds: Mapping[str, Box | None]
    constraints: Mapping[str, float | None]
    supply_v: float
    objective: Objective = OBJECTIVE

    @property
    def divides(self) -> bool:
        return self.bounds.get("bottom_ohm") is not None

    @property
    def variables(self) -> Mapping[str, Variable]:
        return VARIABLES if self.divides else {"top_ohm": VARIABLES["top_ohm"]}

    @property
    def metrics(self) -> Mapping[str, Quantity]:
        return METRICS if self.divides else {"loss_mw": METRICS["loss_mw"]}

    @property
    def limits(self) -> Mapping[str, Limit]:
        known = {n: k for n, k in LIMITS.items() if k.metric in self.metrics}
        return {n: k._replace(value=self.constraints.get(n) or k.value) for n, k in known.items()}

    def judge(self, design: Mapping[str, float]) -> Verdict:
        outside = box_violations(self.variables, design, self.bounds)
        total = max(sum(design[name] for name in self.variables), 1e-9)
        metrics = {"loss_mw": 1e3 * self.supply_v**2 / total}
        if self.divides:
            metrics["output_v"] = self.supply_v * design["bottom_ohm"] / total
        return verdict_on(metrics, outside, limits=self.limits, quantities=self.metrics, objective=OBJECTIVE)

    def margins(self, metrics: Mapping[str, float]) -> list[float]:
        return log_margins({n: k for n, k in self.limits.items() if k.metric != OBJECTIVE.metric}, metrics)

    def shown(self) -> dict[str, Any]:
        return {"supply_v": self.supply_v}


BOX = {"min": 100.0, "max": 1e4}
SINGLE = {"variable_bounds": {"top_ohm": BOX}, "constraints": {"loss_limit_mw": 50.0}, "supply_v": 5.0}
DIVIDER = {
    "variable_bounds": {"top_ohm": BOX, "bottom_ohm": BOX},
    "constraints": {"loss_limit_mw": 50.0, "output_target_v": 2.5},
    "supply_v": 5.0,
}

TOY = Domain(
    name="toy",
    about="a circuit of resistors",
    about_many="circuits of resistors",
    device="{% for name, q in variables.items() %}{{ name }}: {{ q.meaning }}\n{% endfor %}",
    variables=VARIABLES,
    metrics=METRICS,
    limits=LIMITS,
    columns=OwnColumns(Supply, Loss, Reference, Supply),
    meanings={"spec.supply_v": "supply voltage (V)"},
    examples=(SINGLE, DIVIDER),
    problem=lambda brief: ToyProblem(brief["variable_bounds"], brief["constraints"], brief["supply_v"] or 1.0),
    fingerprint=lambda: "toy",
)
