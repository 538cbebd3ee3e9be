"""Scores of the selection-generation isomorphism audit (paper, appendix P, Table 35).

A selection is right when it names the one feasible candidate, a generation and a completion when the oracle finds the
design feasible, bounds included. A reply that cannot be read is wrong. The SG-gap is the accuracy in selection minus
that in generation, over the groups that have both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, NotRequired, TypedDict, cast

import numpy as np

from vehbench_hf.errors import RunError
from vehbench_hf.isomorphic.types import FORMS, Form, IsomorphicTask
from vehbench_hf.runlog.differences import comparability
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.scoring.score import METHOD
from vehbench_hf.scoring.scores_type import Interval, Intervals, Versions
from vehbench_hf.scoring.values import PerRow, row_mean
from vehbench_hf.statistics import LEVEL, combined, estimate, interval, p_value
from vehbench_hf.types import OUTCOMES, Record
from vehbench_hf.versions import PROMPTS_VERSION, __version__
from vehbench_oracle import oracle_fingerprint

ISOMORPHIC_SCHEMA = "vehbench-isomorphic-1"


class FormScores(TypedDict):
    """The accuracy in one form of the question; `accuracy_read` is over the rows whose reply could be read."""

    accuracy: float | None
    interval: Interval
    n: int
    undefined: str | None
    read: float | None
    accuracy_read: float | None
    outcomes: dict[str, int]
    unscored: int
    missing: int


class Gap(TypedDict):
    """Accuracy in selection minus that in generation."""

    groups: int
    value: float | None
    interval: Interval
    p_value: float | None
    undefined: str | None


class IsomorphicScores(TypedDict):
    """`scores.json` of an isomorphism audit."""

    schema: str
    versions: Versions
    bank: str
    comparability: str
    model: str | None
    complete: bool
    intervals: Intervals
    forms: dict[Form, FormScores]
    sg_gap: Gap
    problems: NotRequired[list[str]]


class IsomorphicRow(NamedTuple):
    """A probe of a group and one finished episode on it."""

    task: IsomorphicTask
    record: Record

    @property
    def correct(self) -> bool:
        """Whether the candidate is the feasible one, or the design feasible."""
        if self.record.outcome != "ok" or not self.record.steps:
            return False
        step = self.record.steps[-1]
        if self.task.form == "selection":
            return step.ranking == (self.task.gold["answer"],)
        return step.verdict is not None and step.verdict.feasible


def score_isomorphic_run(run: Run) -> IsomorphicScores:
    """The scores of an isomorphism audit, with what is odd about its log under `problems`."""
    scores = score_isomorphic(
        cast(Sequence[IsomorphicTask], run.tasks),
        run.records,
        bank=run.bank.version,
        model=run.settings.get("model"),
        epochs=run.epochs,
        prompts=run.prompts,
    )
    return {**scores, "problems": run.problems}


def score_isomorphic(
    tasks: Sequence[IsomorphicTask],
    records: Mapping[str, Sequence[Record]],
    *,
    bank: str,
    model: str | None = None,
    epochs: int = 1,
    prompts: str = PROMPTS_VERSION,
) -> IsomorphicScores:
    """Accuracy in each form and the SG-gap, with intervals over the papers behind the groups; JSON values.

    `records` maps task ids to one record an epoch. Rows that failed outside the model are unscored and left out, and
    the run is then not complete. `accuracy_read` is over the rows whose reply could be read. The gap is paired by group
    and epoch. Raises RunError for a record of another task.
    """
    strangers = sorted(set(records) - {task.task_id for task in tasks})
    if strangers:
        raise RunError(f"{len(strangers)} records are of other tasks than these {len(tasks)}, say {strangers[0]!r}.")
    ended = [IsomorphicRow(task, record) for task in tasks for record in records.get(task.task_id, ())]
    scored = [row for row in ended if row.record.outcome != "infra_error"]
    return {
        "schema": ISOMORPHIC_SCHEMA,
        "versions": {"vehbench": __version__, "prompts": prompts, "oracle": oracle_fingerprint()},
        "bank": bank,
        "comparability": comparability(bank, "defined", prompts=prompts),
        "model": model,
        "complete": len(scored) == epochs * len(tasks),
        "intervals": {"level": LEVEL, "clusters": "anchor papers", "method": METHOD},
        "forms": {
            form: _form(form, tasks, ended, epochs) for form in FORMS if any(task.form == form for task in tasks)
        },
        "sg_gap": _gap(scored),
    }


def _form(form: Form, tasks: Sequence[IsomorphicTask], ended: Sequence[IsomorphicRow], epochs: int) -> FormScores:
    mine = [row for row in ended if row.task.form == form]
    scored = [row for row in mine if row.record.outcome != "infra_error"]
    read = [row for row in scored if row.record.outcome == "ok"]
    nothing = f"no {form} was scored"
    column = _correct(scored)
    accuracy = column.average(nothing)
    clusters = [_cluster(row.task) for row in scored]
    ends = interval(estimate(column.mean, np.ones(len(scored)), clusters, limits=(0.0, 1.0)))
    return {
        "accuracy": accuracy.value,
        "interval": None if ends is None else list(ends),
        "n": len(scored),
        "undefined": accuracy.reason,
        "read": row_mean(row.record.outcome == "ok" for row in scored).average(nothing).value,
        "accuracy_read": _correct(read).average(nothing).value,
        "outcomes": {outcome: sum(row.record.outcome == outcome for row in mine) for outcome in OUTCOMES},
        "unscored": len(mine) - len(scored),
        "missing": epochs * sum(task.form == form for task in tasks) - len(mine),
    }


def _gap(scored: Sequence[IsomorphicRow]) -> Gap:
    by_form = {
        form: {(row.task.group, row.record.epoch): row for row in scored if row.task.form == form} for form in FORMS
    }
    shared = sorted(by_form["selection"].keys() & by_form["generation"].keys())
    entry: Gap = {
        "groups": len({group for group, _ in shared}),
        "value": None,
        "interval": None,
        "p_value": None,
        "undefined": None,
    }
    if not shared:
        return {**entry, "undefined": "no group has both a scored selection and a scored generation"}
    clusters = [_cluster(by_form["selection"][key].task) for key in shared]
    selection, generation = (
        estimate(_correct([by_form[form][key] for key in shared]).mean, np.ones(len(shared)), clusters)
        for form in ("selection", "generation")
    )
    gap = combined([(1.0, selection), (-1.0, generation)])
    ends = interval(replace(gap, limits=(-1.0, 1.0)))
    return {
        **entry,
        "value": gap.value,
        "interval": None if ends is None else list(ends),
        "p_value": p_value(gap),
        "undefined": None if ends else "no interval: all groups come from one paper",
    }


def _correct(rows: Sequence[IsomorphicRow]) -> PerRow:
    return row_mean(row.correct for row in rows)


def _cluster(task: IsomorphicTask) -> str:
    """What counts as one observation: the paper behind the group, else the group."""
    return task.anchor["key"] if task.anchor else f"group {task.group}"
