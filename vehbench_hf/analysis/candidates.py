"""Runs as candidates of each stage: dev and held-out scores over the tasks that all of them share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vehbench_hf.analysis.stage_choice import StageScore, held_out
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.scoring import SCORERS, Row, cluster, score_parts
from vehbench_hf.statistics import resample_weights
from vehbench_hf.types import PROBES, Convention, Probe, Split

SELECTION: Split = "dev"
HELD_OUT: tuple[Split, ...] = ("test_id", "test_ood")

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stage:
    """One stage: the rows of every candidate by name, all on the same tasks, and their scores.

    `left_out` counts tasks that some candidate has no score for.
    """

    probe: Probe
    rows: Mapping[str, list[Row]]
    scores: Mapping[str, StageScore]
    left_out: int

    def tasks(self, *splits: Split) -> int:
        """How many tasks of some splits every candidate is scored on."""
        rows = next(iter(self.rows.values()), [])
        return len({row.task.task_id for row in rows if row.task.split in splits})


def names_of(runs: Sequence[Run]) -> list[str]:
    """A name for each run: its model where that tells the runs apart, else its folder."""
    models = [run.model for run in runs]
    return [run.model if models.count(run.model) == 1 else run.name for run in runs]


def stages_of(runs: Mapping[str, Run], convention: Convention) -> dict[Probe, Stage]:
    """Every stage that at least one run has rows of."""
    stages = {}
    for probe in PROBES:
        rows = {name: listed for name, run in runs.items() if (listed := run.scored(probe))}
        if rows:
            stages[probe] = _stage(probe, rows, convention)
    return stages


def resampled(stage: Stage, convention: Convention, *, resamples: int, seed: int) -> dict[str, Array]:
    """The held-out score of each candidate in each resample, shape (B,); the same papers are drawn for all.

    NaN where a resample leaves a score undefined. Candidates without a held-out score are left out.
    """
    listed = sorted({row.task.task_id: row.task for rows in stage.rows.values() for row in rows}.items())
    tasks = {name: (place, task) for place, (name, task) in enumerate(listed) if task.split in HELD_OUT}
    if not tasks:
        return {}
    drawn = resample_weights([cluster(task) for _, task in tasks.values()], resamples=resamples, seed=seed)
    column = {name: drawn[:, place] for place, name in enumerate(tasks)}
    values = {}
    for name, rows in stage.rows.items():
        if stage.scores[name].held_out is None:
            continue
        total, n = np.zeros(resamples), 0
        for split in HELD_OUT:
            inside = [row for row in rows if row.task.split == split]
            if inside:
                scorer, tasks_here = SCORERS[stage.probe], len({row.task.task_id for row in inside})
                weights = np.stack([column[row.task.task_id] for row in inside], axis=1)
                total = total + tasks_here * scorer.headline(scorer.read_rows(inside, convention), weights)
                n += tasks_here
        values[name] = total / n
    return values


def why_no_choice(stage: Stage, convention: Convention) -> str:
    """Why no candidate of a stage has a dev score."""
    if not stage.tasks(SELECTION):
        return (
            f"the runs share no scored task of the split {SELECTION}; run that split too, the same tasks in all of them"
        )
    rows = next(iter(stage.rows.values()))
    dev = [row for row in rows if row.task.split == SELECTION]
    reason = score_parts(stage.probe, dev, convention)[PROBE_TABLE[stage.probe].headline_part].reason
    return f"the headline is undefined on the {stage.tasks(SELECTION)} tasks of {SELECTION}: {reason}"


def _stage(probe: Probe, rows: Mapping[str, list[Row]], convention: Convention) -> Stage:
    by_run = {name: {row.task.task_id: row.task for row in listed} for name, listed in rows.items()}
    every = {task_id for tasks in by_run.values() for task_id in tasks}
    first = next(iter(by_run.values()))
    shared = {t for t in every if all(tasks.get(t) == first.get(t) and t in tasks for tasks in by_run.values())}
    kept = {name: [row for row in listed if row.task.task_id in shared] for name, listed in rows.items()}
    scores = {name: _score(probe, listed, convention) for name, listed in kept.items()}
    return Stage(probe, kept, scores, len(every) - len(shared))


def _score(probe: Probe, rows: Sequence[Row], convention: Convention) -> StageScore:
    part = PROBE_TABLE[probe].headline_part
    dev = [row for row in rows if row.task.split == SELECTION]
    parts = score_parts(probe, dev, convention)
    by_split = []
    for split in HELD_OUT:
        inside = [row for row in rows if row.task.split == split]
        by_split.append((score_parts(probe, inside, convention)[part].value, len({row.task.task_id for row in inside})))
    return StageScore(parts[part].value, parts[PROBE_TABLE[probe].tie_break].value, held_out(by_split))
