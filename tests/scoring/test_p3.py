import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import judge_for
from vehbench_hf.scoring import Row, p3
from vehbench_hf.types import Step

RANGE = 2.0  # of the tip mass in make.task: 1 to 3 g around 2


def live(make, task, *masses, **fields):
    """Proposals by tip mass (g); None is a replan, and a pair is (mass, other changes)."""
    steps = []
    for mass in masses:
        if mass is None:
            steps.append(Step("replan"))
            continue
        changes = {"tip_mass_g": mass[0], **mass[1]} if isinstance(mass, tuple) else {"tip_mass_g": mass}
        design = make.design(**changes)
        steps.append(Step("propose_design", design=design, verdict=judge_for(task.spec, design)))
    return Row(task, make.record(task, *steps, **fields))


def parts(convention, *rows):
    return p3.parts(p3.read_rows(rows, convention))


def both(*rows):
    return parts("released", *rows), parts("defined", *rows)


@pytest.mark.parametrize("convention", ["released", "defined"])
@given(masses=st.lists(st.lists(st.floats(1.0, 3.0) | st.none(), max_size=3), min_size=1, max_size=5))
def test_point_value_has_the_formula_of_the_resamples(make, trapped, convention, masses):
    rows = [live(make, trapped, *steps) for steps in masses]
    of, twice = p3.read_rows(rows, convention), p3.read_rows(rows * 2, convention)
    ones = np.ones(len(rows))
    assert float(p3.headline(of, ones)) == p3.parts(of)["success"].value
    assert p3.headline(twice, np.ones(2 * len(rows))) == pytest.approx(float(p3.headline(of, 2 * ones)))
    for name, part in p3.parts(of).items():
        assert part.value is None or 0 <= part.value <= 1, name
        again = p3.parts(twice)[name].value
        assert part.value == (None if again is None else pytest.approx(again)), name


@pytest.mark.parametrize(
    ("name", "masses", "as_released", "as_defined"),
    [
        ("success", (2.9, 2.0, 2.9), 1, 0),
        ("success", (2.9, 2.9, 2.0), 1, 1),
        ("success", (None, None), 0, 0),
        ("first_feasible", (None, 2.0, 2.9), 1, 1),
        ("first_feasible", (2.9, 2.0, 2.9), 0, 1),
        ("first_feasible", (2.9, 2.9, 2.0), 0, 0),
    ],
)
def test_any_or_the_last_design_and_the_first_turn_or_design_follow_the_convention(
    make, trapped, name, masses, as_released, as_defined
):
    released, defined = both(live(make, trapped, *masses))
    assert (released[name].value, defined[name].value) == (as_released, as_defined)


def test_released_escape_needs_a_second_step_in_the_right_direction(make, trapped):
    back = 2.9 - 0.08 * RANGE - 1e-9
    for masses, escaped, dead in [
        ((back, back, back), 1.0, 2 / 8),
        ((back, None, back), 1.0, 2 / 8),
        ((back, 2.9, back), 0.0, 3 / 8),
        ((2.9, back, back), 1.0, 3 / 8),
        ((back,), 0.0, 1 / 8),
        ((3.0, 3.0, 3.0), 0.0, 3 / 8),
        ((), 0.0, 0.0),
    ]:
        found = parts("released", live(make, trapped, *masses))
        assert (found["escape"].value, found["dead"].value) == (escaped, dead), masses


def test_released_quality_counts_designs_after_the_escape_only(make, trapped):
    assert parts("released", live(make, trapped, 2.0, 2.0, 2.9))["recq"].value == 0.5
    assert parts("released", live(make, trapped, 2.0, 1.0, 1.0))["recq"].value == 0.0


def test_quality_without_an_escape_is_zero_as_released_and_undefined_as_defined(make, trapped):
    released, defined = both(live(make, trapped, 2.9))
    assert (released["recq"].value, released["recq"].n) == (0.0, 0)
    assert defined["recq"].value is None
    assert defined["recq"].reason


def test_defined_quality_of_a_success_without_reference_is_undefined(make, trapped):
    found = parts("defined", live(make, trapped, 2.0))
    assert found["success"].value == 1.0
    assert found["recq"].value is None
    assert "reference" in found["recq"].reason


def test_defined_quality_is_power_over_reference(make, trapped):
    row = live(make, trapped, 2.0)
    power = row.record.steps[0].verdict.objective
    reference = {"design": None, "power_uw": 4 * power, "power_uw_older": None, "upper_bound_uw": 5 * power}
    known = dataclasses.replace(trapped, gold={**trapped.gold, "reference": reference})
    found = parts("defined", live(make, known, 2.0), row, live(make, known, 2.9))
    assert (found["recq"].value, found["recq"].n) == (pytest.approx(0.25), 1)
    unproven = dataclasses.replace(known, gold={**known.gold, "reference": {**reference, "upper_bound_uw": None}})
    assert parts("defined", live(make, unproven, 2.0))["recq"].value is None


