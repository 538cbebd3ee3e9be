"""P2 briefs that ask for nothing, for the impossible, or are solved by the middle of their box are named."""

from typing import Any

import pytest

from small_bank import small_tasks
from tampered import Change, bank_of, failed, good, tampered
from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p2
from vehbench_hf.types import Task
from vehbench_oracle import LIMITS
from vehbench_oracle.veh.domain import problem_of_brief


def limited(**limits: float) -> Change:
    return lambda task: task.spec["constraints"].update(limits)


def golden(**parts: Any) -> Change:
    return lambda task: task.gold.update(parts)


def without(section: str, name: str) -> Change:
    return lambda task: task.spec[section].update({name: None})


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (limited(freq_error_pct_limit=50.0), "p2_frequency_limits_bind"),
        (limited(power_target_uw=0.009), "p2_powers_are_worth_measuring"),
        (lambda task: task.gold["reference"].update(power_uw=0.05), "p2_powers_are_worth_measuring"),
        (limited(stress_limit_mpa=501.0), "p2_limits_are_credible"),
        (limited(stress_limit_mpa=0.9), "p2_limits_are_credible"),
        (limited(disp_limit_mm=51.0), "p2_limits_are_credible"),
        (limited(disp_limit_mm=30.0), "p2_limits_are_credible"),  # longer than the beam
        (lambda task: task.gold["anchor_design"].update(beam_length_mm=20.0), "p2_anchor_design_feasible"),
        (golden(anchor_design=None), "p2_anchor_design_feasible"),
        (without("variable_bounds", "tip_mass_g"), "briefs_are_complete"),
        (without("constraints", "power_target_uw"), "briefs_are_complete"),
        (without("excitation", "frequency_hz"), "briefs_are_complete"),
        (without("materials", "substrate"), "briefs_are_complete"),
        (without("materials", "substrate"), "materials_are_stated"),
        (without("materials", "piezo"), "materials_are_stated"),
        (without("materials", "damping_ratio"), "materials_are_stated"),
    ],
)
def test_a_brief_that_asks_for_nothing_sensible_is_named(change: Change, name: str) -> None:
    checks = {c.name: c for c in p2.p2_checks(bank_of(tampered(good("p2"), change, task_id="x"), good("p2")))}
    assert [fault.startswith("x: ") for fault in checks[name].faults] == [True]
    assert checks[name].checked == 2
    assert name not in failed(p2.p2_checks(bank_of(good("p2"))))


@pytest.mark.parametrize("name", ["piezo", "damping_ratio"])
def test_a_material_that_is_withheld_on_purpose_is_no_fault(name: str) -> None:
    changes = dict.fromkeys(("frequency_hz", "acceleration_g", "load_resistance_ohm", "piezo", "damping_ratio"))
    completion = {"name": "c", "changes": {**changes, name: 0.01}, "feasible": True}
    broken = tampered(good("p2"), without("materials", name))
    withheld = [
        tampered(broken, golden(**part)) for part in ({"missing_fields": [name]}, {"completions": [completion]})
    ]
    check = each(p2.materials_are_stated, withheld)
    assert (check.checked, check.failed) == (2, 0)


def test_one_pair_of_materials_for_all_devices_is_named() -> None:
    def alike(task: Any) -> None:
        task.spec["materials"].update(piezo="PZT-5A", substrate="brass")

    same = [tampered(task, alike) for task in small_tasks()]
    assert whole(p2.materials_vary, same).failed == len(same)
    assert whole(p2.materials_vary, small_tasks()).failed == 0


def test_a_limit_from_a_rounded_value_is_named() -> None:
    def limited_by_the_anchor(off: float) -> Task:
        def change(task: Any) -> None:
            response = problem_of_brief(task.spec).respond(task.gold["anchor_design"])
            for name in ("stress_limit_mpa", "disp_limit_mm"):
                value = float(getattr(response, LIMITS[name].metric))
                task.spec["constraints"][name] = p2.FACTORS["resonance_tuned"] * value * (1 + off)

        return tampered(good("p2"), change, subtype="resonance_tuned")

    check = each(p2.p2_limits_follow_from_the_anchor, [limited_by_the_anchor(0.0), limited_by_the_anchor(0.02)])
    assert (check.checked, check.failed) == (4, 2)


def test_more_than_one_centre_in_ten_that_solves_is_named_and_few_briefs_are_not_judged() -> None:
    easy = limited(stress_limit_mpa=1e6, disp_limit_mm=1e6, freq_error_pct_limit=99.0, power_target_uw=1e-9)
    hard = [tampered(good("p2"), task_id=str(i)) for i in range(19)]
    solved = [tampered(good("p2"), easy, task_id=f"easy {i}") for i in range(2)]

    def check(*tasks: Task) -> Any:
        return {check.name: check for check in p2.p2_checks(bank_of(*tasks))}["p2_box_centres_do_not_solve"]

    assert (check(*hard, *solved).checked, check(*hard, *solved).failed) == (21, 0)
    assert (check(*hard[:-2], *solved).checked, check(*hard[:-2], *solved).failed) == (19, 2)
    assert "say nothing" in (check(*solved).skipped or "")
