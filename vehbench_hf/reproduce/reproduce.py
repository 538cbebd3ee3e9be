"""The paper's tables from the authors' logs, cell by cell."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from vehbench_hf.errors import ReleaseError, UserError
from vehbench_hf.release.logs import ReleasedRun, find_runs
from vehbench_hf.release.manifest import verify_release
from vehbench_hf.release.references import read_references
from vehbench_hf.release.tasks import read_tasks
from vehbench_hf.reproduce.computed import CellName, Computed, compute_cells
from vehbench_hf.reproduce.matching import Fit, match_rows, prints_equal
from vehbench_hf.reproduce.published import PrintedTable, read_published
from vehbench_hf.reproduce.result import NO_DIRECTORY, Difference, NotInLogs, Reproduction, TableResult
from vehbench_hf.reproduce.sources import SOURCES
from vehbench_hf.types import PROBES, Task

NO_RULE = Computed(None, "this column does not follow from the row logs")


def reproduce(release_dir: Path, published: Path | None = None) -> Reproduction:
    """Compare every cell of Tables 2, 18 to 21 and 23 to 26 that the logs give with the printed one.

    `published` is a file of printed tables, the paper's unless given. Which directory is which printed row is
    found from the numbers. Nothing but the row logs and the task bank is read; the authors' own aggregates
    are not.

    Raises ReleaseError for a folder without task bank, with a changed one, or without the logs of any model, and
    UserError for a file that holds none of the tables.
    """
    printed = read_published(published)
    tables = {number: printed[number] for number in SOURCES if number in printed and printed[number].rows}
    if not tables:
        raise UserError(f"{published} holds none of Tables {', '.join(SOURCES)}, which follow from the row logs.")
    verify_release(release_dir)
    tasks = read_tasks(release_dir, read_references(release_dir))
    runs = find_runs(release_dir, tasks)
    if not runs:
        raise ReleaseError(
            f"{release_dir} holds the task bank but the logs of no model; expected result files such as "
            "results/model_outputs/<model>/.../main_results.jsonl."
        )
    return compare(runs, tasks, tables)


def compare(runs: Sequence[ReleasedRun], tasks: Sequence[Task], tables: Mapping[str, PrintedTable]) -> Reproduction:
    """The same from what was read: runs, tasks, and the printed tables among `SOURCES`."""
    computed = {
        run.label: {
            name: cell
            for name, cell in compute_cells(run, tasks).items()
            if name.table in tables and name.column in tables[name.table].columns
        }
        for run in sorted(runs, key=lambda run: run.label)
    }
    matched, fits = match_rows(computed, tables)
    named = {fit.label for fit in matched.values()}
    return Reproduction(
        tables={number: _compare_table(number, table, matched, computed) for number, table in tables.items()},
        matched=matched,
        unmatched={label: _closest(label, fits) for label in computed if label not in named},
        coverage={
            run.label: (*_equal_fits(run.label, matched, fits), *_absent_probes(run), *run.notes)
            for run in sorted(runs, key=lambda run: run.label)
        },
    )


def _compare_table(
    number: str,
    table: PrintedTable,
    matched: Mapping[str, Fit],
    computed: Mapping[str, Mapping[CellName, Computed]],
) -> TableResult:
    compared, different, absent = 0, [], []
    for row, printed in table.rows.items():
        for column, value in printed.items():
            if row not in matched:
                absent.append(NotInLogs(row, column, NO_DIRECTORY))
                continue
            cell = computed[matched[row].label].get(CellName(number, column), NO_RULE)
            if cell.absent is not None:
                absent.append(NotInLogs(row, column, cell.absent))
                continue
            compared += 1
            if not prints_equal(value, cell, table, column):
                found = None if cell.value is None else table.columns[column].in_print(cell.value)
                different.append(Difference(row, column, value, found))
    return TableResult(table.title, compared, tuple(different), tuple(absent))


def _closest(label: str, fits: Sequence[Fit]) -> Fit:
    return max((fit for fit in fits if fit.label == label), key=lambda fit: (fit.share, fit.equal))


def _equal_fits(label: str, matched: Mapping[str, Fit], fits: Sequence[Fit]) -> list[str]:
    """A sentence where the numbers of a directory cannot tell two printed rows apart."""
    mine = [fit for fit in matched.values() if fit.label == label]
    return [
        f"its cells fit the printed row {other.row} as well as {fit.row}"
        for fit in mine
        for other in fits
        if other.label == label and other.row not in matched and (other.share, other.equal) == (fit.share, fit.equal)
    ]


def _absent_probes(run: ReleasedRun) -> list[str]:
    return [f"{probe}: no rows at all" for probe in PROBES if not any(place[0] == probe for place in run.lines)]
