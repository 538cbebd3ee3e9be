"""The paper's tables from the authors' release, cell by cell."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from vehbench_hf.errors import ReleaseError, UserError
from vehbench_hf.paper.release.logs import ReleasedRun, find_runs
from vehbench_hf.paper.release.manifest import verify_release
from vehbench_hf.paper.release.references import read_references
from vehbench_hf.paper.release.tasks import read_tasks
from vehbench_hf.paper.reproduce.analysis import read_analysis
from vehbench_hf.paper.reproduce.cells import SOURCE_KINDS, Cell, Computed, SourceKind, Tables
from vehbench_hf.paper.reproduce.evidence import Evidence, Inputs, gather
from vehbench_hf.paper.reproduce.manifests import thinking_modes
from vehbench_hf.paper.reproduce.matching import Fit, prints_equal, within_spread
from vehbench_hf.paper.reproduce.published import PrintedTable, read_published
from vehbench_hf.paper.reproduce.result import (
    NO_DIRECTORY,
    Count,
    Difference,
    NotInLogs,
    Reproduction,
    TableResult,
    Within,
)
from vehbench_hf.paper.reproduce.roster import MEAN_ROW
from vehbench_hf.types import PROBES, Probe

COVERED = (
    *("2", "3", "4", "5", "12", "13", "14", "16", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28"),
    *("29", "30", "31", "32", "34", "35", "36", "38", "40", "41", "42", "43", "44"),
)
"""Tables 13 and 22 hold no numbers, so that nothing of them is compared; see `near_ties` for the pairs of Table 13."""

NOT_FROM_ROWS = {
    "3": "the correlation needs all twelve models; the logs of some are not released",
    "5": "the selection needs the splits of all twelve models; the logs of some are not released",
    "14": "no rows of the intervention are released",
    "28": "the labels of the groups are printed, not logged",
    "30": "the correlation needs all twelve models; the logs of some are not released",
    "31": "the selection needs the splits of all twelve models; the logs of some are not released",
    "35": "no rows of the isomorphic probe are released",
    "36": "no rows of the isomorphic probe are released",
    "38": "no rows of the controlled prompts are released",
    **dict.fromkeys(("40", "41", "42", "43", "44"), "no circuit logs are released"),
}
"""Why no cell of a table is a row-log cell."""
NO_RULE = "this cell does not follow from the row logs"


def reproduce(release_dir: Path, published: Path | None = None) -> Reproduction:
    """Compare every printed cell with what the release gives: its row logs, else the authors' own aggregates.

    `published` is a file of printed tables, the paper's unless given. Which directory is which printed row is
    found from the numbers. No printed number enters a computed cell, but for Tables 5, 28 and 31, which are
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


def read_inputs(release_dir: Path) -> Inputs:
    """Read all of a release that tables are computed from. Raises ReleaseError, see `reproduce`."""
    verify_release(release_dir)
    tasks = read_tasks(release_dir, read_references(release_dir))
    runs = find_runs(release_dir, tasks)
    if not runs:
        raise ReleaseError(
            f"{release_dir} holds the task bank but the logs of no model; expected result files such as "
            "results/model_outputs/<model>/.../main_results.jsonl."
        )
    return Inputs(runs, tasks, read_analysis(release_dir), thinking_modes(release_dir), _circuit_sizes(release_dir))


def compare(inputs: Inputs, printed: Tables) -> Reproduction:
    """The same from what was read, for the printed tables that are given."""
    tables = covered(printed)
    found = gather(inputs, tables)
    named = {fit.label for fit in found.matched.values()}
    runs = sorted(inputs.runs, key=lambda run: run.label)
    return Reproduction(
        tables={number: _compare_table(number, table, found) for number, table in tables.items()},
        matched=found.matched,
        unmatched={run.label: _closest(run.label, found.fits) for run in runs if run.label not in named},
        coverage={run.label: (*_equal_fits(run.label, found), *_absent_probes(run), *run.notes) for run in runs},
        near_ties=tuple(found.near_ties),
    )


def _compare_table(number: str, table: PrintedTable, found: Evidence) -> TableResult:
    compared: dict[SourceKind, list[bool]] = {kind: [] for kind in SOURCE_KINDS}
    different, absent, within = [], [], []
    for row, printed in table.rows.items():
        for column, value in printed.items():
            cell = Cell(number, row, column)
            kind, computed = _strongest(cell, found)
            if kind != "row_logs":
                absent.append(NotInLogs(row, column, _reason(cell, found), kind))
            if kind is None:
                continue
            how = table.how(row, column)
            equal = prints_equal(value, computed, table, row, column)
            close = not equal and within_spread(value, computed, table, row, column)
            compared[kind].append(equal or close)
            if close and computed.value is not None:
                shown = (how.in_print(computed.value), how.in_print(computed.spread))
                within.append(Within(row, column, value, *shown, kind))
            elif not equal:
                found_value = None if computed.value is None else how.in_print(computed.value)
                different.append(Difference(row, column, value, found_value, kind))
    counts = {kind: Count(len(verdicts), sum(verdicts)) for kind, verdicts in compared.items()}
    return TableResult(table.title, counts, tuple(different), tuple(absent), tuple(within))


def _strongest(cell: Cell, found: Evidence) -> tuple[SourceKind | None, Computed]:
    """The first source that gives a cell, and the cell."""
    for kind in SOURCE_KINDS:
        computed = found.cells[kind].get(cell)
        if computed is not None and computed.absent is None:
            return kind, computed
    return None, Computed(None)


def _reason(cell: Cell, found: Evidence) -> str:
    """Why the row logs do not give a cell."""
    computed = found.cells["row_logs"].get(cell)
    if computed is not None and computed.absent is not None:
        return computed.absent
    if cell.table == "4" and cell.row == MEAN_ROW:
        return "the mean needs all models; the logs of some are not released"
    if cell.table in NOT_FROM_ROWS:
        return NOT_FROM_ROWS[cell.table]
    is_a_model = any(fit.row == cell.row for fit in found.fits)
    return NO_DIRECTORY if is_a_model and cell.row not in found.matched else NO_RULE


def _closest(label: str, fits: Sequence[Fit]) -> Fit:
    of_label = [fit for fit in fits if fit.label == label]
    return max(of_label, key=lambda fit: (fit.share, fit.equal), default=Fit(label, "none", 0, 0))


def _equal_fits(label: str, found: Evidence) -> list[str]:
    """A sentence where the numbers of a directory cannot tell two printed rows apart."""
    mine = [fit for fit in found.matched.values() if fit.label == label]
    return [
        f"its cells fit the printed row {other.row} as well as {fit.row}"
        for fit in mine
        for other in found.fits
        if other.label == label
        and other.row not in found.matched
        and (other.share, other.equal) == (fit.share, fit.equal)
    ]


def _absent_probes(run: ReleasedRun) -> list[str]:
    return [f"{probe}: no rows at all" for probe in PROBES if not any(place[0] == probe for place in run.lines)]


def _circuit_sizes(release_dir: Path) -> Mapping[Probe, int]:
    """The circuit tasks of the bank by probe; probes without a file are left out."""
    files: dict[Probe, Path] = {probe: release_dir / "data/circuit" / f"{probe}_tasks.jsonl" for probe in PROBES}
    return {
        probe: sum(bool(line.strip()) for line in file.read_text(encoding="utf-8").splitlines())
        for probe, file in files.items()
        if file.is_file()
    }
