"""The paper's experiments on one changed rule: effects between runs that differ in nothing else.

Interventions (section 4.4, Table 14) give P3 another form of the history or of the feedback. Controlled prompts
(appendix Q, Tables 37 and 38) are tried in a cell a probe, of tasks, conditions and endpoints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vehbench_hf.analysis.paired import METHOD, paired_effect
from vehbench_hf.analysis.result_types import EffectsResult
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import limited, named_subset
from vehbench_hf.errors import RunError
from vehbench_hf.protocol import Control
from vehbench_hf.runlog.differences import changed_rules, require_known_rules
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.scoring import readable, score_parts
from vehbench_hf.types import Convention, Probe, Task

EFFECTS_SCHEMA = "vehbench-effects-1"
SUBSET = "p3_intervention"
"""Name of the 36 tasks in the manifest of a bank: two of each trap type in each published split."""
COMMON: tuple[Control, ...] = ("none", "neutral", "targeted", "wrong-boundary")
CONTRASTS: tuple[tuple[Control, Control], ...] = (
    ("none", "neutral"),
    ("none", "targeted"),
    ("none", "wrong-boundary"),
    ("none", "summary+targeted"),
    ("neutral", "targeted"),
    ("neutral", "wrong-boundary"),
    ("targeted", "summary+targeted"),
)
"""Pairs of conditions whose difference, second minus first, is shown. The paper's main one is neutral, targeted."""


@dataclass(frozen=True)
class Cell:
    """A cell of Table 38: a probe with so many tasks, the endpoint, what is shown beside it, and the conditions.

    Endpoints are parts of the probe's scores. `secondary` is None where the paper has none; in P2 it is the power ratio
    instead of the paper's mean power, which one task can dominate.
    """

    name: str
    probe: Probe
    tasks: int
    primary: str
    secondary: str | None
    conditions: tuple[Control, ...] = COMMON


CELLS: dict[Probe, Cell] = {
    "p2": Cell("C1", "p2", 40, "final_feasible", "p2b"),
    "p3": Cell("C2", "p3", 36, "success", "cascade", (*COMMON, "summary+targeted")),
    "p4": Cell("C3", "p4", 50, "tau", "exact"),
    "p1": Cell("C4", "p1", 60, "acc", None),
}


def intervention_effects(
    first: Run,
    second: Run,
    bank: Bank,
    *,
    convention: Convention | None = None,
) -> EffectsResult:
    """Second minus first in success and cascade rate on the intervention tasks of `bank`; JSON values.

    `first` is the plain run (raw history), `second` the one with the change. Both may hold more tasks. `convention`
    None means the bank's own. Raises RunError when the runs differ in more than the protocol, BankError when the bank
    names no subset.
    """
    changed = changed_rules(first, second)
    names = [task.task_id for task in named_subset(bank, SUBSET)]
    rows = [run.scored("p3") for run in (first, second)]
    convention = convention or bank.convention
    return {
        "schema": EFFECTS_SCHEMA,
        "probe": "p3",
        "bank": bank.version,
        "convention": convention,
        "tasks": len(names),
        "first": first.name,
        "second": second.name,
        "changed": changed,
        "method": METHOD,
        "effects": [
            paired_effect(rows[0], rows[1], "p3", part, names, convention=convention) for part in ("success", "cascade")
        ],
    }


def cell_tasks(cell: Cell, bank: Bank) -> list[Task]:
    """The tasks of a cell: the intervention tasks in P3, else what `vehbench run --limit` takes, stratified and fixed.

    A bank with fewer tasks gives all it has. Raises BankError for P3 where the bank names no intervention tasks.
    """
    if cell.probe == "p3":
        return named_subset(bank, SUBSET)
    return limited(bank.select([cell.probe]), cell.tasks)


def cell_effects(
    cell: Cell,
    runs: Sequence[Run],
    bank: Bank,
    *,
    convention: Convention | None = None,
) -> EffectsResult:
    """Every condition with its endpoints, and the paired differences between them; JSON values.

    `runs` are of one model, one a condition, in any order; conditions without a run are left out. `unreadable` is
    the share of rows whose reply could not be read; those count as the metric says. Raises RunError for two runs of one
    condition, a run that is under none of the cell's, and runs that differ in more than that.
    """
    by_condition = _by_condition(cell, runs)
    convention = convention or bank.convention
    names = [task.task_id for task in cell_tasks(cell, bank)]
    parts = [cell.primary, *([cell.secondary] if cell.secondary else [])]
    rows = {
        condition: [row for row in run.scored(cell.probe) if row.task.task_id in set(names)]
        for condition, run in by_condition.items()
    }
    conditions: dict[str, dict[str, Any]] = {}
    for condition, listed in rows.items():
        values = score_parts(cell.probe, listed, convention)
        conditions[condition] = {
            "run": by_condition[condition].name,
            "n": len(listed),
            **{part: values[part].value for part in parts},
            "unreadable": sum(not readable(row) for row in listed) / len(listed) if listed else None,
        }
    return {
        "schema": EFFECTS_SCHEMA,
        "cell": cell.name,
        "probe": cell.probe,
        "bank": bank.version,
        "convention": convention,
        "tasks": len(names),
        "primary": cell.primary,
        "secondary": cell.secondary,
        "conditions": conditions,
        "method": METHOD,
        "effects": [
            {
                "from": a,
                "to": b,
                **paired_effect(rows[a], rows[b], cell.probe, part, names, convention=convention),
            }
            for a, b in CONTRASTS
            if a in rows and b in rows
            for part in parts
        ],
    }


def _by_condition(cell: Cell, runs: Sequence[Run]) -> dict[Control, Run]:
    """The runs by the control they are under, in the order of the cell's conditions."""
    by_control: dict[Control, Run] = {}
    for run in map(require_known_rules, runs):
        control = run.protocol.control
        if control not in cell.conditions:
            raise RunError(f"{run.name}: cell {cell.name} ({cell.probe}) has no condition {control!r}.")
        if control in by_control:
            raise RunError(f"{by_control[control].name} and {run.name} are both under {control!r}; give one of them.")
        by_control[control] = run
    for run in list(by_control.values())[1:]:
        first = next(iter(by_control.values()))
        moved = set(changed_rules(first, run)) - {"control"}
        if "summary+targeted" in (first.protocol.control, run.protocol.control):
            moved -= {"p3_state"}
        if moved:
            raise RunError(f"{first.name} and {run.name} differ in {', '.join(sorted(moved))} beside the control.")
    return {condition: by_control[condition] for condition in cell.conditions if condition in by_control}
