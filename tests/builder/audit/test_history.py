"""Histories that show wrong verdicts, true claims or the answer itself are named."""

from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p3 as history
from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Task

TASK_CHECKS = [
    history.p3_verdicts_recomputed,
    history.p3_flags_recomputed,
    history.p3_violations_recomputed,
    history.p3_steps_inside_the_box,
    history.p3_no_step_is_feasible,
    history.p3_last_step_infeasible,
]


def failed(task: Task) -> set[str]:
    return {check.__name__.removeprefix("p3_") for check in TASK_CHECKS if each(check, [task]).faults}


def with_step(task: Any, index: int, design: dict[str, float]) -> None:
    verdict = judge_for(task.spec, design)
    task.spec["history"][index].update(
        design=design,
        verdict={
            "feasible": verdict.feasible,
            "power_uw": verdict.metrics["load_power_uw"],
            "slack": dict(verdict.slack),
            "violations": [v.name for v in verdict.violations],
            "metrics": dict(verdict.metrics),
        },
    )


def test_the_sample_bank_holds_no_wrong_history(small_bank: Bank) -> None:
    for check in history.p3_checks(small_bank):
        assert not check.faults, check.faults


def test_a_limit_changed_after_recording_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def shift(task: Any) -> None:
        task.spec["constraints"]["disp_limit_mm"] *= 1.5

    assert failed(tamper.task(good("p3"), shift)) == {"verdicts_recomputed"}


@pytest.mark.parametrize("part", ["power_uw", "slack", "metrics"])
def test_a_changed_number_is_named(good: Callable[..., Task], tamper: Any, part: str) -> None:
    def change(task: Any) -> None:
        verdict = task.spec["history"][2]["verdict"]
        if part == "power_uw":
            verdict[part] *= 1 + 1e-6
        else:
            name = next(iter(verdict[part]))
            verdict[part][name] *= 1 + 1e-6

    assert failed(tamper.task(good("p3"), change)) == {"verdicts_recomputed"}


def test_a_wrong_flag_or_list_of_broken_limits_is_named(good: Callable[..., Task], tamper: Any) -> None:
    flag = tamper.task(good("p3"), lambda t: t.spec["history"][0]["verdict"].update(feasible=True))
    listed = tamper.task(good("p3"), lambda t: t.spec["history"][0]["verdict"]["violations"].pop())
    assert failed(flag) == {"flags_recomputed"}
    assert failed(listed) == {"violations_recomputed"}


def test_the_answer_in_the_history_is_named(good: Callable[..., Task], tamper: Any) -> None:
    answer = good("p3").gold["reference"]["design"]
    early = tamper.task(good("p3"), lambda t: with_step(t, 1, answer))
    late = tamper.task(good("p3"), lambda t: with_step(t, -1, answer))
    assert failed(early) == {"no_step_is_feasible"}
    assert failed(late) == {"no_step_is_feasible", "last_step_infeasible"}


def test_a_step_outside_the_box_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def leave(task: Any) -> None:
        design = {**task.spec["history"][0]["design"], "beam_length_mm": 500.0}
        with_step(task, 0, design)

    assert failed(tamper.task(good("p3"), leave)) == {"steps_inside_the_box"}


def test_a_repeated_step_or_history_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def repeat(task: Any) -> None:
        task.spec["history"][1]["design"] = dict(task.spec["history"][0]["design"])

    assert whole(history.p3_steps_differ, [tamper.task(good("p3"), repeat)]).failed == 1
    assert whole(history.p3_steps_differ, [good("p3"), tamper.task(good("p3"), task_id="twin")]).failed == 1
    assert not whole(history.p3_steps_differ, [good("p3")]).faults


def test_a_claim_that_is_true_or_missing_is_named(good: Callable[..., Task], tamper: Any) -> None:
    steps = range(1, len(good("p3").spec["history"]) + 1)
    false = [{"step": n, "left": "load_power_uw", "relation": "<", "right": "0"} for n in steps]

    def claimed(claims: list[dict[str, Any]]) -> int:
        task = tamper.task(good("p3"), lambda t: t.gold["trap"].update(claims=claims))
        return each(history.p3_claims_are_false, [task]).failed

    assert claimed(false) == 0
    assert claimed([{**false[0], "relation": ">"}, *false[1:]]) == 1
    assert claimed(false[:-1]) == 1
    assert claimed([*false, {**false[0], "left": "mass_g"}]) == 1
