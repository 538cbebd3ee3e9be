"""The authors' aggregates by model, in the names of our parts: transcribed, not recomputed.

Two files overlap. `appendix_metrics.json` is what Tables 18 to 21 were made from (the partial P4 run of o4-mini and
the doubled P4 rows of qwen3.6-plus included); `profile_metrics.json` is what profiles, Table 4 and Table 32 were made
from. The first lacks some models, so the second stands in for it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from vehbench_hf.analysis.profiles import SUMMARY_GAINS
from vehbench_hf.paper.reproduce.cells import Cell, CellName, Cells, Computed
from vehbench_hf.paper.reproduce.inputs import Analysis, number
from vehbench_hf.paper.reproduce.sources import (
    APPENDIX_FIELDS,
    AXIS_FIELDS,
    AXIS_ROWS,
    CSV_FILES,
    LEADERBOARDS,
    PROFILE_FIELDS,
    SOURCES,
    STAGE_COLUMNS,
    STAGE_FIELDS,
)
from vehbench_hf.statistics import correlations
from vehbench_hf.types import PROBES, SPLITS, Probe

Values = dict[Probe, dict[str, float | None]]
"""Parts by probe."""

MEAN_ROW = "model_mean"
COMPLEMENT = "1 - "
NO_SPLIT = "the aggregates hold no split"


def model_keys(analysis: Analysis) -> list[str]:
    """The keys under which the aggregates list models."""
    return list(analysis.entry("profile_metrics", "models"))


def profile_parts(analysis: Analysis, key: str) -> Values:
    """Parts from `profile_metrics.json`, as far as it has them."""
    stages = {probe: _stage(analysis, key, probe) for probe in PROBES}
    return {
        probe: _parts(stage, PROFILE_FIELDS[probe]) | _combined(probe, stage)
        for probe, stage in stages.items()
        if stage.get("available")
    }


def profile_rows(analysis: Analysis, key: str, probe: Probe) -> int | None:
    """How many tasks the profile of a model counts at a probe."""
    rows = number(_stage(analysis, key, probe), "n")
    return None if rows is None else int(rows)


def appendix_parts(analysis: Analysis, key: str) -> Values:
    """Parts from `appendix_metrics.json`, which lists fewer models."""
    overall = {probe: analysis.entry("appendix_metrics", f"{probe}_overall", key) for probe in PROBES}
    return {probe: _parts(stage, APPENDIX_FIELDS[probe]) for probe, stage in overall.items() if stage}


def summary_gains(analysis: Analysis, key: str) -> dict[str, float]:
    """The effects of the state-summary intervention on a model; empty where it was not run."""
    effects = analysis.entry("interventions", "effects", key, "summary_effect")
    success, cascade = number(effects, "p3_success_delta"), number(effects, "constraint_cascade_rate_delta")
    return {} if success is None or cascade is None else dict(zip(SUMMARY_GAINS, (success, -cascade), strict=True))


def model_cells(analysis: Analysis, key: str) -> dict[CellName, Computed]:
    """The cells of `SOURCES` and Table 29 that the aggregates hold of one model."""
    profile = profile_parts(analysis, key)
    leaderboard = profile | appendix_parts(analysis, key)
    cells = {}
    for table, columns in SOURCES.items():
        values = leaderboard if table in LEADERBOARDS else profile
        for column, source in columns.items():
            value = values.get(source.probe, {}).get(source.part) if source.splits == SPLITS else None
            why = "the aggregates do not hold this number" if source.splits == SPLITS else NO_SPLIT
            cells[CellName(table, column)] = Computed(value, why if value is None else None)
    for axis, name in AXIS_FIELDS.items():
        score = number(analysis.entry("profile_metrics", "models", key, "dimension_scores", name), "score")
        cells[CellName("29", axis)] = Computed(score, "the aggregates hold no score" if score is None else None)
    return cells | {CellName("4", "state_reset"): cells[CellName("29", "state")]}


def correlation_cells(analysis: Analysis) -> dict[Cell, Computed]:
    """Table 3 (profile axes against stages) and Table 30 (stages against stages), over the whole roster."""
    stages = {stage: _profile_column(analysis, name) for stage, name in STAGE_FIELDS.items()}
    axes = {row: _profile_column(analysis, AXIS_FIELDS[axis]) for axis, row in AXIS_ROWS.items()}
    if not all([*stages.values(), *axes.values()]):
        return {}
    cells: dict[Cell, Computed] = {}
    for axis, by_stage in correlations(axes, stages).items():
        cells |= {Cell("3", axis, STAGE_COLUMNS[stage]): Computed(value) for stage, value in by_stage.items()}
    for stage, by_stage in correlations(stages, stages).items():
        cells |= {Cell("30", stage, other): Computed(value) for other, value in by_stage.items()}
    return cells


def mean_cells(cells: Cells, table: str, rows: Iterable[str]) -> dict[Cell, Computed]:
    """The plain mean of each column over all `rows` of a table, where none is missing; intervals do not average."""
    rows = list(rows)
    means = {}
    for column in dict.fromkeys(cell.column for cell in cells if cell.table == table):
        values = [cells[cell].value for row in rows if (cell := Cell(table, row, column)) in cells]
        known = [value for value in values if value is not None]
        if rows and len(known) == len(rows) and not column.endswith(("_low", "_high")):
            means[Cell(table, MEAN_ROW, column)] = Computed(sum(known) / len(known))
    return means


def _stage(analysis: Analysis, key: str, probe: Probe) -> dict[str, Any]:
    return analysis.entry("profile_metrics", "models", key, "stage_metrics", probe)


def _parts(stage: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, float | None]:
    """Our parts from the fields of a stage."""
    parts = {}
    for part, name in fields.items():
        value = number(stage, name.removeprefix(COMPLEMENT))
        parts[part] = 1.0 - value if value is not None and name.startswith(COMPLEMENT) else value
    return parts


def _combined(probe: Probe, stage: Mapping[str, Any]) -> dict[str, float | None]:
    """Parts that are made of two fields, as appendix H.1 says."""
    if probe == "p1":
        refusals = [number(stage, name) for name in ("spurious_request_rate", "spurious_infeasible_rate")]
        return {"over_refusal": min(1.0, sum(r for r in refusals if r is not None)) if None not in refusals else None}
    if probe == "p2":
        destructive = number(stage, "destructive_edit_rate")
        return {"destructive": 0.0 if destructive is None else destructive}  # as the authors print it
    if probe == "p3":
        success, escape = number(stage, "success_rate"), number(stage, "trap_escape_rate")
        if success is None or escape is None:
            return {"post_escape_failure": None}
        return {"post_escape_failure": min(1.0, max(0.0, 1.0 - success / max(escape, 1e-12)))}
    return {}


def _profile_column(analysis: Analysis, name: str) -> dict[str, float]:
    """A column of the profile scores by model."""
    rows, key = analysis.rows.get("profile_scores", []), CSV_FILES["profile_scores"].model
    return {row.get(key) or "": value for row in rows if (value := number(row, name)) is not None}
