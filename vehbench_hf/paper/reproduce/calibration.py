"""Weak baselines of Tables 16 and 34, played on the released task bank; logs give only the reference powers."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from vehbench_hf.paper.reproduce.cells import Cell, Computed, Tables
from vehbench_hf.scoring import MetricValue, Row, score_parts
from vehbench_hf.types import Design, Probe, Record, Step, Task
from vehbench_oracle.veh.domain import problem_of_brief

POWER_DECIMALS = 6

CMA_ROWS = ("cma_es_6", "cma_es_40")
NO_CMA = (
    "the CMA-ES runs cannot be reproduced: neither a seed nor result files are released, and the 156 tasks of the run "
    "with 6 queries are not named"
)


def bank_cells(tasks: Sequence[Task], tables: Tables) -> dict[Cell, Computed]:
    """Cells that follow from the task bank, and why the CMA-ES rows do not follow from anything."""
    cells = calibration_cells(tasks) if "16" in tables or "34" in tables else {}
    budgets = {task.spec["query_budget"] for task in tasks if task.probe == "p2"}
    for row in tables["34"].rows if "34" in tables else ():
        if row in CMA_ROWS:
            cells |= {Cell("34", row, column): Computed(None, NO_CMA) for column in tables["34"].columns}
        elif Cell("34", row, "budget") not in cells and len(budgets) == 1:
            cells[Cell("34", row, "budget")] = Computed(float(max(budgets)))
    return cells


def calibration_cells(tasks: Sequence[Task]) -> dict[Cell, Computed]:
    """Table 16, and the anchor-fixed row of Table 34."""
    cells = {}
    triage = _play("p1", [Row(t, _record(t, [Step("propose_design")])) for t in tasks if _is_dev_p1(t)])
    if triage:
        recalls = [triage[f"recall_{name}"].value for name in ("propose", "request", "infeasible")]
        known = [recall for recall in recalls if recall is not None]
        cells[Cell("16", "P1", "accuracy")] = Computed(triage["acc"].value)
        cells[Cell("16", "P1", "macro_f1")] = Computed(triage["f1"].value)
        cells[Cell("16", "P1", "worst_action_recall")] = Computed(min(known))
    anchors = [Row(t, _anchor_fixed(t)) for t in tasks if t.probe == "p2" and t.gold["anchor_design"] is not None]
    fixed = _play("p2", anchors)
    if fixed:
        ratio = _anchor_ratio(anchors)
        for table, row, names in (
            ("16", "P2", ("feasible", "mean_power_ratio")),
            ("34", "anchor_fixed", ("final_feasible", "mean_power_ratio")),
        ):
            cells[Cell(table, row, names[0])] = Computed(fixed["final_feasible"].value)
            cells[Cell(table, row, names[1])] = ratio
        # The heuristic knows the answer of the paper behind the task, and asks the verifier nothing.
        cells[Cell("34", "anchor_fixed", "budget")] = Computed(0.0)
        cells[Cell("34", "anchor_fixed", "mean_queries")] = Computed(0.0)
    stuck = _play("p3", [Row(t, _last_state(t)) for t in tasks if t.probe == "p3"])
    if stuck:
        cells[Cell("16", "P3", "explicit_reset")] = Computed(stuck["replan"].value)
    orders = _every_order(next((t for t in tasks if t.probe == "p4"), None))
    if orders:
        for column, part in (("expected_tau", "tau"), ("exact", "exact"), ("top1", "top1")):
            cells[Cell("16", "P4", column)] = Computed(orders[part].value)
    return cells


def _play(probe: Probe, rows: list[Row]) -> dict[str, MetricValue]:
    return score_parts(probe, rows, "released") if rows else {}


def _is_dev_p1(task: Task) -> bool:
    return task.probe == "p1" and task.split == "dev"


def _record(task: Task, steps: list[Step], reference_uw: float | None = None) -> Record:
    return Record(task.task_id, task.probe, "ok", tuple(steps), recorded=True, reference_value=reference_uw)


def _anchor_fixed(task: Task) -> Record:
    """The design of the paper, scored by the newer reference power as the authors did.

    The reference that the logs show as 0 counts as unknown, as in the printed ratio.
    """
    design, reference = task.gold["anchor_design"], task.gold["reference"]
    power = reference["power_uw"] if reference else None
    return _record(task, [_proposal(task, design or {})], power if power and power > 0 else None)


def _anchor_ratio(rows: list[Row]) -> Computed:
    """The mean ratio over the tasks with a positive reference; absent while logs show it for some tasks only."""
    shown = sum((r := row.task.gold["reference"]) is not None and r["power_uw"] is not None for row in rows)
    if shown < len(rows):
        return Computed(None, f"the logs show the newer reference power of {shown} of {len(rows)} p2 tasks")
    positive = [row for row in rows if row.record.reference_value is not None]
    return Computed(_play("p2", positive).get("p2b", MetricValue(None, 0)).value)


def _last_state(task: Task) -> Record:
    design = task.spec["history"][-1]["design"]
    return _record(task, [_proposal(task, design)] * (task.spec["query_budget"] - len(task.spec["history"])))


def _proposal(task: Task, design: Design) -> Step:
    """A proposal with its power as the authors' oracle returns it: rounded, which matters where it is 1e-5 uW."""
    verdict = problem_of_brief(task.spec).judge(design)
    power = None if verdict.objective is None else round(verdict.objective, POWER_DECIMALS)
    return Step("propose_design", design=design, verdict=replace(verdict, objective=power))


def _every_order(task: Task | None) -> dict[str, MetricValue]:
    """All orders of one pool, each once: what a uniform random order gives on average, in any pool of that size."""
    if task is None:
        return {}
    orders = permutations(task.gold["ranking"])
    return _play("p4", [Row(task, _record(task, [Step("rank", ranking=order)])) for order in orders])
