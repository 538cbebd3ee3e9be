"""The figures of cards/errata.md, computed anew: by name, the rows of a table as text."""

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from vehbench_hf.analysis.profiles import indicators, profiles
from vehbench_hf.analysis.stage_choice import mean_norm
from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.reproduce import Inputs, PrintedTable, Reproduction
from vehbench_hf.paper.reproduce.sources import STAGE_COLUMNS
from vehbench_hf.scoring import MetricValue, Row, score_parts
from vehbench_hf.statistics import correlations
from vehbench_hf.types import PROBES, Convention, Probe
from vehbench_oracle import VARIABLES, judge

Rows = list[list[str]]
HEADLINES: tuple[tuple[Probe, str, str], ...] = (
    ("p1", "P1_comp", "comp"),
    ("p2", "P2_ratio", "p2b"),
    ("p3", "P3_success", "success"),
    ("p4", "P4_tau", "tau"),
)
CONVENTIONS: tuple[Convention, ...] = ("released", "defined")
WORKED = {"frequency_hz": 50.0, "acceleration_g": 0.5}
WORKED_LIMITS = {"stress_limit_mpa": 50.0, "disp_limit_mm": 2.0, "freq_error_pct_limit": 5.0, "power_target_uw": 15.0}
WORKED_DESIGNS = {
    "step 1": (55.0, 15.0, 280.0, 150.0, 2.5, 10_000.0),
    "step 2": (65.0, 15.0, 250.0, 120.0, 3.0, 10_000.0),
}
WORKED_PRINTED = {"step 1": ("63.8", "4.1", "11.2", "0.7", "no"), "step 2": ("48.7", "9.8", "9.1", "0.8", "yes")}


class Figures:
    """What the figures are computed from."""

    def __init__(
        self,
        inputs: Inputs,
        found: Reproduction,
        printed: dict[str, PrintedTable],
        release_dir: Path,
        models: set[str] | None = None,
    ) -> None:
        """`models` are those of the page; a release with more logs leaves its figures as they are."""
        self.inputs, self.found, self.printed, self.release_dir = inputs, found, printed, release_dir
        self._parts: dict[tuple[str, Probe, Convention, bool], dict[str, MetricValue]] = {}
        by_label = {run.label: run for run in inputs.runs}
        self.runs = {
            row: by_label[fit.label] for row, fit in sorted(found.matched.items()) if models is None or row in models
        }

    def rows(self, run: ReleasedRun, probe: Probe, *, every_line: bool = False) -> list[Row]:
        tasks = {task.task_id: task for task in self.inputs.tasks}
        records = list(run.merged(probe).values())
        if every_line:
            records = [record for place, lines in run.lines.items() if place[0] == probe for record in lines]
        return [Row(tasks[record.task_id], record) for record in records]

    def parts(
        self, run: ReleasedRun, probe: Probe, convention: Convention, *, every_line: bool = False
    ) -> dict[str, MetricValue]:
        key = (run.label, probe, convention, every_line)
        if key not in self._parts:
            self._parts[key] = score_parts(probe, self.rows(run, probe, every_line=every_line), convention)
        return self._parts[key]

    def complete(self, run: ReleasedRun, probe: Probe) -> bool:
        return len(run.merged(probe)) == sum(task.probe == probe for task in self.inputs.tasks)


def table_2(of: Figures) -> Rows:
    rows = []
    for model, run in of.runs.items():
        for probe, column, part in HEADLINES:
            how = of.printed["2"].columns[column]
            released = of.parts(run, probe, "released", every_line=probe == "p4")[part].value
            defined = of.parts(run, probe, "defined")[part].value if of.complete(run, probe) else None
            rows.append(
                [
                    model,
                    probe.upper(),
                    how.text(of.printed["2"].rows[model][column]),
                    "undefined" if released is None else how.text(how.in_print(released)),
                    "partial log" if defined is None else how.text(how.in_print(defined)),
                ]
            )
    return rows


def accuracy(of: Figures) -> Rows:
    rows = []
    for model, run in of.runs.items():
        released, defined = (of.parts(run, "p1", convention)["acc"] for convention in CONVENTIONS)
        rows.append([model, _percent(released), _percent(defined), f"{round(_apart(released, defined) * released.n)}"])
    return rows


def _both(of: Figures, probe: Probe, *names: str) -> Rows:
    """Parts of a probe in both conventions, a line a model."""
    return [
        [model, *(_number(of.parts(run, probe, convention)[name]) for name in names for convention in CONVENTIONS)]
        for model, run in of.runs.items()
    ]


