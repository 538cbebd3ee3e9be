"""The printed cells of one run, computed from its logs, or the reason why the logs do not give them."""

from collections.abc import Sequence
from typing import NamedTuple

from vehbench_hf.release.logs import ReleasedRun
from vehbench_hf.reproduce.sources import SOURCES, Source
from vehbench_hf.scoring import Part, Row, score_parts
from vehbench_hf.types import Record, Task


class CellName(NamedTuple):
    """A place in the tables, apart from the row: table number and column."""

    table: str
    column: str


class Computed(NamedTuple):
    """A computed cell. `absent` says why the logs do not give it; `value` is then None.

    A value of None without `absent` is a metric that the rows leave undefined.
    """

    value: float | None
    absent: str | None = None


def compute_cells(run: ReleasedRun, tasks: Sequence[Task]) -> dict[CellName, Computed]:
    """Every cell of `SOURCES` for one run, in the convention `released`."""
    scored: dict[Source, dict[str, Part] | str] = {}
    cells = {}
    for table, columns in SOURCES.items():
        for column, source in columns.items():
            rows_of = source._replace(part="")
            if rows_of not in scored:
                scored[rows_of] = _parts(run, tasks, source)
            parts = scored[rows_of]
            cells[CellName(table, column)] = (
                Computed(None, parts) if isinstance(parts, str) else Computed(parts[source.part].value)
            )
    return cells


def _parts(run: ReleasedRun, tasks: Sequence[Task], source: Source) -> dict[str, Part] | str:
    """All parts over the rows of a source, or in words what is missing."""
    wanted = {task.task_id: task for task in tasks if task.probe == source.probe and task.split in source.splits}
    records = _records(run, source)
    absent = wanted.keys() - {record.task_id for record in records}
    if not records or (absent and not source.every_line):
        where = source.splits[0] if len(source.splits) == 1 else "all splits"
        return f"the log holds {len(wanted) - len(absent)} of {len(wanted)} {source.probe} tasks of {where}"
    rows = [Row(wanted[record.task_id], record) for record in records]
    return score_parts(source.probe, rows, "released")


def _records(run: ReleasedRun, source: Source) -> list[Record]:
    if source.every_line:
        return [record for split in source.splits for record in run.lines.get((source.probe, split), ())]
    merged = [run.merged(source.probe, split) for split in source.splits]
    return [record for by_id in merged for _, record in sorted(by_id.items())]
