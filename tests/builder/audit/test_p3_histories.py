"""Histories with wrong verdicts, true claims or the answer itself, and tasks that a fixed move solves, are named."""

from typing import Any

import numpy as np
import pytest

from small_bank import small_tasks
from tampered import Change, bank_of, failed, good, tampered
from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p3
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import places_of
from vehbench_oracle.veh.domain import problem_of_brief


def with_step(index: int, design: dict[str, float] | None = None, **changes: float) -> Change:
    """Puts the reference, some design or one with other values in the place of a step, with its own verdict."""

    def change(task: Any) -> None:
        step = task.spec["history"][index]
        step["design"] = {**(design or task.gold["reference"]["design"]), **changes}
        verdict = task.problem.judge(step["design"])
        step["verdict"] = {
            "feasible": verdict.feasible,
            "power_uw": verdict.objective,
            "slack": dict(verdict.slack),
            "violations": [violation.name for violation in verdict.violations],
            "metrics": dict(verdict.metrics),
        }

    return change


def off_by_a_millionth(part: str, name: str | None = None) -> Change:
    def change(task: Any) -> None:
        verdict = task.spec["history"][2]["verdict"]
        numbers, key = (verdict[part], name) if name else (verdict, part)
        numbers[key] *= 1 + 1e-6

    return change


def repeat(task: Any) -> None:
    task.spec["history"][1] = task.spec["history"][0]


def other_limit(task: Any) -> None:
    task.spec["constraints"]["disp_limit_mm"] *= 1.5


def loosened(task: Any) -> None:
    """Stress and displacement limits so wide that tuning the beam again is enough."""
    task.spec["constraints"].update(stress_limit_mpa=1e6, disp_limit_mm=1e6)


FIRST = good("p3").spec["history"][0]
NAMED: list[tuple[Change, set[str]]] = [
    (other_limit, {"verdicts_recomputed"}),
    (off_by_a_millionth("power_uw"), {"verdicts_recomputed"}),
    (off_by_a_millionth("slack", "stress_limit_mpa"), {"verdicts_recomputed"}),
    (off_by_a_millionth("metrics", "tip_disp_mm"), {"verdicts_recomputed"}),
    (lambda t: t.spec["history"][0]["verdict"].update(feasible=True), {"flags_recomputed"}),
    (lambda t: t.spec["history"][0]["verdict"]["violations"].pop(), {"violations_recomputed"}),
    (with_step(1), {"no_step_is_feasible"}),
    (with_step(-1), {"no_step_is_feasible", "last_step_infeasible"}),
    (with_step(0, FIRST["design"], beam_length_mm=500.0), {"steps_inside_the_box"}),
    (repeat, {"steps_differ"}),
]
ABOUT_STEPS = {"retracing_fails", "reversal_fails", "few_single_variable_fixes", "claims_are_false"}
"""What may fail too once a step is another one."""


@pytest.mark.parametrize(("change", "names"), NAMED)
def test_a_history_with_one_wrong_thing_is_named(change: Change, names: set[str]) -> None:
    told = {name.removeprefix("p3_") for name in failed(p3.p3_checks(bank_of(tampered(good("p3"), change))))}
    assert told - ABOUT_STEPS == names


def test_two_tasks_with_one_history_are_named() -> None:
    check = whole(p3.p3_steps_differ, [good("p3"), tampered(good("p3"), task_id="twin")])
    assert (check.checked, check.failed) == (2, 1)


def test_a_claim_that_is_true_or_missing_is_named() -> None:
    steps = range(1, len(good("p3").spec["history"]) + 1)
    false = [{"step": n, "left": "load_power_uw", "relation": "<", "right": "0"} for n in steps]

    def claimed(claims: list[dict[str, Any]]) -> int:
        return each(
            p3.p3_claims_are_false, [tampered(good("p3"), lambda t: t.gold["trap"].update(claims=claims))]
        ).failed

    assert claimed(false) == 0
    assert claimed([{**false[0], "relation": ">"}, *false[1:]]) == 1
    assert claimed(false[:-1]) == 1
    assert claimed([*false, {**false[0], "left": "mass_g"}]) == 1


def test_a_task_that_a_fixed_move_solves_is_named() -> None:
    easy = tampered(good("p3"), loosened)
    assert easy.gold["trap"] is not None
    assert easy.gold["trap"]["variable"] in p3.single_fixes(easy, list(VARIABLES))
    assert {"p3_reversal_fails", "p3_retracing_fails"} <= failed(p3.p3_checks(bank_of(easy)))
    design = p3.on_path(easy.spec, p3.retraced(easy.spec))
    assert design is not None
    assert easy.problem.judge(design).feasible


def test_a_task_that_two_variables_solve_alone_is_named() -> None:
    def almost_tuned(task: Any) -> None:
        loosened(task)
        error = task.spec["history"][-1]["verdict"]["metrics"]["freq_error_pct"]
        task.spec["constraints"].update(freq_error_pct_limit=0.95 * error, power_target_uw=1e-12)

    easy = tampered(good("p3"), almost_tuned)
    assert len(p3.single_fixes(easy, list(VARIABLES))) > 1
    check = whole(p3.p3_few_single_variable_fixes, [easy, good("p3")])
    assert (check.checked, check.failed) == (2, 1)


@pytest.mark.parametrize("width", [1e-4, 1e-5])
def test_a_narrow_solution_between_two_points_is_found(width: float) -> None:
    """A frequency limit of that many percent leaves a window far smaller than the spacing of the first points."""
    easy = tampered(good("p3"), loosened)
    tight = tampered(easy, lambda t: t.spec["constraints"].update(freq_error_pct_limit=width))
    assert p3.on_path(tight.spec, p3.retraced(tight.spec)) is not None


@pytest.mark.parametrize("task", [task for task in small_tasks() if task.probe == "p3"], ids=lambda task: task.task_id)
def test_the_way_back_meets_the_steps_and_ends_at_the_edge_of_the_box(task: Any) -> None:
    corners, problem = p3.retraced(task.spec), problem_of_brief(task.spec)
    steps = [places_of(problem, step["design"]) for step in reversed(task.spec["history"])]
    np.testing.assert_allclose(corners[:, : len(steps)].T, steps)
    end = corners[:, -1]
    assert np.any((np.abs(end) < 1e-9) | (np.abs(end - 1) < 1e-9))
    assert np.all((end >= -1e-9) & (end <= 1 + 1e-9))
