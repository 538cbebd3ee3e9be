"""The paper's tables from the authors' release, cell by cell."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vehbench_hf.errors import UserError
from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.reproduce.aggregates import (
    MEAN_ROW,
    Values,
    correlation_cells,
    mean_cells,
    model_cells,
    model_keys,
    profile_parts,
    summary_gains,
)
from vehbench_hf.paper.reproduce.calibration import bank_cells
from vehbench_hf.paper.reproduce.cells import (
    SOURCE_KINDS,
    Cell,
    CellName,
    Computed,
    Fit,
    PrintedTable,
    SourceKind,
    Tables,
    in_row,
    match_rows,
    read_published,
)
from vehbench_hf.paper.reproduce.experiments import experiment_cells
from vehbench_hf.paper.reproduce.inputs import Inputs, read_inputs
from vehbench_hf.paper.reproduce.intervals import NearTie, aggregate_cells, interval_cells, near_ties
from vehbench_hf.paper.reproduce.printed_inputs import printed_input_cells
from vehbench_hf.paper.reproduce.result import NO_DIRECTORY, ComparedCell, Reproduction, TableResult, Verdict
from vehbench_hf.paper.reproduce.row_logs import ScoredRun, axis_cells, compute_cells, other_runs
from vehbench_hf.paper.reproduce.sources import COVERED, LEADERBOARDS, NOT_FROM_ROWS
from vehbench_hf.types import PROBES

NO_INTERVENTION = "the state score takes in the state-summary intervention, whose rows are not released"
NO_RULE = "this cell does not follow from the row logs"


@dataclass(frozen=True)
class Evidence:
    """Computed cells by source, which directory is which printed row, every fit, and what Table 13 leaves unprinted."""

    cells: dict[SourceKind, dict[Cell, Computed]]
    matched: dict[str, Fit]
    fits: list[Fit]
    near_ties: list[NearTie] = field(default_factory=list)


def reproduce(release_dir: Path, published: Path | None = None) -> Reproduction:
    """Compare every printed cell with what the release gives: its row logs, else the authors' own aggregates.

    `published` is a file of printed tables, the paper's unless given. Which directory is which printed row is
    read from the numbers. No printed number enters a computed cell, but for Tables 5, 28 and 31, which are
    arithmetic on other printed tables and counted apart.

    Raises ReleaseError for a folder without task bank, with a changed one, or without the logs of any model, and
    UserError for a file that holds none of the tables.
    """
    printed = read_published(published)
    if not covered(printed):
        raise UserError(f"{published} holds none of Tables {', '.join(COVERED)}.")
    return compare(read_inputs(release_dir), printed)


def covered(printed: Tables) -> dict[str, PrintedTable]:
    """The printed tables that are compared, in the order of the paper."""
    return {number: printed[number] for number in COVERED if number in printed}


def compare(inputs: Inputs, printed: Tables) -> Reproduction:
    """The same from what was read, for the printed tables that are given."""
    tables = covered(printed)
    evidence = gather(inputs, tables)
    named = {fit.label for fit in evidence.matched.values()}
    runs = sorted(inputs.runs, key=lambda run: run.label)
    return Reproduction(
        tables={number: _compare_table(number, table, evidence) for number, table in tables.items()},
        matched=evidence.matched,
        unmatched={run.label: _closest(run.label, evidence.fits) for run in runs if run.label not in named},
        coverage={run.label: (*_equal_fits(run.label, evidence), *_absent_probes(run), *run.notes) for run in runs},
        near_ties=tuple(evidence.near_ties),
        absent=inputs.analysis.absent,
    )


def gather(inputs: Inputs, tables: Tables) -> Evidence:
    """Compute every cell that the inputs give. Only the printed inputs of some tables are read from `tables`."""
    analysis = inputs.analysis
    leaderboards = {number: table for number, table in tables.items() if number in LEADERBOARDS}
    runs = {run.label: ScoredRun(run, inputs.tasks) for run in sorted(inputs.runs, key=lambda run: run.label)}
    by_run = {label: compute_cells(run) for label, run in runs.items()}
    matched, fits = match_rows(by_run, leaderboards)
    summaries = {key: model_cells(analysis, key) for key in model_keys(analysis)}
    keys = {row: fit.label for row, fit in match_rows(summaries, leaderboards)[0].items()}

    logs, usable = bank_cells(inputs.tasks, tables), {}
    aggregates = {
        cell: computed
        for row, key in keys.items()
        for cell, computed in in_row(row, summaries[key]).items()
        if computed.absent is None
    }
    for row, fit in matched.items():
        run = usable[row] = _usable(runs[fit.label], inputs, keys.get(row))
        logs |= in_row(row, by_run[fit.label] if run is runs[fit.label] else compute_cells(run))
        gains = summary_gains(analysis, keys[row]) if row in keys else {}
        if gains or not analysis.entry("interventions"):
            # Part of the score is an effect whose rows are not released, so that it is no row-log cell.
            state = axis_cells(run, gains)
            for name in (CellName("29", "state"), CellName("4", "state_reset")):
                logs[Cell(name.table, row, name.column)] = Computed(None, NO_INTERVENTION)
                if gains and state[name].absent is None:
                    aggregates[Cell(name.table, row, name.column)] = state[name]
        mode = inputs.thinking.get(fit.label)
        logs[Cell("27", row, "think_used")] = (
            Computed(None, "the manifests record no thinking mode") if mode is None else Computed(float(mode))
        )
    aggregates |= experiment_cells(analysis, inputs.circuit_sizes, tables) | correlation_cells(analysis)
    aggregates |= mean_cells(aggregates, "4", tables["2"].rows if "2" in tables else {})
    values: Mapping[str, Values] = {row: profile_parts(analysis, key) for row, key in keys.items()}
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


def _usable(run: ScoredRun, inputs: Inputs, key: str | None) -> ScoredRun:
    """The run without the probes whose log is another run than the one behind the tables."""
    others = other_runs(run, inputs.analysis, key)
    return ScoredRun(run.run, inputs.tasks, others) if others else run


def _compare_table(number: str, table: PrintedTable, evidence: Evidence) -> TableResult:
    cells = [
        _compare_cell(Cell(number, row, column), value, table, evidence)
        for row, printed in table.rows.items()
        for column, value in printed.items()
    ]
    return TableResult(table.title, tuple(cells))


def _compare_cell(cell: Cell, printed: float, table: PrintedTable, evidence: Evidence) -> ComparedCell:
    """A printed cell beside the first source that gives it."""
    given = {kind: computed for kind in SOURCE_KINDS if (computed := evidence.cells[kind].get(cell)) is not None}
    source = next((kind for kind, computed in given.items() if computed.absent is None), None)
    if source is None:
        return ComparedCell(cell.row, cell.column, printed, None, 0.0, None, "absent", _reason(cell, evidence))
    computed = given[source]
    verdict: Verdict = "different"
    if table.prints_equal(cell.row, cell.column, computed):
        verdict = "equal"
    elif table.within_spread(cell.row, cell.column, computed):
        verdict = "within"
    in_print = table.how(cell.row, cell.column).in_print
    shown = None if computed.value is None else in_print(computed.value)
    reason = None if source == "row_logs" else _reason(cell, evidence)
    return ComparedCell(cell.row, cell.column, printed, shown, in_print(computed.spread), source, verdict, reason)


def _reason(cell: Cell, evidence: Evidence) -> str:
    """Why the row logs do not give a cell."""
    computed = evidence.cells["row_logs"].get(cell)
    if computed is not None and computed.absent is not None:
        return computed.absent
    if cell.table == "4" and cell.row == MEAN_ROW:
        return "the mean needs all models; the logs of some are not released"
    if cell.table in NOT_FROM_ROWS:
        return NOT_FROM_ROWS[cell.table]
    is_a_model = any(fit.row == cell.row for fit in evidence.fits)
    return NO_DIRECTORY if is_a_model and cell.row not in evidence.matched else NO_RULE


def _closest(label: str, fits: list[Fit]) -> Fit:
    candidates = [fit for fit in fits if fit.label == label]
    return max(candidates, key=lambda fit: (fit.share, fit.equal), default=Fit(label, "none", 0, 0))


def _equal_fits(label: str, evidence: Evidence) -> list[str]:
    """A sentence where the numbers of a directory cannot tell two printed rows apart."""
    return [
        f"its cells fit the printed row {other.row} as well as {fit.row}"
        for fit in evidence.matched.values()
        for other in evidence.fits
        if label == fit.label == other.label
        and other.row not in evidence.matched
        and (other.share, other.equal) == (fit.share, fit.equal)
    ]


def _absent_probes(run: ReleasedRun) -> list[str]:
    return [f"{probe}: no rows at all" for probe in PROBES if not any(place[0] == probe for place in run.lines)]
