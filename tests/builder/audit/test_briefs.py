"""P2 briefs that ask for nothing, for the impossible, or are solved by the middle of their box are named."""

from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p2 as briefs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task
from vehbench_oracle import LIMITS
from vehbench_oracle.veh.domain import problem_of_brief


def test_the_sample_bank_asks_for_something(small_bank: Bank) -> None:
    for check in briefs.p2_checks(small_bank):
        assert not check.faults, check.faults


@pytest.mark.parametrize(
    ("limit", "value", "check"),
    [
        ("freq_error_pct_limit", 50.0, briefs.p2_frequency_limits_bind),
        ("power_target_uw", 0.009, briefs.p2_powers_are_worth_measuring),
        ("stress_limit_mpa", 501.0, briefs.p2_limits_are_credible),
        ("stress_limit_mpa", 0.9, briefs.p2_limits_are_credible),
        ("disp_limit_mm", 51.0, briefs.p2_limits_are_credible),
        ("disp_limit_mm", 30.0, briefs.p2_limits_are_credible),
    ],
)
def test_a_limit_that_means_nothing_is_named(
    good: Callable[..., Task], tamper: Any, limit: str, value: float, check: Any
) -> None:
    broken = tamper.task(good("p2"), lambda t: t.spec["constraints"].update({limit: value}))
    assert whole(check, [broken, good("p2")]).failed == 1


def test_a_worthless_reference_is_named(good: Callable[..., Task], tamper: Any) -> None:
    broken = tamper.task(good("p2"), lambda t: t.gold["reference"].update(power_uw=0.05))
    assert whole(briefs.p2_powers_are_worth_measuring, [broken]).failed == 1


@pytest.mark.parametrize("name", ["piezo", "substrate", "damping_ratio"])
def test_an_unnamed_material_is_named(good: Callable[..., Task], tamper: Any, name: str) -> None:
    broken = tamper.task(good("p2"), lambda t: t.spec["materials"].update({name: None}))
    on_purpose = tamper.task(broken, lambda t: t.gold.update(missing_fields=[name]))
    changes = dict.fromkeys(("frequency_hz", "acceleration_g", "load_resistance_ohm", "piezo", "damping_ratio"))
    if name != "substrate":
        assert not each(briefs.materials_are_stated, [on_purpose]).faults
        completion = {"name": "c", "changes": {**changes, name: 0.01}, "feasible": True}
        in_words = tamper.task(broken, lambda t: t.gold.update(completions=[completion]))
        assert not each(briefs.materials_are_stated, [in_words]).faults
    assert each(briefs.materials_are_stated, [broken]).failed == 1


def test_one_pair_of_materials_for_all_devices_is_named(small_bank: Bank, tamper: Any) -> None:
    same = [
        tamper.task(t, lambda t: t.spec["materials"].update(piezo="PZT-5A", substrate="brass"))
        for t in small_bank.tasks
    ]
    assert whole(briefs.materials_vary, same).failed == len(same)
    assert not whole(briefs.materials_vary, small_bank.tasks).faults


def test_an_anchor_that_fails_its_own_brief_is_named(good: Callable[..., Task], tamper: Any) -> None:
    broken = tamper.task(good("p2"), lambda t: t.gold["anchor_design"].update(beam_length_mm=20.0))
    absent = tamper.task(good("p2"), lambda t: t.gold.update(anchor_design=None))
    assert each(briefs.p2_anchor_design_feasible, [broken, absent, good("p2")]).failed == 2


def test_a_limit_from_a_rounded_value_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def limited(task: Any, off: float) -> None:
        response = problem_of_brief(task.spec).respond(task.gold["anchor_design"])
        for name in ("stress_limit_mpa", "disp_limit_mm"):
            value = float(getattr(response, LIMITS[name].metric))
            task.spec["constraints"][name] = briefs.FACTORS["resonance_tuned"] * value * (1 + off)

    exact, rounded = (
        tamper.task(good("p2"), lambda t, off=off: limited(t, off), subtype="resonance_tuned") for off in (0.0, 0.02)
    )
    check = each(briefs.p2_limits_follow_from_the_anchor, [exact, rounded])
    assert (check.checked, check.failed) == (4, 2)


def test_centres_that_solve_are_named(small_bank: Bank, tamper: Any) -> None:
    def easy(task: Any) -> None:
        task.spec["constraints"].update(
            stress_limit_mpa=1e6, disp_limit_mm=1e6, freq_error_pct_limit=99.0, power_target_uw=1e-9
        )

    hard = [tamper.task(small_bank.select(("p2",))[0], task_id=str(i)) for i in range(19)]
    solved = [tamper.task(hard[0], easy, task_id=f"easy {i}") for i in range(2)]
    assert not whole(briefs.p2_box_centres_do_not_solve, [*hard, *solved]).faults
    check = whole(briefs.p2_box_centres_do_not_solve, [*hard[:-2], *solved])
    assert check.failed == 2
    assert check.checked == 19
