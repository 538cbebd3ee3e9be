"""Runs as candidates of each stage: dev and held-out headlines over the tasks that all of them share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from vehbench_hf.analysis.paired import once_a_task, shared_tasks
from vehbench_hf.analysis.stage_choice import StageScore
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.scoring import SCORERS, Row, cluster, score_parts
from vehbench_hf.scoring.score import headline_estimate
from vehbench_hf.statistics import Estimate
from vehbench_hf.types import PROBES, Convention, Probe, Split

SELECTION: tuple[Split, ...] = ("dev",)
HELD_OUT: tuple[Split, ...] = ("test_id", "test_ood")
KNOWN_ANSWER = ("baseline/anchor", "baseline/reference")
"""Baselines that read the answer from the bank: they are marks to measure by, nobody has them for a new brief."""


@dataclass(frozen=True)
class RunAtStage:
    """One run at one stage: its rows on the shared tasks, its headlines on dev and held-out, and the tie-break."""

    rows: list[Row]
    dev: Estimate
    held_out: Estimate
    auxiliary: float | None

    @property
    def score(self) -> StageScore:
        """The three numbers that choose and judge; None where undefined."""
        dev, held_out = (None if isnan(e.value) else e.value for e in (self.dev, self.held_out))
        return StageScore(dev, self.auxiliary, held_out)


@dataclass(frozen=True)
class Stage:
    """One stage: every run of it by name, all on the same tasks; `left_out` tasks lack a score of some run."""

    probe: Probe
    runs: Mapping[str, RunAtStage]
    left_out: int

    def tasks(self, splits: Sequence[Split]) -> int:
        """How many tasks of some splits every candidate is scored on."""
        rows = next(iter(self.runs.values())).rows
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
            first = next(iter(rows.values()))
            shared = frozenset.intersection(*(shared_tasks(first, listed) for listed in rows.values()))
            every = {row.task.task_id for listed in rows.values() for row in listed}
            kept = {name: [row for row in listed if row.task.task_id in shared] for name, listed in rows.items()}
            at_stage = {name: _at_stage(probe, listed, convention) for name, listed in kept.items()}
            stages[probe] = Stage(probe, at_stage, len(every - shared))
    return stages


def why_no_choice(stage: Stage, convention: Convention) -> str:
    """Why no candidate of a stage has a dev score."""
    tasks = stage.tasks(SELECTION)
    if not tasks:
        return "the runs share no scored task of the split dev; run that split too, the same tasks in all of them"
    dev = [row for row in next(iter(stage.runs.values())).rows if row.task.split in SELECTION]
    reason = score_parts(stage.probe, dev, convention)[PROBE_TABLE[stage.probe].headline_part].reason
    return f"the headline is undefined on the {tasks} tasks of dev: {reason}"


def _at_stage(probe: Probe, rows: list[Row], convention: Convention) -> RunAtStage:
    dev = [row for row in rows if row.task.split in SELECTION]
    held_out = [row for row in rows if row.task.split in HELD_OUT]
    auxiliary = score_parts(probe, dev, convention)[PROBE_TABLE[probe].tie_break].value
    return RunAtStage(rows, _headline(probe, dev, convention), _headline(probe, held_out, convention), auxiliary)


def _headline(probe: Probe, rows: Sequence[Row], convention: Convention) -> Estimate:
    """The headline over some rows, each task once, as `score` has it over the same splits."""
    coded = SCORERS[probe].read_rows(rows, convention)
    return headline_estimate(probe, coded, [cluster(row.task) for row in rows], once_a_task(rows))
