"""The controlled experiments and the circuit audit from the authors' aggregates; none of their rows is released."""

from collections.abc import Mapping
from typing import Any

from vehbench_hf.paper.reproduce.aggregates import MEAN_ROW, mean_cells
from vehbench_hf.paper.reproduce.cells import Cell, CellName, Computed, Tables, in_row, match_rows
from vehbench_hf.paper.reproduce.inputs import Analysis, CsvRow, number
from vehbench_hf.paper.reproduce.sources import CSV_FILES, INTERVENTION_FIELDS, PROMPT_CONDITIONS
from vehbench_hf.types import Probe

Named = dict[str, dict[CellName, Computed]]
"""Cells by the name under which the aggregates list a model or a condition."""

FORMS = ("A", "B", "C")
PARSE = "Parse P1/P2/P3"
PARSE_TABLES: dict[str, Probe] = {"40": "p1", "41": "p2"}
"""The tables of the numbers in the column `PARSE`, in their order, and the probes of these tables."""


def experiment_cells(analysis: Analysis, circuit_sizes: Mapping[Probe, int], tables: Tables) -> dict[Cell, Computed]:
    """Tables 14, 35, 36, 38 and 40 to 44, each model of a file as the printed row that its numbers fit.

    `circuit_sizes` are the circuit tasks of the bank by probe.
    """
    cells: dict[Cell, Computed] = {}
    for named in (intervention_cells(analysis), isomorphic_cells(analysis), *circuit_cells(analysis, circuit_sizes)):
        cells |= _by_numbers(named, tables)
    models = [row for row in tables["14"].rows if row != MEAN_ROW] if "14" in tables else []
    return cells | mean_cells(cells, "14", models) | _prompt_rows(analysis, tables)


def intervention_cells(analysis: Analysis) -> Named:
    """Table 14 by model (for the means over the models no interval is released)."""
    runs = analysis.objects.get("interventions", {}).get("runs")
    arms = {
        (str(run.get("model")), str(run.get("history_mode"))): run
        for run in (runs if isinstance(runs, list) else ())
        if isinstance(run, dict) and run.get("feedback_mode") == "full_numeric"
    }
    by_model: Named = {}
    for model in analysis.entry("interventions", "effects"):
        effect = analysis.entry("interventions", "effects", model, "summary_effect")
        cells: dict[str, Any] = {}
        for name, field in INTERVENTION_FIELDS.items():
            interval = effect.get("bootstrap", {}).get(f"{field}_delta", {})
            cells |= {
                f"{name}_raw": arms.get((model, "raw_history"), {}).get(field),
                f"{name}_summary": arms.get((model, "state_summary"), {}).get(field),
                f"delta_{name}": effect.get(f"{field}_delta"),
                f"delta_{name}_low": interval.get("ci_low"),
                f"delta_{name}_high": interval.get("ci_high"),
            }
        by_model[model] = _cells("14", cells)
    return by_model


def isomorphic_cells(analysis: Analysis) -> Named:
    """Tables 35 and 36 by model. A bad row is one whose answer could not be parsed; latencies are not released."""
    by_model = _from_csv(analysis, "probe_summary")
    for row in analysis.rows.get("probe_summary", []):
        groups, parsed = number(row, "n_probe_groups"), [number(row, f"parse_rate_{form}") for form in FORMS]
        rates = [rate for rate in parsed if rate is not None]
        if groups is not None and len(rates) == len(FORMS):
            bad = {"bad_rows": float(round(sum(groups * (1.0 - rate) for rate in rates)))}
            by_model[_model("probe_summary", row)] |= _cells("35", bad) | _cells("36", bad)
    return by_model


