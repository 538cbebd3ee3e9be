"""All computed cells of all tables, by source, from what was read of a release."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.reproduce.aggregates import model_cells, model_keys, profile_parts, summary_gains
from vehbench_hf.paper.reproduce.analysis import Analysis
from vehbench_hf.paper.reproduce.calibration import CMA_ROWS, NO_CMA, calibration_cells
from vehbench_hf.paper.reproduce.cells import Cell, CellName, Cells, Computed, SourceKind, Tables, in_row
from vehbench_hf.paper.reproduce.computed import ScoredRun, axis_cells, compute_cells
from vehbench_hf.paper.reproduce.experiments import experiment_cells
from vehbench_hf.paper.reproduce.matching import Fit, match_rows
from vehbench_hf.paper.reproduce.near_ties import NearTie, near_ties
from vehbench_hf.paper.reproduce.other_runs import other_runs
from vehbench_hf.paper.reproduce.printed_inputs import printed_input_cells
from vehbench_hf.paper.reproduce.roster import correlation_cells, mean_cells
from vehbench_hf.paper.reproduce.sources import LEADERBOARDS
from vehbench_hf.paper.reproduce.uncertainty import aggregate_cells, interval_cells
from vehbench_hf.types import Probe, Task

NO_INTERVENTION = "the state score takes in the state-summary intervention, whose rows are not released"


@dataclass(frozen=True)
class Inputs:
    """What is read of a release: logs, task bank, the authors' summaries, and facts beside them.

    `thinking` is by directory; `circuit_sizes` the number of circuit tasks by probe.
    """

    runs: Sequence[ReleasedRun]
    tasks: Sequence[Task]
    analysis: Analysis = field(default_factory=Analysis)
    thinking: Mapping[str, bool | None] = field(default_factory=dict)
    circuit_sizes: Mapping[Probe, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """Computed cells by source, which directory is which printed row, every fit, and what Table 13 leaves unprinted."""

    cells: dict[SourceKind, dict[Cell, Computed]]
    matched: dict[str, Fit]
    fits: list[Fit]
    near_ties: list[NearTie] = field(default_factory=list)


def gather(inputs: Inputs, tables: Tables) -> Evidence:
    """Compute every cell that the inputs give. Only the printed inputs of some tables are read from `tables`."""
    leaderboards = {number: table for number, table in tables.items() if number in LEADERBOARDS}
    scored = {run.label: ScoredRun(run, inputs.tasks) for run in sorted(inputs.runs, key=lambda run: run.label)}
    by_run = {label: compute_cells(run, inputs.tasks) for label, run in scored.items()}
    matched, fits = match_rows(by_run, leaderboards)
    summaries = {key: model_cells(inputs.analysis, key) for key in model_keys(inputs.analysis)}
    keys = {row: fit.label for row, fit in match_rows(summaries, leaderboards)[0].items()}
    values = {row: profile_parts(inputs.analysis, key) for row, key in keys.items()}

    logs: dict[Cell, Computed] = {}
    aggregates: dict[Cell, Computed] = {}
    for row, key in keys.items():
        aggregates |= _given(in_row(row, summaries[key]))
    usable: dict[str, ScoredRun] = {}
    for row, fit in matched.items():
        run = scored[fit.label]
        other = other_runs(run, inputs.analysis, keys.get(row))
        usable[row] = ScoredRun(run.run, inputs.tasks, other) if other else run
        logs |= in_row(row, compute_cells(usable[row], inputs.tasks) if other else by_run[fit.label])
        gains = summary_gains(inputs.analysis, keys[row]) if row in keys else {}
        if gains or not inputs.analysis.of("interventions"):
            # Part of the score is an effect whose rows are not released, so that it is no row-log cell.
            state = axis_cells(usable[row], gains)
            for name in (CellName("29", "state"), CellName("4", "state_reset")):
                logs[Cell(name.table, row, name.column)] = Computed(None, NO_INTERVENTION)
                if gains and state[name].absent is None:
                    aggregates[Cell(name.table, row, name.column)] = state[name]
        mode = inputs.thinking.get(fit.label)
        logs[Cell("27", row, "think_used")] = (
            Computed(None, "the manifests record no thinking mode") if mode is None else Computed(float(mode))
        )
    logs |= _bank_cells(inputs.tasks, tables)
    aggregates |= experiment_cells(inputs.analysis, inputs.circuit_sizes, tables) | correlation_cells(inputs.analysis)
    aggregates |= mean_cells(aggregates, tables["2"].rows if "2" in tables else {})
    if "12" in tables:
        logs |= interval_cells(tables["12"], usable)
        aggregates |= aggregate_cells(tables["12"], values, Counter(task.probe for task in inputs.tasks))
    printed = printed_input_cells(tables, Counter((task.probe, task.split) for task in inputs.tasks))
    cells: dict[SourceKind, dict[Cell, Computed]] = {
        "row_logs": logs,
        "aggregates": aggregates,
        "printed_inputs": printed,
    }
    return Evidence(cells, matched, fits, near_ties(tables["13"], usable, values) if "13" in tables else [])


def _bank_cells(tasks: Sequence[Task], tables: Tables) -> dict[Cell, Computed]:
    """Cells that follow from the task bank, and why the CMA-ES rows do not follow from anything."""
    cells = calibration_cells(tasks) if "16" in tables or "34" in tables else {}
    budgets = {task.spec["query_budget"] for task in tasks if task.probe == "p2"}
    for row in tables["34"].rows if "34" in tables else ():
        if row in CMA_ROWS:
            cells |= {Cell("34", row, column): Computed(None, NO_CMA) for column in tables["34"].columns}
        elif Cell("34", row, "budget") not in cells and len(budgets) == 1:
            cells[Cell("34", row, "budget")] = Computed(float(max(budgets)))
    return cells


def _given(cells: Cells) -> dict[Cell, Computed]:
    return {cell: computed for cell, computed in cells.items() if computed.absent is None}
