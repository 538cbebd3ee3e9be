"""The authors' run logs: each model folder of the release as a `ReleasedRun`, in one form."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vehbench_hf.paper.release.checks import coverage_gaps, disagreements
from vehbench_hf.paper.release.records import record_of, reply_of
from vehbench_hf.paper.release.references import Generation, read_references
from vehbench_hf.paper.release.rows import LogRow, ModelRows, Place, model_folders, read_model_rows
from vehbench_hf.types import Probe, Record, Split, Task
from vehbench_oracle import VARIABLES, box_violations


@dataclass(frozen=True)
class ReleasedRun:
    """One model's logs.

    `label` is the name of its folder. `lines` holds a record for each row whose task is in the bank, in file
    order; retries have taken the place of the rows they replace, and a task that occurs twice in one file is
    kept twice. `rows` holds the rows themselves in the same order. `replies` maps task ids to the text of the
    model where the release has it. `notes` says in words what was skipped, merged or is odd.
    """

    label: str
    lines: dict[Place, tuple[Record, ...]]
    rows: dict[Place, tuple[LogRow, ...]]
    replies: dict[str, str | None]
    reference_generation: Generation | None
    notes: tuple[str, ...]

    def merged(self, probe: Probe, split: Split | None = None) -> dict[str, Record]:
        """Records by task id, over one split or all; of several rows of a task the last one."""
        return {
            record.task_id: record
            for place, records in self.lines.items()
            if place[0] == probe and split in (None, place[1])
            for record in records
        }


def find_runs(release_dir: Path, tasks: Iterable[Task]) -> list[ReleasedRun]:
    """All runs of a release that hold rows of `tasks`, in the order of their folder names; none is no error.

    A line that cannot be read is left out and noted.
    """
    by_id = {task.task_id: task for task in tasks}
    places: dict[str, Place] = {task.task_id: (task.probe, task.split) for task in by_id.values()}
    generation = read_references(release_dir).generation
    runs = []
    for folder in model_folders(release_dir):
        model = read_model_rows(folder, places)
        if model.lines:
            runs.append(_run(folder.name, model, by_id, generation.get(folder.name)))
    return runs


def _outside_bounds(task: Task, record: Record) -> list[str]:
    """Proposals that the authors' verifier, which never looks at bounds, calls feasible outside them."""
    return [
        f"{task.task_id}: live step {number} is logged as feasible with {outside[0].name} outside its bounds"
        for number, step in enumerate(record.steps, start=1)
        if step.design is not None
        and step.verdict is not None
        and step.verdict.feasible
        and (outside := box_violations(VARIABLES, step.design, task.spec["variable_bounds"]))
    ]


def _run(label: str, model: ModelRows, tasks: dict[str, Task], generation: Generation | None) -> ReleasedRun:
    lines: dict[Place, tuple[Record, ...]] = {}
    rows: dict[Place, tuple[LogRow, ...]] = {}
    replies: dict[str, str | None] = {}
    notes = list(model.notes)
    for place, logged in model.lines.items():
        read = []
        for row in logged:
            task = tasks[row.result["task_id"]]
            try:
                read.append((record_of(task, row), row))
            except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
                what = f"{type(error).__name__}: {error}"
                notes.append(f"{task.task_id}: the row cannot be read and is left out, {what}")
                continue
            notes += disagreements(task, row) + _outside_bounds(task, read[-1][0])
            reply = reply_of(task, row)
            if reply is not None or task.task_id in replies:
                replies[task.task_id] = reply
        lines[place] = tuple(record for record, _ in read)
        rows[place] = tuple(row for _, row in read)
    notes += coverage_gaps(rows, tasks.values())
    return ReleasedRun(label, lines, rows, replies, generation, tuple(notes))
