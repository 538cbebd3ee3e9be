"""Briefs that only an exact optimum could tell apart are named, and the estimate follows the physics."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.audit.report import whole
from vehbench_builder.veh.audit import p1 as estimates
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task


def with_target(tamper: Any, task: Task, power_uw: float, number: int) -> Task:
    return tamper.task(task, lambda t: t.spec["constraints"].update(power_target_uw=power_uw), task_id=str(number))  # type: ignore[no-any-return]


def briefs(small_bank: Bank, tamper: Any, share: float) -> list[Task]:
    """P2 tasks with a target at some share of their best power."""
    return [
        with_target(tamper, task, share * task.gold["reference"]["power_uw"], i)  # type: ignore[index, operator]
        for i, task in enumerate(small_bank.select(("p2",)))
    ]


def test_briefs_at_the_optimum_are_not_called_separable(small_bank: Bank, tamper: Any) -> None:
    def check(boundary: float, beyond: float) -> Any:
        return whole(
            estimates.p1_estimates_tell_boundary_from_margin,
            briefs(small_bank, tamper, boundary),
            briefs(small_bank, tamper, beyond),
        )

    assert not check(0.5, 50.0).faults
    assert check(0.99, 1.01).faults


def test_a_bank_with_too_few_briefs_is_not_judged(small_bank: Bank) -> None:
    assert estimates.estimate_check(small_bank).skipped is not None


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=8), st.lists(st.floats(0.1, 10), min_size=1, max_size=8))
def test_separation_is_a_rank_statistic(easy: list[float], hard: list[float]) -> None:
    def tasks(values: list[float]) -> Any:
        return [
            Task("t", "p1", "dev", "s", "d", None, None, "b", {"constraints": {"power_target_uw": v}}, {})
            for v in values
        ]  # type: ignore[typeddict-item]

    def one(spec: Any) -> float:
        return 1.0

    there, back = (
        estimates.separation(tasks(easy), tasks(hard), one),
        estimates.separation(tasks(hard), tasks(easy), one),
    )
    assert there + back == pytest.approx(1)
    assert there == pytest.approx(sum((a < b) + (a == b) / 2 for a in easy for b in hard) / (len(easy) * len(hard)))


def test_the_formula_heeds_acceleration_and_damping(good: Callable[..., Task], tamper: Any) -> None:
    spec = good("p2").spec
    power = estimates.matched_power_uw(spec)
    louder = tamper.task(
        good("p2"), lambda t: t.spec["excitation"].update(acceleration_g=2 * spec["excitation"]["acceleration_g"])
    )
    lossier = tamper.task(good("p2"), lambda t: t.spec["materials"].update(damping_ratio=0.02))
    assert estimates.matched_power_uw(louder.spec) == pytest.approx(4 * power)
    assert estimates.matched_power_uw(lossier.spec) == pytest.approx(power / 2)
