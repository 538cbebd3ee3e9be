"""Which records of a run are scored: one row a task and epoch, in an order independent of the log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vehbench_hf.errors import RunError
from vehbench_hf.types import Probe, Record, Split, Task


class Row(NamedTuple):
    """A task and one finished episode on it."""

    task: Task
    record: Record


@dataclass(frozen=True)
class SortedRows:
    """The rows of a run by what becomes of them; `missing` are tasks without any record."""

    scored: list[Row]
    unscored: list[Row]
    not_applicable: list[Row]
    missing: list[Task]

    @property
    def complete(self) -> bool:
        """Whether every task has a record and none failed for reasons outside the model."""
        return not self.unscored and not self.missing

    @property
    def tasks(self) -> list[Task]:
        """The task of every row, those of `missing` last."""
        return [*(row.task for row in [*self.scored, *self.unscored, *self.not_applicable]), *self.missing]

    @property
    def lost(self) -> list[Task]:
        """The tasks of the rows without a score: unscored or missing."""
        return [*(row.task for row in self.unscored), *self.missing]

    def select(self, probe: Probe, splits: Sequence[Split]) -> "SortedRows":
        """The part that belongs to one probe and to some splits."""

        def inside(task: Task) -> bool:
            return task.probe == probe and task.split in splits

        return SortedRows(
            [row for row in self.scored if inside(row.task)],
            [row for row in self.unscored if inside(row.task)],
            [row for row in self.not_applicable if inside(row.task)],
            [task for task in self.missing if inside(task)],
        )


def sort_rows(tasks: Sequence[Task], records: Mapping[str, Sequence[Record]], *, epochs: int = 1) -> SortedRows:
    """Pair tasks with records, ordered by task id and epoch; a task is missing once for each absent epoch.

    Raises RunError for records of a task that is not among `tasks`: they belong to another bank or selection.
    """
    strangers = sorted(set(records) - {task.task_id for task in tasks})
    if strangers:
        raise RunError(
            f"{len(strangers)} tasks of the log are not among the {len(tasks)} tasks to be scored, for "
            f"instance {strangers[0]!r}; score the log with the bank and selection it was made with."
        )
    rows = SortedRows([], [], [], [])
    for task in sorted(tasks, key=lambda task: task.task_id):
        episodes = sorted(records.get(task.task_id, ()), key=lambda record: record.epoch)
        rows.missing.extend([task] * (epochs - len(episodes)))
        for record in episodes:
            if not record.applicable:
                rows.not_applicable.append(Row(task, record))
            elif record.outcome == "infra_error":
                rows.unscored.append(Row(task, record))
            else:
                rows.scored.append(Row(task, record))
    return rows


def readable(row: Row) -> bool:
    """Whether the reply could be read: the episode ended well and, in P4, the answer orders the candidates."""
    if row.record.outcome != "ok":
        return False
    return row.task.probe != "p4" or is_order(row.record, row.task.gold["ranking"])


def is_order(record: Record, ids: Sequence[str]) -> bool:
    """Whether the last step ranks exactly these candidates."""
    return bool(record.steps) and sorted(record.steps[-1].ranking) == sorted(ids)


def cluster(task: Task) -> str:
    """What counts as one observation: the key of the paper behind the task, else the task itself."""
    return task.anchor["key"] if task.anchor else task.task_id
