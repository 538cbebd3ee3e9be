"""The circuit audit (Tables 40 to 44) from the authors' aggregates; none of its logs is released."""

from collections.abc import Mapping

from vehbench_hf.paper.reproduce.analysis import Analysis, CsvRow, number
from vehbench_hf.paper.reproduce.cells import CellName, Computed
from vehbench_hf.paper.reproduce.controlled import Named
from vehbench_hf.types import Probe

P1_P2 = {
    "40": {
        "comp": "P1-Composite",
        "acc": "P1 Acc",
        "f1": "P1 Macro-F1",
        "spurious_propose": "P1 Spurious",
        "unsafe_propose": "P1 Unsafe",
        "request_recall": "P1 Request Recall",
        "infeasible_recall": "P1 Infeasible Recall",
    },
    "41": {"feasible": "P2 Feasible", "p2b": "P2b", "directed": "P2 Directed", "over_edit": "P2 Over-edit"},
}
PARSE = "Parse P1/P2/P3"
PARSE_PLACES: tuple[tuple[str, Probe, int], ...] = (("40", "p1", 0), ("41", "p2", 1))
"""Table, probe and place in the column `PARSE`."""
P3 = {
    "n": "n_tasks",
    "escape": "escape_rate",
    "replan": "explicit_replan_rate",
    "reset": "reset_history_rate",
    "cascade": "cascade_rate",
    "dead": "dead_budget_rate",
    "success": "final_success",
    "recq": "recovery_quality",
    "parse": "parse_error_rate",
}
P4 = {
    "n": "n_tasks",
    "tau": "full_kendall_tau",
    "exact": "exact_match",
    "top1": "top1_accuracy",
    "top2": "top2_set_accuracy",
    "pair": "pairwise_accuracy",
    "flip": "policy_flip_accuracy",
    "bars": "bars",
    "parse": "parse_error_rate",
}


def circuit_cells(analysis: Analysis, sizes: Mapping[Probe, int]) -> list[Named]:
    """Tables 40 to 44 by model, one mapping for each file: the files do not share their names of models.

    `sizes` are the circuit tasks of the bank by probe.
    """
    first: Named = {}
    for row in analysis.rows.get("circuit_p1_p2", []):
        parse = (row.get(PARSE) or "").split("/")
        cells = _read(row, "40", P1_P2["40"]) | _read(row, "41", P1_P2["41"])
        for table, probe, place in PARSE_PLACES:
            if len(parse) > place and _is_number(parse[place]):
                cells[CellName(table, "parse")] = Computed(float(parse[place]))
            if probe in sizes:
                cells[CellName(table, "n")] = Computed(float(sizes[probe]))
        first[row.get("Model") or ""] = cells | _action_profile(row)
    by_letter: Named = {}
    for name, table, columns in (("circuit_p3", "42", P3), ("circuit_p4", "43", P4)):
        for row in analysis.rows.get(name, []):
            by_letter.setdefault(row.get("model") or "", {}).update(_read(row, table, columns))
    for row in analysis.rows.get("circuit_profiles", []):
        profile = _read(row, "44", {"state": "state_trust", "policy": "preference_execution"})
        by_letter.setdefault(row.get("model") or "", {}).update(profile)
    return [first, by_letter]


def _action_profile(row: CsvRow) -> dict[CellName, Computed]:
    """Action discipline of Table 44: the fourth of its indicators is 1, because no task of its subtype is left.

    The edit score needs rates of preserved feasibility and of no-ops, which no file holds.
    """
    acc, f1, unsafe = (number(row, name) for name in ("P1 Acc", "P1 Macro-F1", "P1 Unsafe"))
    if acc is None or f1 is None or unsafe is None:
        return {}
    return {CellName("44", "action"): Computed((acc + f1 + (1.0 - unsafe) + 1.0) / 4)}


def _read(row: CsvRow, table: str, columns: Mapping[str, str]) -> dict[CellName, Computed]:
    return {
        CellName(table, ours): Computed(value)
        for ours, theirs in columns.items()
        if (value := number(row, theirs)) is not None
    }


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
