"""How far the labels of a bank carry: its designs under the distributed beam, and under an oracle with other inputs.

A report, no check: labels are statements about the oracle, and nothing here changes one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from vehbench_builder.veh.audit.stated_policy import Judged, expected_order, stated_weights
from vehbench_hf.types import Design, Task
from vehbench_oracle.veh import materials
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO, respond
from vehbench_oracle.veh.distributed import respond_distributed
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.quantities import METRICS, OBJECTIVE
from vehbench_oracle.verdict import Verdict, evaluable, unevaluable, verdict_on

Metrics = dict[str, float]
Model = Callable[[VehProblem, Design, np.random.Generator], Metrics]
"""The five metrics of a design under a brief; the generator draws what is uncertain, alike within a task."""

RATIOS = ("resonant_freq_hz", "load_power_uw", "tip_disp_mm", "tip_stress_mpa")
LIGHT_TIP = 0.1
"""Tip mass over beam mass below which a tip is called light."""


def oracle(problem: VehProblem, design: Design, _: np.random.Generator) -> Metrics:
    """The oracle itself."""
    return _metrics(respond(design, **problem.setting))


def distributed(problem: VehProblem, design: Design, _: np.random.Generator) -> Metrics:
    """The distributed beam in three modes."""
    return _metrics(respond_distributed(design, **problem.setting))


def uncertain(*, damping: float = 1.0, modulus: float = 0.0, thickness: float = 0.0, coupling: float = 0.0) -> Model:
    """The oracle with inputs that are off: damping by that factor up or down, all others normally by these shares.

    `modulus` is of the piezo layer, that of the substrate is off by 0.6 of it; `coupling` is of d31 and permittivity.
    """

    def model(problem: VehProblem, design: Design, draw: np.random.Generator) -> Metrics:
        setting = dict(problem.setting)
        piezo, substrate = materials.piezo(problem.setting["piezo"]), materials.substrate(problem.setting["substrate"])
        off = np.exp(draw.normal(size=6) * (modulus, 0.6 * modulus, thickness, thickness, coupling, coupling))
        zeta = DEFAULT_DAMPING_RATIO if problem.damping_ratio is None else problem.damping_ratio
        setting["damping_ratio"] = zeta * damping ** draw.choice((-1.0, 1.0))
        setting["piezo"] = piezo._replace(
            youngs_modulus=piezo.youngs_modulus * off[0],
            d31=piezo.d31 * off[4],
            relative_permittivity=piezo.relative_permittivity * off[5],
        )
        setting["substrate"] = substrate._replace(youngs_modulus=substrate.youngs_modulus * off[1])
        layers = {"substrate_thickness_um": off[2], "piezo_thickness_um": off[3]}
        real = {name: value * layers.get(name, 1.0) for name, value in design.items()}
        return _metrics(respond(real, **setting))  # type: ignore[arg-type]

    return model


MODELS: dict[str, Model] = {
    "distributed beam, 3 modes": distributed,
    "oracle, damping off by 1.4": uncertain(damping=1.4),
    "oracle, moduli off by 5 % and 3 %": uncertain(modulus=0.05),
    "oracle, thicknesses off by 2 %": uncertain(thickness=0.02),
    "oracle, d31 and permittivity off by 10 %": uncertain(coupling=0.10),
    "oracle, all four": uncertain(damping=1.4, modulus=0.05, thickness=0.02, coupling=0.10),
}


@dataclass(frozen=True)
class Survival:
    """What is left under another model: designs that still meet their limits, by what they are, and P4 orders.

    `feasible` is (still feasible, all) by name. Of the pools, mean Kendall tau-b against the oracle's order, the share
    of exact orders and of unchanged winners; None without pools.
    """

    feasible: dict[str, tuple[int, int]]
    tau: float | None
    exact: float | None
    same_winner: float | None


@dataclass(frozen=True)
class PhysicsReport:
    """`ratios` holds the 5, 50 and 95 % quantiles of oracle over distributed beam at the P2 references."""

    ratios: dict[str, tuple[float, float, float]]
    light_tips: tuple[int, int]
    models: dict[str, Survival]

    def as_json(self) -> dict[str, Any]:
        """JSON values; undefined is null."""
        return {
            "ratios": {name: list(quantiles) for name, quantiles in self.ratios.items()},
            "references_with_light_tip": list(self.light_tips),
            "models": {name: vars(survival) for name, survival in self.models.items()},
        }

    def as_text(self) -> str:
        """Two small tables."""
        lines = ["Oracle over distributed beam at the P2 references    5 %   median     95 %"]
        lines += [f"  {name:<47}" + "".join(f"{q:9.3f}" for q in each) for name, each in self.ratios.items()]
        light, references = self.light_tips
        lines += [f"  {light} of {references} have a tip mass below {LIGHT_TIP:g} of the beam's.", ""]
        kinds = list(next(iter(self.models.values())).feasible)
        heads = "".join(f"{kind:>16}" for kind in kinds) + "    P4 tau  exact winner"
        lines += ["Designs that still meet their limits, and P4 orders, under", " " * 42 + heads]
        for name, left in self.models.items():
            counts = "".join(f"{f'{kept} of {total}':>16}" for kept, total in left.feasible.values())
            shares = "".join(f"{'undefined' if v is None else f'{v:.2f}':>7}" for v in (left.exact, left.same_winner))
            tau = "undefined" if left.tau is None else f"{left.tau:.2f}"
            lines.append(f"  {name:<40}{counts}{tau:>10}{shares}")
        return "\n".join([*lines, "", "A report: no label rests on it. docs/physics.md says more."])


def physics_report(tasks: Sequence[Task], *, seed: int = 0) -> PhysicsReport:
    """Every design on which a label rests, and every P4 pool, under each of `MODELS`."""
    designs = list(_designs(tasks))
    references = [(task, design) for kind, task, design in designs if kind == "P2 references"]
    pairs = [
        (respond(design, **problem.setting), respond_distributed(design, **problem.setting))
        for task, design in references
        for problem in (problem_of_brief(task.spec),)
    ]
    ratios = {
        name: _quantiles([float(getattr(lumped, name)) / float(getattr(beam, name)) for lumped, beam in pairs])
        for name in RATIOS
        if pairs
    }
    light = sum(float(beam.tip_mass_ratio) < LIGHT_TIP for _, beam in pairs)
    pools = [task for task in tasks if task.probe == "p4" and stated_weights(task.spec) is not None]
    models = {name: _survival(model, designs, pools, seed) for name, model in MODELS.items()}
    return PhysicsReport(ratios, (light, len(pairs)), models)


def _designs(tasks: Iterable[Task]) -> Iterable[tuple[str, Task, Design]]:
    """The designs on which labels rest: what they are, and whose."""
    for task in tasks:
        reference = task.gold["reference"]
        if task.probe == "p1" and task.gold["action"] == "propose_design" and task.gold["witness"]:
            yield "P1 witnesses", task, task.gold["witness"]
        if task.probe in ("p2", "p3") and reference and reference["design"]:
            yield f"{task.probe.upper()} references", task, reference["design"]


def _survival(model: Model, designs: Sequence[tuple[str, Task, Design]], pools: Sequence[Task], seed: int) -> Survival:
    feasible: dict[str, list[bool]] = {}
    for kind, task, design in designs:
        problem = problem_of_brief(task.spec)
        if problem.frequency_hz is not None and problem.acceleration_g is not None:
            feasible.setdefault(kind, []).append(_judged(model, problem, design, _draw(task, seed)).feasible)
    orders = [(_order(oracle, task, seed), _order(model, task, seed)) for task in pools]
    taus = [
        float(kendalltau([first.index(name) for name in second], range(len(second)))[0]) for first, second in orders
    ]
    return Survival(
        {kind: (sum(kept), len(kept)) for kind, kept in feasible.items()},
        float(np.mean(taus)) if taus else None,
        float(np.mean([first == second for first, second in orders])) if orders else None,
        float(np.mean([first[0] == second[0] for first, second in orders])) if orders else None,
    )


def _order(model: Model, task: Task, seed: int) -> list[str]:
    problem, pool = problem_of_brief(task.spec), {}
    for candidate in task.spec["candidates"]:
        verdict = _judged(model, problem, candidate["design"], _draw(task, seed))
        share = {name: float(limit.share(verdict.slack[name])) for name, limit in problem.limits.items()}
        pool[candidate["id"]] = Judged(verdict, verdict.metrics[OBJECTIVE.metric], share)
    return expected_order(task.spec, pool)[0]


def _judged(model: Model, problem: VehProblem, design: Design, draw: np.random.Generator) -> Verdict:
    metrics = model(problem, design, draw)
    if not evaluable(metrics):
        return unevaluable((), "no finite metrics")
    return verdict_on(metrics, (), limits=problem.limits, quantities=METRICS, objective=OBJECTIVE)


def _draw(task: Task, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, *task.task_id.encode()])


def _metrics(response: Any) -> Metrics:
    return {name: float(getattr(response, name)) for name in METRICS}


def _quantiles(values: Sequence[float]) -> tuple[float, float, float]:
    low, middle, high = (float(value) for value in np.quantile(values, (0.05, 0.5, 0.95)))
    return low, middle, high