def test_defined_escape_is_measured_against_a_fresh_history_verdict(make, trapped):
    # The stored stress slack claims a violation that the oracle does not see under the task's limits; an escape is
    # a fall below what the oracle sees, so that standing still never escapes.
    assert parts("defined", live(make, trapped, 2.9))["escape"].value == 0.0
    assert parts("defined", live(make, trapped, 2.85))["escape"].value == 1.0


def test_a_cascade_is_a_newly_broken_limit_after_the_escape(make, trapped):
    stiff = {"substrate_thickness_um": 260.0}
    broken = live(make, trapped, (1.0, stiff)).record.steps[0].verdict
    new = {v.name for v in broken.violations} - {"freq_error_pct_limit", "power_target_uw"}
    assert new == set()
    loud = judge_for(
        {**trapped.spec, "excitation": {**trapped.spec["excitation"], "acceleration_g": 1.2}}, make.design()
    )
    assert {v.name for v in loud.violations} == {"stress_limit_mpa", "disp_limit_mm"}
    breaking = Step("propose_design", design=make.design(), verdict=loud)
    calm = live(make, trapped, 2.5, 2.5).record.steps
    row = Row(trapped, make.record(trapped, *calm, breaking))
    released, defined = both(row)
    assert (released["cascade"].value, defined["cascade"].value) == (1.0, 1.0)
    released, defined = both(live(make, trapped, 2.5, 2.4, 2.0))
    assert (released["cascade"].value, defined["cascade"].value) == (0.0, 0.0)
    for found in both(live(make, trapped, 2.9)):
        assert found["cascade"].value is None
        assert found["cascade"].reason


def test_a_limit_broken_by_the_escaping_design_itself_is_a_cascade_as_defined(make, trapped):
    start = judge_for(trapped.spec, trapped.spec["history"][-1]["design"])
    calmer = make.verdict(stress=-0.1)
    assert calmer.total_violation < start.total_violation
    row = Row(trapped, make.record(trapped, make.propose(calmer)))
    assert parts("defined", row)["cascade"].value == 1.0
    assert parts("released", row)["cascade"].value is None


def test_rounding_is_no_escape_as_defined(make, trapped):
    start = judge_for(trapped.spec, trapped.spec["history"][-1]["design"])

    def escape(less):
        verdict = dataclasses.replace(start, total_violation=start.total_violation - less)
        return parts("defined", Row(trapped, make.record(trapped, make.propose(verdict))))["escape"].value

    assert (escape(5e-7), escape(2e-6)) == (0.0, 1.0)


def test_a_step_that_changes_nothing_is_dead_as_defined(make, trapped):
    still, moved = 2.9 - 0.009 * RANGE, 2.9 - 0.02 * RANGE
    assert parts("defined", live(make, trapped, 2.9, still))["dead"].value == 1.0
    assert parts("defined", live(make, trapped, 2.9, moved))["dead"].value == 0.0
    # Small steps do not add up: every design is compared with the one before it.
    assert parts("defined", live(make, trapped, still, 2.9 - 0.018 * RANGE))["dead"].value == 1.0
    assert parts("defined", live(make, trapped))["dead"].value == 1.0


def test_a_step_back_to_an_earlier_design_is_replanning(make, trapped):
    reset = Step("reset_to_prior", design=make.design(), verdict=judge_for(trapped.spec, make.design()))
    for found in both(Row(trapped, make.record(trapped, reset))):
        assert found["replan"].value == 1.0
        assert found["success"].value == 1.0


def test_a_trap_without_a_single_variable_leaves_the_escape_undefined(make, trapped):
    free = dataclasses.replace(trapped, gold={**trapped.gold, "trap": {**trapped.gold["trap"], "variable": None}})
    found = parts("released", live(make, free, 2.0, 2.0))
    for name in ("escape", "dead", "escape_failure", "post_escape_failure"):
        assert found[name].value is None, name
        assert found[name].reason, name
    assert found["success"].value == 1.0


def test_post_escape_failure_stays_in_the_unit_interval(make, trapped):
    never_moved = live(make, trapped, 2.0)  # feasible, but no two steps: success 1, escape 0
    assert parts("released", never_moved)["post_escape_failure"].value == 0.0
    assert parts("released", live(make, trapped, 2.5, 2.5))["post_escape_failure"].value == 1.0
