"""Errors over clusters, and the intervals, tests and detectable differences that follow from them."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from vehbench_hf.statistics import combined, estimate, interval, p_value, smallest_detectable


def mean_of(values):
    values = np.asarray(values, dtype=float)
    return lambda weights: weights @ values / weights.sum(axis=-1)


def mean(values, clusters, limits=None):
    return estimate(mean_of(values), np.ones(len(values)), clusters, limits=limits)


def difference(first, second, clusters):
    return combined([(1.0, mean(second, clusters)), (-1.0, mean(first, clusters))])


def each(number):
    return [str(i) for i in range(number)]


TASKS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.sampled_from("abcdef")), min_size=2, max_size=20)
VALUES = st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcdef")), min_size=1, max_size=20)


def test_with_a_task_a_cluster_it_is_students_interval():
    values = np.random.default_rng(1).uniform(0, 1, 40)
    found, error = mean(values, each(40)), scipy.stats.sem(values)
    assert found.value == pytest.approx(values.mean())
    # Leaving a task out moves the mean by 1/39 of its distance, where the textbook divides by 40.
    assert found.standard_error == pytest.approx(error * (40 / 39) ** 0.5)
    theirs = scipy.stats.t.interval(0.95, found.degrees_of_freedom, loc=values.mean(), scale=found.standard_error)
    assert interval(found) == pytest.approx(theirs)


@given(tasks=VALUES)
def test_deviations_are_what_leaving_a_cluster_out_does(tasks):
    values, clusters = (np.array(column) for column in zip(*tasks, strict=True))
    found = mean(values, clusters)
    for name in set(clusters) if len(set(clusters)) > 1 else ():
        without = values[clusters != name].mean()
        assert found.deviations[str(name)] == pytest.approx(values.mean() - without, abs=1e-5)


@given(tasks=VALUES)
def test_between_limits_an_interval_has_width_and_stays_between_them(tasks):
    values, clusters = zip(*tasks, strict=True)
    ends = interval(mean(values, clusters, (0.0, 1.0)))
    if len(set(clusters)) == 1:
        assert ends is None
    else:
        low, high = ends
        assert 0 <= low <= np.mean(values) + 1e-9
        assert np.mean(values) - 1e-9 <= high <= 1
        assert high - low > 1e-6


@pytest.mark.parametrize(("values", "end"), [([0.0] * 20, 0), ([1.0] * 20, 1)])
def test_where_all_papers_agree_as_many_tasks_count_as_there_are_papers(values, end):
    clusters = [str(i // 2) for i in range(20)]
    ends = interval(mean(values, clusters, (0.0, 1.0)))
    t = scipy.stats.t.ppf(0.975, 9)
    assert ends[end] == end
    assert abs(ends[1 - end] - end) == pytest.approx(t * t / (10 + t * t))


def test_rows_of_one_paper_do_not_count_as_independent():
    by_paper = np.repeat(np.random.default_rng(4).normal(0, 1, 30), 10)
    together, apart = mean(by_paper, [str(i // 10) for i in range(300)]), mean(by_paper, each(300))
    assert together.standard_error == pytest.approx(apart.standard_error * 10**0.5, rel=0.06)
    assert (together.clusters, apart.clusters) == (30, 300)


def test_few_papers_that_carry_the_error_leave_few_degrees_of_freedom():
    even = mean([0, 1] * 10, each(20))
    lone = mean([1.0] + [0.0] * 19, each(20))
    assert even.degrees_of_freedom == 19
    assert lone.degrees_of_freedom == pytest.approx(19 * 3 / 18.05, rel=0.02)
    assert mean([1.0, 0.0], ["a", "a"]).degrees_of_freedom == 0


@given(tasks=TASKS)
@settings(max_examples=40)
def test_the_order_of_the_runs_changes_the_sign_alone(tasks):
    first, second, clusters = (list(column) for column in zip(*tasks, strict=True))
    there, back = difference(first, second, clusters), difference(second, first, clusters)
    assert there.value == -back.value
    assert p_value(there) == p_value(back)
    if (ends := interval(there)) is not None:
        assert ends == pytest.approx([-end for end in reversed(interval(back))])


@given(tasks=TASKS)
def test_interval_and_p_value_say_the_same(tasks):
    first, second, clusters = (list(column) for column in zip(*tasks, strict=True))
    found = difference(first, second, clusters)
    if (ends := interval(found)) is not None and min(map(abs, ends)) > 1e-9:
        assert (p_value(found) <= 0.05) == (not ends[0] <= 0 <= ends[1])


@given(tasks=TASKS)
def test_a_run_does_not_differ_from_itself(tasks):
    values, _, clusters = (list(column) for column in zip(*tasks, strict=True))
    same = difference(values, values, clusters)
    assert (same.value, interval(same), smallest_detectable(same)) == (0.0, None, None)
    assert p_value(same) == (1.0 if len(set(clusters)) > 1 else None)


@pytest.mark.parametrize("papers", [2, 3, 7])
def test_a_shift_of_all_papers_is_as_likely_as_that_many_equal_coins(papers):
    """Rounding in another order of a sum is no spread either."""
    values = [0.1 * (i % 5) for i in range(35)]
    found = difference(values, [value + 0.3 for value in values], [str(i % papers) for i in range(35)])
    assert (found.standard_error, interval(found)) == (0.0, None)
    assert p_value(found) == 2 / 2**papers


def test_noise_that_both_runs_share_does_not_widen_the_interval():
    """Tasks differ far more than the runs: paired, that cancels."""
    rng = np.random.default_rng(3)
    hard = rng.normal(0, 10, 300)
    first, second = hard + rng.normal(0, 0.1, 300), hard + rng.normal(0.05, 0.1, 300)
    assert difference(first, second, each(300)).standard_error == pytest.approx(
        np.std(second - first) / 300**0.5, rel=0.02
    )


@pytest.mark.parametrize("papers", [0, 1])
def test_one_paper_or_an_undefined_value_has_neither_interval_nor_test(papers):
    for limits in (None, (0.0, 1.0)):
        found = mean([0.0, 1.0], ["a", "a"], limits) if papers else mean([np.nan, 1.0], ["a", "b"], limits)
        assert (found.standard_error, interval(found)) == (None, None)
    assert (p_value(found), smallest_detectable(found)) == (None, None)


def test_detectable_grows_with_power_and_strictness():
    found = mean(np.random.default_rng(2).normal(size=30), each(30))
    assert smallest_detectable(found, power=0.9) > smallest_detectable(found) < smallest_detectable(found, level=0.01)


def test_rows_without_weight_and_their_clusters_do_not_count():
    values, clusters = [0.2, 0.4, 0.9, 0.7], ["a", "b", "c", "c"]
    found = estimate(mean_of(values), np.array([1.0, 1.0, 0.0, 0.0]), clusters)
    assert found.value == pytest.approx(0.3)
    assert set(found.deviations) == {"a", "b"}


def test_many_clusters_are_taken_in_parts_with_equal_results(monkeypatch):
    values, clusters = np.random.default_rng(8).uniform(size=60), [str(i % 20) for i in range(60)]
    whole = mean(values, clusters)
    monkeypatch.setattr("vehbench_hf.statistics.LARGEST", 200)
    parts = mean(values, clusters)
    assert dict(parts.deviations) == pytest.approx(dict(whole.deviations))