def success(of: Figures) -> Rows:
    parts = {model: [of.parts(run, "p3", c)["success"] for c in CONVENTIONS] for model, run in of.runs.items()}
    return [[model, *map(_percent, both)] for model, both in parts.items()]


def recovery(of: Figures) -> Rows:
    return _both(of, "p3", "escape", "dead", "cascade", "recq")


def search(of: Figures) -> Rows:
    return _both(of, "p2", "impr", "auc", "queries")


def references(of: Figures) -> Rows:
    """P2b with the reference in the row, and with the newer table for everybody; a missing reference scores 0."""
    tasks = {task.task_id: task for task in of.inputs.tasks}
    rows = []
    for model, run in of.runs.items():
        total, records = 0.0, run.merged("p2").values()
        for record in records:
            verdict = record.steps[-1].verdict
            reference = tasks[record.task_id].gold["reference"]
            power = reference["power_uw"] if reference else None
            if verdict is not None and verdict.feasible and verdict.objective is not None and power:
                total += verdict.objective / power
        printed = of.parts(run, "p2", "released")["p2b"]
        rows.append([model, str(run.reference_generation), f"{printed.value:.4f}", f"{total / len(records):.4f}"])
    return rows


def pools(of: Figures) -> Rows:
    """Candidates of P4 that break a limit, by the slacks in the bank."""
    tasks = [task for task in of.inputs.tasks if task.probe == "p4"]
    bad = [sum(min(c["slack"].values()) < 0 for c in task.spec["candidates"]) for task in tasks]
    candidates = sum(len(task.spec["candidates"]) for task in tasks)
    without = sum(not task.gold["policy_sensitive_pairs"] for task in tasks)
    balanced = [task for task in tasks if task.spec["profile"] == "balanced"]
    cap = 0.75 + 0.25 * sum(bool(t.gold["policy_sensitive_pairs"]) for t in balanced) / len(balanced)
    return [
        ["candidates that violate a limit of their brief", f"{sum(bad)} of {candidates}"],
        ["rows with such a candidate", f"{sum(map(bool, bad))} of {len(tasks)}"],
        ["rows without a policy-sensitive pair", f"{without} of {len(tasks)}"],
        ["smallest policy mismatch a perfect ranking can have, as released", f"{without / len(tasks):.3f}"],
        ["largest BARS a perfect ranking can have, as released", f"{cap:.3f}"],
    ]


def mismatch(of: Figures) -> Rows:
    return [row for row in _both(of, "p4", "policy_mismatch") if of.complete(of.runs[row[0]], "p4")]


def lines(of: Figures) -> Rows:
    rows = []
    for model, run in of.runs.items():
        every, once = (of.parts(run, "p4", "released", every_line=line)["tau"] for line in (True, False))
        if every.n != once.n or not of.complete(run, "p4"):
            rows.append([model, str(every.n), f"{every.value:.4f}", str(once.n), f"{once.value:.4f}"])
    return rows


def worked(of: Figures) -> Rows:
    rows = []
    for name, values in WORKED_DESIGNS.items():
        verdict = judge(
            dict(zip(VARIABLES, values, strict=True)),
            limits=WORKED_LIMITS,
            piezo="PZT-5A",
            substrate="stainless_steel",
            damping_ratio=0.01,
            **WORKED,
        )
        m = verdict.metrics
        computed = (m["resonant_freq_hz"], verdict.objective, m["tip_stress_mpa"], m["tip_disp_mm"])
        rows.append([name, "printed", *WORKED_PRINTED[name]])
        rows.append([name, "oracle", *(f"{value:.4g}" for value in computed), "yes" if verdict.feasible else "no"])
    return rows


def low_pass(of: Figures) -> Rows:
    return [["5 kohm", "100 nF", "3180", f"{1 / (2 * math.pi * 5e3 * 100e-9):.1f}"]]


def rounding(of: Figures) -> Rows:
    """Table 3 from the printed, rounded tables, which its caption names as the source."""
    axes = {
        row: {model: cells[axis] for model, cells in of.printed["29"].rows.items()}
        for row, axis in zip(of.printed["3"].rows, ("action", "edit", "feedback", "state", "policy"), strict=True)
    }
    stages = {
        column: {model: cells[column] for model, cells in of.printed["2"].rows.items()}
        for column in STAGE_COLUMNS.values()
    }
    found = correlations(axes, stages)
    equal = sum(
        f"{found[row][column]:.3f}" == f"{value:.3f}"
        for row, cells in of.printed["3"].rows.items()
        for column, value in cells.items()
    )
    table = of.found.tables["3"].by_source["aggregates"]
    return [
        ["printed Tables 2 and 29", f"{equal} of 20"],
        ["unrounded aggregates", f"{table.equal} of {table.compared}"],
    ]


