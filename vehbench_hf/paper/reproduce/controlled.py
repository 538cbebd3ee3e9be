"""The controlled experiments (Tables 14, 35, 36, 38) from the authors' aggregates; none of their rows is released."""

from typing import Any

from vehbench_hf.paper.reproduce.analysis import Analysis, number
from vehbench_hf.paper.reproduce.cells import CellName, Computed

Named = dict[str, dict[CellName, Computed]]
"""Cells by the name under which the aggregates list a model or a condition."""

CONDITIONS = {"d": "default", "n": "neutral", "t": "targeted", "w": "wrong"}
FORMS = ("A", "B", "C")


def intervention_cells(analysis: Analysis) -> Named:
    """Table 14 by model, and the plain means over the models (for these no interval is released)."""
    runs = analysis.objects.get("interventions", {}).get("runs")
    arms = {
        (str(run.get("model")), str(run.get("history_mode"))): run
        for run in (runs if isinstance(runs, list) else ())
        if isinstance(run, dict) and run.get("feedback_mode") == "full_numeric"
    }
    found: Named = {}
    for model in analysis.of("interventions", "effects"):
        effect = analysis.of("interventions", "effects", model, "summary_effect")
        cells: dict[str, Any] = {}
        for name, field in (("success", "p3_success"), ("cascade", "constraint_cascade_rate")):
            cells[f"{name}_raw"] = arms.get((model, "raw_history"), {}).get(field)
            cells[f"{name}_summary"] = arms.get((model, "state_summary"), {}).get(field)
            cells[f"delta_{name}"] = effect.get(f"{field}_delta")
            interval = effect.get("bootstrap", {}).get(f"{field}_delta", {})
            cells[f"delta_{name}_low"], cells[f"delta_{name}_high"] = interval.get("ci_low"), interval.get("ci_high")
        found[model] = _named("14", cells)
    return found


def isomorphic_cells(analysis: Analysis) -> Named:
    """Tables 35 and 36 by model. A bad row is one whose answer could not be parsed; latencies are not released."""
    found: Named = {}
    for row in analysis.rows.get("probe_summary", []):
        parsed = {form: number(row, f"parse_rate_{form}") for form in FORMS}
        groups, known = number(row, "n_probe_groups"), [rate for rate in parsed.values() if rate is not None]
        bad = None
        if groups is not None and len(known) == len(FORMS):
            bad = float(round(sum(groups * (1.0 - rate) for rate in known)))
        cells = {
            "A_selection": number(row, "success_rate_A"),
            "B_generation": number(row, "success_rate_B"),
            "C_completion": number(row, "success_rate_C"),
            "SG_gap_pts": number(row, "sg_gap"),
            "parse_B": parsed["B"],
            "bad_rows": bad,
        }
        found[row.get("model_label") or ""] = _named("35", cells) | _named("36", {"bad_rows": bad})
    return found


def prompt_cells(analysis: Analysis) -> dict[str, dict[str, dict[CellName, Computed]]]:
    """Table 38 by experiment ("C1") and condition. Secondary endpoints and parse errors are not released."""
    found: dict[str, dict[str, dict[CellName, Computed]]] = {}
    for name in analysis.objects.get("tier3", {}):
        summary = analysis.of("tier3", name, "condition_summary")
        found[name.upper()] = {
            CONDITIONS[code]: _named("38", {"n": cell.get("n"), "primary": cell.get("rate", cell.get("mean_tau"))})
            for code, cell in summary.items()
            if code in CONDITIONS and isinstance(cell, dict)
        }
    return found


def _named(table: str, values: dict[str, Any]) -> dict[CellName, Computed]:
    return {CellName(table, column): Computed(float(v)) for column, v in values.items() if isinstance(v, int | float)}
