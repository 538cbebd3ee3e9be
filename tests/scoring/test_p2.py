import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.scoring import Row, p2
from vehbench_hf.types import Step


def search(make, *steps, reference=10.0, task_id="t", **fields):
    gold = {"reference": {"design": None, "power_uw": reference, "power_uw_older": None, "upper_bound_uw": None}}
    task = make.task("p2", task_id, gold=gold)
    return Row(task, make.record(task, *steps, **fields))


def parts(convention, *rows):
    return p2.parts(p2.read_rows(rows, convention))


def both(*rows):
    return parts("released", *rows), parts("defined", *rows)


VERDICTS = st.tuples(st.floats(0.0, 30.0), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
TRAJECTORIES = st.lists(st.lists(VERDICTS | st.none(), max_size=6), min_size=1, max_size=6)


def build(make, trajectories):
    """None is a replan."""
    return [
        search(
            make,
            *(Step("replan") if v is None else make.propose(make.verdict(v[0], stress=v[1], freq=v[2])) for v in steps),
            task_id=f"t{i}",
        )
        for i, steps in enumerate(trajectories)
    ]


@pytest.mark.parametrize("convention", ["released", "defined"])
@given(trajectories=TRAJECTORIES)
def test_point_value_has_the_formula_of_the_resamples(make, convention, trajectories):
    rows, doubled = build(make, trajectories), build(make, trajectories * 2)
    of, twice = p2.read_rows(rows, convention), p2.read_rows(doubled, convention)
    ones = np.ones(len(rows))
    value = float(p2.headline(of, ones))
    assert value == p2.parts(of)["p2b"].value
    assert value == pytest.approx(float(p2.headline(twice, np.ones(len(doubled)))))
    assert value == pytest.approx(float(p2.headline(of, 2 * ones)))
    for name, part in p2.parts(of).items():
        again = p2.parts(twice)[name].value
        assert part.value == (None if again is None else pytest.approx(again)), name


@pytest.mark.parametrize("convention", ["released", "defined"])
@given(trajectories=TRAJECTORIES)
def test_rates_stay_in_the_unit_interval(make, convention, trajectories):
    found = parts(convention, *build(make, trajectories))
    for name in ("p2a", "final_feasible", "impr", "infeasible_closure", "destructive", "invalid", "directed_update"):
        assert found[name].value is None or 0 <= found[name].value <= 1, name


def test_an_infeasible_end_after_a_feasible_design_is_infeasible_as_defined(make):
    good, bad = make.propose(make.verdict(5.0)), make.propose(make.verdict(7.0, stress=-1.0))
    released, defined = both(search(make, good, bad))
    assert (released["final_feasible"].value, released["p2b"].value) == (1.0, 0.5)
    assert (defined["final_feasible"].value, defined["p2b"].value) == (0.0, 0.0)
    assert defined["destructive"].value == released["destructive"].value == 1.0


@pytest.mark.parametrize("reference", [None, 0.0])
def test_a_task_without_reference_is_zero_as_released_and_left_out_as_defined(make, reference):
    good = make.propose(make.verdict(5.0))
    rows = search(make, good, task_id="a"), search(make, good, task_id="b", reference=reference)
    released, defined = both(*rows)
    assert (released["p2b"].value, released["p2b"].n) == (0.25, 2)
    assert (defined["p2b"].value, defined["p2b"].n) == (0.5, 1)
    assert released["cond_ratio"].value == defined["cond_ratio"].value == 0.5
    assert released["final_feasible"].value == 1.0


def test_recorded_rows_are_divided_by_their_own_reference(make):
    good = make.propose(make.verdict(5.0))
    own = search(make, good, recorded=True, reference_value=20.0)
    without = search(make, good, task_id="u", recorded=True, reference_value=None)
    assert parts("released", own)["p2b"].value == 0.25
    assert parts("released", without)["p2b"].value == 0.0
    assert parts("defined", own, without)["p2b"].value == 0.5


def test_no_reference_at_all_leaves_the_ratio_undefined(make):
    found = parts("defined", search(make, make.propose(make.verdict(5.0)), reference=None))
    for name in ("p2b", "cond_ratio", "auc"):
        assert found[name].value is None, name
        assert found[name].reason, name


def test_curve_goes_on_beyond_the_search_to_the_length_of_its_convention(make):
    bad, good = make.propose(make.verdict(9.0, disp=-1.0)), make.propose(make.verdict(5.0))
    released, defined = both(search(make, bad, Step("replan"), good))
    assert released["auc"].value == pytest.approx(0.5 * 8 / 10)
    assert defined["auc"].value == pytest.approx(0.5 * 4 / 6)


def test_searches_that_stay_infeasible_count_in_the_curve_as_defined(make):
    bad, good = make.propose(make.verdict(9.0, disp=-1.0)), make.propose(make.verdict(5.0))
    released, defined = both(search(make, good, task_id="a"), search(make, bad, bad, task_id="b"))
    assert (released["auc"].value, released["auc"].n) == (0.5, 1)
    assert (defined["auc"].value, defined["auc"].n) == (0.25, 2)


def test_released_improvement_sees_neither_power_nor_infeasible_searches(make):
    low, high = make.propose(make.verdict(2.0, freq=-1.0)), make.propose(make.verdict(9.0, freq=-1.0))
    closed = make.propose(make.verdict(9.0))
    released, defined = both(search(make, low, high, closed, task_id="a"), search(make, low, high, task_id="b"))
    assert (released["impr"].value, released["impr"].n) == (0.5, 1)
    assert (defined["impr"].value, defined["impr"].n) == (1.0, 2)


def test_a_single_proposal_has_no_improvement(make):
    for found in both(search(make, make.propose(make.verdict(5.0)))):
        assert found["impr"].value is None
        assert found["impr"].n == 0


def test_turns_without_a_design_are_no_oracle_calls_as_defined(make):
    steps = [Step("replan"), make.propose(make.verdict(1.0, stress=-1.0)), Step("declare_infeasible")]
    released, defined = both(search(make, *steps))
    assert (released["queries"].value, defined["queries"].value) == (3.0, 1.0)


def test_the_first_design_need_not_be_the_first_turn(make):
    rows = [
        search(make, Step("replan"), make.propose(make.verdict(1.0)), task_id="a"),
        search(make, Step("declare_infeasible"), task_id="b"),
    ]
    for found in both(*rows):
        assert found["p2a"].value == 0.5


def test_where_no_destructive_edit_was_possible_it_is_zero_as_released_undefined_as_defined(make):
    released, defined = both(search(make, make.propose(make.verdict(5.0))))
    assert (released["destructive"].value, released["destructive"].n) == (0.0, 0)
    assert defined["destructive"].value is None
    assert defined["destructive"].reason


def test_directed_update_looks_at_the_most_violated_limit(make):
    before = make.propose(make.verdict(1.0, stress=-3.0, disp=-1.0))
    towards = make.propose(make.verdict(1.0, stress=-2.0, disp=-5.0))
    away = make.propose(make.verdict(1.0, stress=-4.0, disp=1.0))
    rows = [search(make, before, towards, task_id="a"), search(make, before, away, task_id="b")]
    assert [parts("defined", row)["directed_update"].value for row in rows] == [1.0, 0.0]
    released, defined = both(*rows)
    assert (defined["directed_update"].value, defined["directed_update"].n) == (0.5, 2)
    assert released["directed_update"].value == 0.0


def test_unreadable_ends_are_invalid(make):
    rows = [
        search(make, task_id="a", outcome="format_error"),
        search(make, make.propose(make.verdict(1.0)), task_id="b"),
    ]
    for found in both(*rows):
        assert found["invalid"].value == 0.5
        assert found["final_feasible"].value == 0.5


def test_a_design_beyond_the_formulas_is_no_improvement(make):
    from vehbench_oracle import unevaluable

    broken = make.propose(unevaluable((), "overflow"))
    found = parts("defined", search(make, make.propose(make.verdict(1.0, freq=-1.0)), broken))
    assert found["impr"].value == 0.0
    assert found["violation_reduction"].value == 0.0
    assert found["directed_update"].value == 0.0


def test_log_edit_of_a_step_over_the_whole_range_is_one(make):
    verdict = make.verdict(1.0, freq=-1.0)
    low, high = ({name: k * value for name, value in make.design().items()} for k in (0.5, 1.5))
    found = parts("defined", search(make, make.propose(verdict, **low), make.propose(verdict, **high)))
    assert found["log_edit"].value == pytest.approx(1.0)


def test_bounds_need_a_certified_optimum(make):
    row = search(make)
    assert p2.extremes(row.task, "defined") is None
    row.task.gold["reference"]["upper_bound_uw"] = 12.0
    assert p2.extremes(row.task, "defined") == (0.0, 1.2)
