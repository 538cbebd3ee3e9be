"""A paired effect is the difference of two numbers on the same tasks, each once, and undefined where it must be."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vehbench_hf.analysis.paired import paired_effect
from vehbench_hf.bank.bank import Bank
from vehbench_hf.scoring import Row, score_parts
from vehbench_hf.types import Record, Step, Task
from vehbench_oracle import LIMITS, Verdict

FEASIBLE = Verdict(True, 1.0, {}, dict.fromkeys(LIMITS, 1.0), (), 0.0, "")
BROKEN = replace(FEASIBLE, feasible=False, slack=dict.fromkeys(LIMITS, -1.0), total_violation=1e9)
N = 12
some = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
flags = st.lists(st.booleans(), min_size=N, max_size=N)


def tasks_of(bank: Bank) -> list[Task]:
    return bank.select(["p3"])[::12][:N]


def rows(tasks: Sequence[Task], success: Sequence[bool], epoch: int = 0) -> list[Row]:
    found = []
    for task, ok in zip(tasks, success, strict=True):
        step = Step("propose_design", design=task.spec["history"][0]["design"], verdict=FEASIBLE if ok else BROKEN)
        found.append(Row(task, Record(task.task_id, "p3", "ok", (step,), epoch)))
    return found


def effect(first: Sequence[Row], second: Sequence[Row], part: str = "success", **more: Any) -> dict[str, Any]:
    ids = {row.task.task_id for row in [*first, *second]}
    return paired_effect(first, second, "p3", part, ids, convention="defined", **more)


@some
@given(before=flags, after=flags)
def test_the_effect_is_the_mean_difference_and_changes_sign_with_the_order(
    before: list[bool], after: list[bool], bank_v2: Bank
) -> None:
    tasks = tasks_of(bank_v2)
    there, back = effect(rows(tasks, before), rows(tasks, after)), effect(rows(tasks, after), rows(tasks, before))
    assert there["difference"] == pytest.approx(np.mean(after) - np.mean(before))
    assert back["difference"] == pytest.approx(-there["difference"])
    assert (there["n"], there["left_out"]) == (N, 0)
    assert (there["interval"] is None) == bool(there["undefined"])
    if there["interval"] is not None:
        assert back["interval"] == pytest.approx([-end for end in reversed(there["interval"])])
    if before == after:
        assert (there["interval"], there["p_value"]) == (None, 1)


@some
@given(before=flags, after=flags, part=st.sampled_from(["escape", "cascade", "dead", "replan"]))
def test_each_arm_has_the_value_that_scoring_gives_it(
    before: list[bool], after: list[bool], part: str, bank_v2: Bank
) -> None:
    tasks = tasks_of(bank_v2)
    arms = [rows(tasks, before), rows(tasks, after)]
    found = effect(arms[0], arms[1], part)
    assert [found["first"], found["second"]] == [
        pytest.approx(score_parts("p3", arm, "defined")[part].value) for arm in arms
    ]
    assert (found["difference"] is None) == (None in (found["first"], found["second"]))


def test_only_tasks_that_both_runs_scored_are_compared(bank_v2: Bank) -> None:
    tasks = tasks_of(bank_v2)
    first, second = rows(tasks, [True] * N)[:8], rows(tasks, [False] * 6 + [True] * 6)[3:]
    found = effect(first, second)
    assert (found["n"], found["left_out"]) == (5, 7)
    assert (found["first"], found["second"]) == (1.0, pytest.approx(2 / 5))


def test_a_task_counts_once_however_often_it_was_repeated(bank_v2: Bank) -> None:
    tasks = tasks_of(bank_v2)
    first = rows(tasks, [False] * N)
    often = rows(tasks[:1], [True]) + rows(tasks[:1], [True], 1) + rows(tasks[:1], [False], 2)
    found = effect(first, [*often, *rows(tasks[1:], [False] * (N - 1))])
    assert found["difference"] == pytest.approx(2 / 3 / N)


def test_without_shared_tasks_or_without_rows_of_the_part_there_is_no_effect(bank_v2: Bank) -> None:
    tasks = tasks_of(bank_v2)
    apart = effect(rows(tasks, [True] * N)[:3], rows(tasks, [True] * N)[3:])
    assert (apart["n"], apart["difference"]) == (0, None)
    assert apart["undefined"] == "no task is scored in both runs"
    never = effect(rows(tasks, [True] * N), rows(tasks, [False] * N), "cascade")
    assert (never["first"], never["second"], never["difference"]) == (0.0, None, None)
    assert "cascade" in never["undefined"]


def test_tasks_of_one_paper_give_no_interval(bank_v2: Bank) -> None:
    one_paper = [replace(task, anchor=tasks_of(bank_v2)[0].anchor) for task in tasks_of(bank_v2)]
    found = effect(rows(one_paper, [True] * N), rows(one_paper, [False] * N))
    assert (found["difference"], found["interval"], found["clusters"]) == (-1.0, None, 1)
    assert found["undefined"]


def test_a_number_that_is_no_mean_is_refused(bank_v2: Bank) -> None:
    both = rows(tasks_of(bank_v2), [True] * N)
    with pytest.raises(ValueError, match="no mean over rows"):
        effect(both, both, "post_escape_failure")
    with pytest.raises(KeyError):
        effect(both, both, "no_such_part")
