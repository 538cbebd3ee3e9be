"""Tables about the whole roster, from the authors' aggregates: rank correlations and means."""

from collections.abc import Mapping

from vehbench_hf.paper.reproduce.aggregates import AXIS_OF
from vehbench_hf.paper.reproduce.analysis import Analysis, number
from vehbench_hf.paper.reproduce.cells import Cell, Cells, Computed
from vehbench_hf.statistics import correlations

STAGES = {
    "P1": ("P1_comp", "p1_composite"),
    "P2": ("P2_ratio", "p2_final_feasible_power_ratio"),
    "P3": ("P3_success", "p3_success_rate"),
    "P4": ("P4_tau", "p4_full_tau"),
}
"""By stage the column of Table 3 and the column of the authors' file of profile scores."""
AXIS_ROWS = {
    "action": "action_discipline",
    "edit": "edit_style",
    "feedback": "feedback_conditioning",
    "state": "state_reset_effort",
    "policy": "policy_execution",
}
MEAN_ROW = "model_mean"

Column = dict[str, float]
"""Values by model."""


def correlation_cells(analysis: Analysis) -> dict[Cell, Computed]:
    """Table 3 (profile axes against stages) and Table 30 (stages against stages)."""
    stages = {stage: _column(analysis, name) for stage, (_, name) in STAGES.items()}
    axes = {row: _column(analysis, AXIS_OF[axis]) for axis, row in AXIS_ROWS.items()}
    if not all([*stages.values(), *axes.values()]):
        return {}
    cells: dict[Cell, Computed] = {}
    for axis, found in correlations(axes, stages).items():
        cells |= {Cell("3", axis, STAGES[stage][0]): Computed(value) for stage, value in found.items()}
    for stage, found in correlations(stages, stages).items():
        cells |= {Cell("30", stage, other): Computed(value) for other, value in found.items()}
    return cells


def mean_cells(cells: Cells, models: Mapping[str, object]) -> dict[Cell, Computed]:
    """The last row of Table 4: the unweighted mean of every column over all `models`, when no one is missing."""
    found = {}
    for column in dict.fromkeys(cell.column for cell in cells if cell.table == "4"):
        values = [cells[cell].value for model in models if (cell := Cell("4", model, column)) in cells]
        known = [value for value in values if value is not None]
        if models and len(known) == len(models):
            found[Cell("4", MEAN_ROW, column)] = Computed(sum(known) / len(known))
    return found


def _column(analysis: Analysis, name: str) -> Column:
    rows = analysis.rows.get("profile_scores", [])
    return {row.get("model_key") or "": value for row in rows if (value := number(row, name)) is not None}
