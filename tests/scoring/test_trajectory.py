"""What changes from one design to the next."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.scoring import Row, p2, p3
from vehbench_hf.scoring.trajectory import edit_sizes, evaluated, local_edits, violation_reductions, worst_limit_gains
from vehbench_hf.types import Step
from vehbench_oracle.veh.problem import VehProblem

SLACKS = st.lists(st.fixed_dictionaries({"a": st.floats(-5, 5), "b": st.floats(-5, 5)}), max_size=6)


def within(bounds):
    return VehProblem(bounds, {}, 60.0, 0.5)


def test_the_most_violated_limit_is_the_one_before_the_step():
    before = {"a": -3.0, "b": -1.0}
    assert worst_limit_gains([before, {"a": -2.0, "b": -9.0}]) == 1.0
    assert worst_limit_gains([before, {"a": -3.0, "b": 9.0}]) == 0.0
    assert worst_limit_gains([before, {"b": 9.0}]) is None


def test_steps_from_a_feasible_design_do_not_count():
    good = {"a": 1.0, "b": 0.0}
    assert worst_limit_gains([good, {"a": 0.5, "b": 0.5}]) is None
    assert worst_limit_gains([{"a": -1.0}, {"a": 1.0}, {"a": 0.5}]) == 1.0
    assert worst_limit_gains([{}, {}]) is None


@given(slacks=SLACKS)
def test_a_share_of_gains_is_a_share(slacks):
    found = worst_limit_gains(slacks)
    assert (found is None) == (not any(min(s.values()) < 0 for s in slacks[:-1]))
    assert found is None or 0 <= found <= 1


def test_two_designs_beyond_the_formulas_are_no_reduction():
    assert violation_reductions([math.inf, math.inf]) == (0, 1)
    assert violation_reductions([math.inf, 2.0, 2.0 - 1e-7, 1.0]) == (2, 3)
    assert violation_reductions([]) == (0, 0)


def test_an_edit_of_nothing_is_not_local(make):
    assert local_edits([0.0, 0.25, 0.26, 1e-13]) == (1, 2)
    steps = [make.propose(make.verdict(), tip_mass_g=mass) for mass in (2.0, 2.0, 3.0)]
    task = make.task("p2")
    sizes = edit_sizes(evaluated(make.record(task, *steps)), task.problem)
    assert sizes == pytest.approx([0.0, 0.5 / 6])


def test_variables_without_a_range_are_left_out_of_the_size_of_an_edit(make):
    steps = [make.propose(make.verdict(), tip_mass_g=mass) for mass in (2.0, 3.0)]
    record = make.record(make.task("p2"), *steps)
    bounds = {"tip_mass_g": {"min": 1.0, "max": 3.0}, "beam_width_mm": None}
    assert edit_sizes(evaluated(record), within(bounds)) == [0.5]
    assert edit_sizes(evaluated(record), within({})) == []


def test_no_op_and_local_edits_are_what_is_reported(make):
    task = make.task("p2")
    wide = {"tip_mass_g": 3.0, "beam_length_mm": 60.0, "beam_width_mm": 21.0, "substrate_thickness_um": 750.0}
    steps = [make.propose(make.verdict(), **changes) for changes in ({}, {}, {"tip_mass_g": 2.1}, wide)]
    for convention in ("released", "defined"):
        found = p2.parts(p2.read_rows([Row(task, make.record(task, *steps))], convention))
        assert (found["no_op"].numerator, found["no_op"].denominator) == (1, 3)
        assert (found["bounded_local_edit"].numerator, found["bounded_local_edit"].denominator) == (1, 2)


def test_violation_reduction_is_a_mean_of_searches_as_released_and_pooled_as_defined(make):
    """One search with one good step, one with a good and two bad ones: 2 of 4 steps, but 2/3 as a mean of shares."""

    def search(name, *freqs):
        task = make.task("p2", name)
        steps = [make.propose(make.verdict(freq=freq)) for freq in freqs]
        return Row(task, make.record(task, *steps))

    rows = [search("a", -3.0, -1.0), search("b", -3.0, -1.0, -2.0, -4.0)]
    found = p2.parts(p2.read_rows(rows, "released"))["violation_reduction"]
    assert (found.value, found.n) == (pytest.approx((1 + 1 / 3) / 2), 2)
    assert p2.parts(p2.read_rows(rows, "defined"))["violation_reduction"].value == pytest.approx(2 / 4)


def test_the_profiles_improvement_sees_power_and_the_released_one_does_not(make):
    gold = {"reference": {"design": None, "power_uw": 10.0, "power_uw_older": None, "upper_bound_uw": None}}
    task = make.task("p2", gold=gold)
    steps = [make.propose(make.verdict(power)) for power in (4.0, 6.0)]
    found = p2.parts(p2.read_rows([Row(task, make.record(task, *steps))], "released"))
    assert (found["impr"].value, found["utility_improvement"].value) == (0.0, 1.0)
    assert found["auc"].value == pytest.approx((0.4 + 9 * 0.6) / 10)
    assert found["auc_budget"].value == pytest.approx((0.4 + 5 * 0.6) / 6)


def test_the_history_counts_in_what_followed_feedback(make):
    """As released a P3 trajectory begins with its history, whose first step follows no feedback."""
    shown = [
        {
            "design": make.design(),
            "note": "",
            "verdict": {
                "feasible": feasible,
                "power_uw": 1.0,
                "slack": {**make.verdict().slack, "stress_limit_mpa": slack},
                "violations": [],
                "metrics": None,
            },
        }
        for feasible, slack in ((True, 1.0), (False, -2.0), (False, -3.0))
    ]
    task = make.task("p3", spec={"history": shown})
    live = [make.propose(make.verdict(stress=-1.0)), Step("replan"), make.propose(make.verdict())]
    found = p3.parts(p3.read_rows([Row(task, make.record(task, *live))], "released"))
    assert (found["post_feedback_feasible"].numerator, found["post_feedback_feasible"].denominator) == (1, 4)
    assert found["violation_reduction"].value == pytest.approx(2 / 3)