def scaling(of: Figures) -> Rows:
    """Profiles of the models with complete logs, without the two indicators that no log gives."""
    complete = {m: run for m, run in of.runs.items() if all(of.complete(run, probe) for probe in PROBES)}
    found = {
        m: indicators({p: {k: v.value for k, v in of.parts(run, p, "released").items()} for p in PROBES})
        for m, run in complete.items()
    }
    means, scaled = profiles(found, "released"), profiles(found, "defined")
    return [[m, *(f"{means[m][axis].value:.3f} / {scaled[m][axis].value:.3f}" for axis in means[m])] for m in complete]


def settings(of: Figures) -> Rows:
    """Output limits and retries in all manifests of a model's folder."""
    rows = []
    for model, run in of.runs.items():
        tokens: Counter[int] = Counter()
        retries: set[int] = set()
        for file in (of.release_dir / "results/model_outputs" / run.label).rglob("run_manifest.json"):
            body = json.loads(file.read_text(encoding="utf-8"))
            if isinstance(body.get("model_config"), dict):
                tokens[body["model_config"]["max_tokens"]] += 1
                retries.add(body["retry_policy"]["max_retries"])
        span = f"{min(tokens)}" if len(tokens) == 1 else f"{min(tokens)} to {max(tokens)}"
        rows.append([model, span, ", ".join(map(str, sorted(retries)))])
    return rows


def fixed(of: Figures) -> Rows:
    p3 = [task for task in of.inputs.tasks if task.probe == "p3"]
    live = {task.spec["query_budget"] - len(task.spec["history"]) for task in p3}
    trapped = sum(any(step["verdict"]["feasible"] for step in task.spec["history"]) for task in p3)
    defined = sum(of.parts(run, "p2", "defined")["destructive"].value is not None for run in of.runs.values())
    dev = [task.gold["action"] for task in of.inputs.tasks if task.probe == "p1" and task.split == "dev"]
    always = 100 * dev.count("propose_design") / len(dev)
    return [
        ["live turns of P3", "4", ", ".join(map(str, sorted(live)))],
        ["P3 histories with a step that is feasible by its stored verdict", "not stated", f"{trapped} of {len(p3)}"],
        ["models whose P2 destructive rate is defined", "12 (0.000)", f"{defined} of {len(of.runs)}"],
        ["always propose, dev, accuracy in percent", "56.3", f"{always:.1f} (of {always:.2f})"],
    ]


def normalization(of: Figures) -> Rows:
    """The worked example of appendix K.2 with the numbers it states."""
    raw = {"p1": 0.594, "p2": 0.185, "p3": 0.239, "p4": 0.839}
    best = {"p1": 0.594, "p2": 0.385, "p3": 0.457, "p4": 0.888}
    return [["0.738", f"{mean_norm(raw, best):.4f}"]]


def second_best(of: Figures) -> Rows:
    """Table 12 compares the P2 leader with the model that is third."""
    ratios = {model: cells["P2_ratio"] for model, cells in of.printed["2"].rows.items()}
    order = sorted(ratios, key=lambda model: -ratios[model])
    return [[str(place), model, f"{ratios[model]:.4f}"] for place, model in enumerate(order[:3], 1)]


FIGURES: dict[str, Callable[[Figures], Rows]] = {
    "table_2": table_2,
    "accuracy": accuracy,
    "references": references,
    "search": search,
    "success": success,
    "recovery": recovery,
    "pools": pools,
    "mismatch": mismatch,
    "lines": lines,
    "scaling": scaling,
    "rounding": rounding,
    "second_best": second_best,
    "normalization": normalization,
    "fixed": fixed,
    "settings": settings,
    "worked": worked,
    "low_pass": low_pass,
}


def _apart(first: MetricValue, second: MetricValue) -> float:
    return abs((first.value or 0.0) - (second.value or 0.0))


def _percent(part: MetricValue) -> str:
    return "undefined" if part.value is None else f"{100 * part.value:.2f}"


def _number(part: MetricValue) -> str:
    return "undefined" if part.value is None else f"{part.value:.3f}"