def circuit_cells(analysis: Analysis, sizes: Mapping[Probe, int]) -> list[Named]:
    """Tables 40 to 44 by model, one mapping for each group of files that share their names of models."""
    triage = _from_csv(analysis, "circuit_p1_p2")
    for row in analysis.rows.get("circuit_p1_p2", []):
        cells = triage[_model("circuit_p1_p2", row)]
        parse = dict(zip(PARSE_TABLES, (row.get(PARSE) or "").split("/"), strict=False))
        for table, probe in PARSE_TABLES.items():
            cells |= _cells(table, {"parse": number(parse, table), "n": sizes.get(probe)})
        cells |= _action_profile(row)
    by_letter: Named = {}
    for name in ("circuit_p3", "circuit_p4", "circuit_profiles"):
        for model, cells in _from_csv(analysis, name).items():
            by_letter.setdefault(model, {}).update(cells)
    return [triage, by_letter]


def prompt_cells(analysis: Analysis) -> dict[str, Named]:
    """Table 38 by experiment ("C1") and condition. Secondary endpoints and parse errors are not released."""
    return {
        name.upper(): {
            PROMPT_CONDITIONS[code]: _cells("38", {"n": arm.get("n"), "primary": arm.get("rate", arm.get("mean_tau"))})
            for code, arm in analysis.entry("tier3", name, "condition_summary").items()
            if code in PROMPT_CONDITIONS and isinstance(arm, dict)
        }
        for name in analysis.objects.get("tier3", {})
    }


def _action_profile(row: CsvRow) -> dict[CellName, Computed]:
    """Action discipline of Table 44: the fourth of its indicators is 1, because no task of its subtype is left.

    The edit score needs rates of preserved feasibility and of no-ops, which no file holds.
    """
    acc, f1, unsafe = (number(row, name) for name in ("P1 Acc", "P1 Macro-F1", "P1 Unsafe"))
    if acc is None or f1 is None or unsafe is None:
        return {}
    return _cells("44", {"action": (acc + f1 + (1.0 - unsafe) + 1.0) / 4})


def _by_numbers(named: Named, tables: Tables) -> dict[Cell, Computed]:
    """Cells under the names of the aggregates as cells of printed rows, matched as directories are."""
    numbers = {name.table for cells in named.values() for name in cells}
    matched, _ = match_rows(named, {number: tables[number] for number in numbers if number in tables})
    return {cell: value for row, fit in matched.items() for cell, value in in_row(row, named[fit.label]).items()}


def _prompt_rows(analysis: Analysis, tables: Tables) -> dict[Cell, Computed]:
    """Table 38. An experiment with two models has one summary; it is that of the model with more equal cells."""
    rows: dict[Cell, Computed] = {}
    for experiment, conditions in prompt_cells(analysis).items() if "38" in tables else ():
        by_model: dict[str, dict[Cell, Computed]] = {}
        for row, label in tables["38"].labels.items():
            if label.get("cell") == experiment and label.get("condition") in conditions:
                cells = in_row(row, conditions[label["condition"]])
                by_model.setdefault(str(label.get("model")), {}).update(cells)
        if by_model:
            equal = {model: _count_equal(cells, tables) for model, cells in by_model.items()}
            rows |= by_model[max(equal, key=lambda model: equal[model])]
    return rows


def _count_equal(cells: Mapping[Cell, Computed], tables: Tables) -> int:
    return sum(tables[cell.table].prints_equal(cell.row, cell.column, value) for cell, value in cells.items())


def _from_csv(analysis: Analysis, name: str) -> Named:
    """The columns of a CSV file that are cells as they stand, by model."""
    by_model: Named = {}
    for row in analysis.rows.get(name, []):
        for table, columns in CSV_FILES[name].tables.items():
            cells = _cells(table, {ours: number(row, theirs) for ours, theirs in columns.items()})
            by_model.setdefault(_model(name, row), {}).update(cells)
    return by_model


def _model(name: str, row: CsvRow) -> str:
    return row.get(CSV_FILES[name].model) or ""


def _cells(table: str, values: Mapping[str, Any]) -> dict[CellName, Computed]:
    """The numbers among some values as cells of a table."""
    return {CellName(table, column): Computed(float(v)) for column, v in values.items() if isinstance(v, int | float)}
