"""Tasks that a fixed move solves must be found out, whatever line the move follows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p3 as recovery
from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Task
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import places_of
from vehbench_oracle.veh.domain import problem_of_brief


def test_the_sample_bank_falls_to_no_fixed_move(small_bank: Bank) -> None:
    for check in recovery.p3_checks(small_bank):
        assert check.checked > 0 or check.skipped
        assert not check.faults, check.faults


def loosened(task: Any) -> None:
    """Stress and displacement limits so wide that tuning the beam again is enough."""
    task.spec["constraints"].update(stress_limit_mpa=1e6, disp_limit_mm=1e6)


def test_a_task_that_reversal_solves_is_found_out(good: Callable[..., Task], tamper: Any) -> None:
    easy = tamper.task(good("p3"), loosened)
    assert easy.gold["trap"]["variable"] in recovery.single_fixes(easy, list(VARIABLES))
    assert each(recovery.p3_reversal_fails, [easy]).failed == 1
    assert each(recovery.p3_retracing_fails, [easy]).failed == 1


def test_a_task_that_two_variables_solve_alone_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def almost_tuned(task: Any) -> None:
        loosened(task)
        error = task.spec["history"][-1]["verdict"]["metrics"]["freq_error_pct"]
        task.spec["constraints"].update(freq_error_pct_limit=0.95 * error, power_target_uw=1e-12)

    easy = tamper.task(good("p3"), almost_tuned)
    assert len(recovery.single_fixes(easy, list(VARIABLES))) > 1
    check = whole(recovery.p3_few_single_variable_fixes, [easy, good("p3")])
    assert (check.checked, check.failed) == (2, 1)


def test_a_design_on_a_path_solves_the_task(good: Callable[..., Task], tamper: Any) -> None:
    easy = tamper.task(good("p3"), loosened)
    found = recovery.on_path(easy.spec, recovery.retraced(easy.spec))
    assert found is not None
    assert judge_for(easy.spec, found).feasible


@pytest.mark.parametrize("width", [1e-4, 1e-5])
def test_a_narrow_solution_between_two_points_is_found(good: Callable[..., Task], tamper: Any, width: float) -> None:
    """A frequency limit of that many percent leaves a window far smaller than the spacing of the first points."""
    easy = tamper.task(good("p3"), loosened)
    tight = tamper.task(easy, lambda t: t.spec["constraints"].update(freq_error_pct_limit=width))
    assert recovery.on_path(tight.spec, recovery.retraced(tight.spec)) is not None


def test_the_way_back_meets_the_steps_and_ends_at_the_edge_of_the_box(small_bank: Bank) -> None:
    for task in small_bank.select(("p3",)):
        corners = recovery.retraced(task.spec)
        problem = problem_of_brief(task.spec)
        steps = [places_of(problem, step["design"]) for step in reversed(task.spec["history"])]
        np.testing.assert_allclose(corners[:, : len(steps)].T, steps)
        end = corners[:, -1]
        assert np.any((np.abs(end) < 1e-9) | (np.abs(end - 1) < 1e-9))
        assert np.all((end >= -1e-9) & (end <= 1 + 1e-9))
