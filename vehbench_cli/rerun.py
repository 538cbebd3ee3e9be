"""Asking a model some tasks of a run again, to see whether it answers alike."""

import tempfile
from pathlib import Path
from typing import NamedTuple

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import limited
from vehbench_hf.errors import UserError
from vehbench_hf.runlog import TurnWriter, load_run, read_turns
from vehbench_hf.sampling import Sampling
from vehbench_hf.scoring import SCORERS, Row
from vehbench_hf.types import Convention, Record, Task


class Agreement(NamedTuple):
    """Tasks asked again, those of them with the same outcome and value, and the mean difference of the values
    (None where no task has two values)."""

    model: str
    asked: int
    same: int
    mean_difference: float | None


def rerun_tasks(log: Path, bank: Bank, count: int, model: str | None) -> Agreement:
    """Ask `count` tasks of a run again, spread over probes and splits, and compare with the first repeat of the log.

    A value is what one row adds to its probe's mean: ratio, success, tau, and in P1 whether the action is right. Raises
    UserError when the run has no such task or the model cannot be asked.
    """
    from vehbench_runners import Plan, make_backend, run_tasks

    run = load_run(log, bank)
    settings, logged = run.settings, run.records
    name = model or run.model
    tasks = [task for task in run.tasks if task.task_id in logged]
    chosen = _spread(tasks, count)
    if not chosen:
        raise UserError(f"{log} holds no finished task that could be asked again.")
    stored = {key.removeprefix("sampling."): value for key, value in settings.items() if key.startswith("sampling.")}
    try:
        sampling = Sampling(**stored)
    except TypeError:
        raise UserError(f"{log / 'run.json'}: the sampling {stored} is not one of this version.") from None
    backend = make_backend(name, sampling=sampling)
    with tempfile.TemporaryDirectory(prefix="vehbench-rerun-") as place:
        folder = Path(place)
        (folder / "run.json").write_text((log / "run.json").read_text(encoding="utf-8"), encoding="utf-8")
        with TurnWriter(folder) as writer:
            run_tasks(Plan(chosen, 1, run.protocol), backend, writer, read_turns(folder).turns)
        again = load_run(folder, bank, tasks=chosen).records
    asked = [task for task in chosen if task.task_id in again]
    pairs = [(_value(t, logged[t.task_id][0], bank), _value(t, again[t.task_id][0], bank)) for t in asked]
    same = [
        logged[task.task_id][0].outcome == again[task.task_id][0].outcome and before == after
        for task, (before, after) in zip(asked, pairs, strict=True)
    ]
    gaps = [abs(after - before) for before, after in pairs if before is not None and after is not None]
    return Agreement(name, len(asked), sum(same), sum(gaps) / len(gaps) if gaps else None)


def _spread(tasks: list[Task], count: int) -> list[Task]:
    """About `count` tasks in equal parts from the probes, by the rule of `--limit`."""
    probes = {task.probe for task in tasks}
    return limited(tasks, max(1, -(-count // max(1, len(probes)))))[:count] if probes else []


def _value(task: Task, record: Record, bank: Bank) -> float | None:
    """What one row is worth; None where it is unscored."""
    convention: Convention = bank.convention
    if record.outcome == "infra_error" or not record.applicable:
        return None
    scorer = SCORERS[task.probe]
    column = scorer.read_rows([Row(task, record)], convention).per_row
    return float(column.total[0]) if column.count[0] else None
