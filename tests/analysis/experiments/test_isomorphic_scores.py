"""The SG-gap is the difference of two accuracies on the same groups, whatever is missing or failed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vehbench_hf.errors import RunError
from vehbench_hf.isomorphic.form_scores import score_isomorphic
from vehbench_hf.isomorphic.types import FORMS, IsomorphicTask
from vehbench_hf.types import Record, Step
from vehbench_oracle import Verdict

FEASIBLE = Verdict(True, 1.0, {}, {}, (), 0.0, "")
BROKEN = replace(FEASIBLE, feasible=False)


def record(task: IsomorphicTask, correct: bool, epoch: int = 0) -> Record:
    if task.form == "selection":
        step = Step("select", ranking=(task.gold["answer"] if correct else "A",))  # type: ignore[arg-type]
    else:
        step = Step("propose_design", design=task.gold["witness"], verdict=FEASIBLE if correct else BROKEN)
    return Record(task.task_id, "p2", "ok", (step,), epoch)


def failed(task: IsomorphicTask, outcome: Any) -> Record:
    return Record(task.task_id, "p2", outcome, ())


def scored(tasks: Sequence[IsomorphicTask], records: list[Record], **more: Any) -> dict[str, Any]:
    by_task: dict[str, list[Record]] = {}
    for one in records:
        by_task.setdefault(one.task_id, []).append(one)
    return score_isomorphic(tasks, by_task, bank="test", **more)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(right=st.lists(st.booleans(), min_size=24, max_size=24))
def test_the_gap_of_a_complete_run_is_the_difference_of_the_accuracies(
    right: list[bool], isomorphic: Sequence[IsomorphicTask]
) -> None:
    found = scored(isomorphic, [record(task, ok) for task, ok in zip(isomorphic, right, strict=True)])
    accuracy = {form: found["forms"][form]["accuracy"] for form in FORMS}
    for form in FORMS:
        hits = [ok for task, ok in zip(isomorphic, right, strict=True) if task.form == form]
        assert accuracy[form] == sum(hits) / 8
    gap = found["sg_gap"]
    assert gap["value"] == pytest.approx(accuracy["selection"] - accuracy["generation"])
    assert gap["groups"] == 8
    low, high = gap["interval"]
    assert -1 <= low <= high <= 1
    assert 0 < gap["p_value"] <= 1


def test_a_selection_is_right_by_its_id_and_a_design_by_its_verdict(isomorphic: Sequence[IsomorphicTask]) -> None:
    always_b = [record(task, True) if task.form != "selection" else replace_choice(task, "B") for task in isomorphic]
    found = scored(isomorphic, always_b)
    assert found["forms"]["selection"]["accuracy"] == 0.5
    assert found["forms"]["generation"]["accuracy"] == 1.0


def replace_choice(task: IsomorphicTask, choice: str) -> Record:
    return Record(task.task_id, "p4", "ok", (Step("select", ranking=(choice,)),))


def test_a_failure_outside_the_model_leaves_its_group_out_of_the_gap(isomorphic: Sequence[IsomorphicTask]) -> None:
    first = next(task for task in isomorphic if task.form == "generation")
    records = [
        failed(task, "infra_error") if task is first else record(task, task.form == "selection") for task in isomorphic
    ]
    found = scored(isomorphic, records)
    assert not found["complete"]
    assert (found["sg_gap"]["groups"], found["sg_gap"]["value"]) == (7, 1.0)
    generation = found["forms"]["generation"]
    assert (generation["n"], generation["unscored"], generation["missing"]) == (7, 1, 0)
    assert generation["outcomes"]["infra_error"] == 1


@pytest.mark.parametrize("outcome", ["format_error", "truncated", "refused"])
def test_a_reply_that_cannot_be_used_is_wrong_and_not_left_out(
    outcome: str, isomorphic: Sequence[IsomorphicTask]
) -> None:
    records = [failed(task, outcome) if task.group <= 4 else record(task, True) for task in isomorphic]
    found = scored(isomorphic, records)
    for form in FORMS:
        entry = found["forms"][form]
        assert (entry["accuracy"], entry["read"], entry["accuracy_read"], entry["n"]) == (0.5, 0.5, 1.0, 8)
    assert found["complete"]


def test_without_records_nothing_is_defined_and_nothing_is_zero(isomorphic: Sequence[IsomorphicTask]) -> None:
    found = scored(isomorphic, [])
    assert not found["complete"]
    assert found["sg_gap"]["value"] is None
    assert found["sg_gap"]["undefined"]
    for form in FORMS:
        entry = found["forms"][form]
        assert (entry["accuracy"], entry["interval"], entry["missing"]) == (None, None, 8)
        assert entry["undefined"] == f"no {form} was scored"


def test_repeats_are_paired_within_a_repeat(isomorphic: Sequence[IsomorphicTask]) -> None:
    records = [record(task, task.form == "selection" or epoch == 0, epoch) for task in isomorphic for epoch in (0, 1)]
    found = scored(isomorphic, records, epochs=2)
    assert found["complete"]
    assert (found["sg_gap"]["value"], found["sg_gap"]["groups"]) == (0.5, 8)
    assert found["forms"]["generation"]["n"] == 16


def test_groups_of_one_paper_are_drawn_together(isomorphic: Sequence[IsomorphicTask]) -> None:
    one_paper = [replace(task, anchor=isomorphic[0].anchor) for task in isomorphic]
    found = scored(one_paper, [record(task, task.group % 2 == 0) for task in one_paper])
    assert found["sg_gap"]["interval"] is None
    assert found["sg_gap"]["undefined"]
    assert found["forms"]["selection"]["interval"] is None


def test_records_of_other_tasks_are_refused(isomorphic: Sequence[IsomorphicTask]) -> None:
    with pytest.raises(RunError, match="other tasks"):
        scored(isomorphic[:3], [record(isomorphic[5], True)])
