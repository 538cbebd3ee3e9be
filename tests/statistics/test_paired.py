import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vehbench_hf.statistics import paired_difference


def mean_of(values):
    values = np.asarray(values, dtype=float)
    return lambda weights: weights @ values / weights.sum(axis=-1)


def compare(first, second, clusters, resamples=1000, **options):
    n = len(first)
    ones, zeros = np.ones(n), np.zeros(n)
    return paired_difference(
        mean_of([*first, *second]),
        np.concatenate([ones, zeros]),
        np.concatenate([zeros, ones]),
        [*clusters, *clusters],
        resamples=resamples,
        **options,
    )


TASKS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.sampled_from("abcdef")), min_size=2, max_size=20)


@given(tasks=TASKS)
@settings(max_examples=40)
def test_the_order_of_the_runs_changes_the_sign_alone(tasks):
    first, second, clusters = (list(column) for column in zip(*tasks, strict=True))
    one, other = compare(first, second, clusters, 200), compare(second, first, clusters, 200)
    assert one.value == pytest.approx(-other.value)
    assert one.p_value == other.p_value
    if one.interval is not None:
        assert one.interval == pytest.approx([-other.interval[1], -other.interval[0]])
        assert one.standard_error == pytest.approx(other.standard_error)


@given(tasks=TASKS)
@settings(max_examples=40)
def test_a_run_does_not_differ_from_itself(tasks):
    values, _, clusters = (list(column) for column in zip(*tasks, strict=True))
    same = compare(values, values, clusters, 200)
    assert same.value == 0.0
    assert same.p_value == 1.0
    assert same.interval in (None, (0.0, 0.0))
    assert same.standard_error in (None, 0.0)


def test_rounding_is_no_spread():
    """The same shift in every paper, or none but a sum in another order, leaves nothing to judge a difference by."""
    papers = [f"paper{i % 7}" for i in range(30)]
    values = [0.1 * (i % 5) for i in range(30)]
    for shift in (0.0, 0.3):
        assert compare(values, [value + shift for value in values], papers).standard_error == 0.0


def test_noise_that_both_runs_share_does_not_widen_the_interval():
    """Tasks differ far more than the runs: paired, that cancels."""
    rng = np.random.default_rng(3)
    hard = rng.normal(0, 10, 300)
    first, second = hard + rng.normal(0, 0.1, 300), hard + rng.normal(0.05, 0.1, 300)
    found = compare(first, second, [str(i) for i in range(300)], 4000)
    assert found.standard_error == pytest.approx(np.std(second - first) / 300**0.5, rel=0.05)
    low, high = found.interval
    assert high - low == pytest.approx(2 * 1.96 * found.standard_error, rel=0.05)


def test_rows_of_one_paper_do_not_count_as_independent():
    rng = np.random.default_rng(4)
    by_paper = np.repeat(rng.normal(0, 1, 30), 10)
    together = compare(np.zeros(300), by_paper, [str(i // 10) for i in range(300)])
    apart = compare(np.zeros(300), by_paper, [str(i) for i in range(300)])
    assert together.standard_error == pytest.approx(apart.standard_error * 10**0.5, rel=0.15)
    assert (together.clusters, apart.clusters) == (30, 300)


def test_three_papers_prove_no_difference():
    """All three agree, which one in four exchanges does; a bootstrap alone would call that certain."""
    found = compare([0, 0, 0], [1, 1, 1], list("abc"), 4000)
    assert found.p_value == pytest.approx(0.25, abs=0.03)


def test_equal_runs_are_told_apart_as_often_as_the_level_says():
    rng = np.random.default_rng(5)
    clusters = [str(i // 3) for i in range(60)]
    p_values = []
    for _ in range(300):
        shared = np.repeat(rng.normal(0, 1, 20), 3)
        p_values.append(compare(shared + rng.normal(0, 1, 60), shared + rng.normal(0, 1, 60), clusters, 200).p_value)
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.035)
    assert np.mean(np.array(p_values) <= 0.5) == pytest.approx(0.5, abs=0.09)


def test_a_clear_difference_has_the_smallest_p_value_above_zero():
    found = compare(np.zeros(40), np.ones(40), [str(i) for i in range(40)], 999)
    assert found.p_value == 0.001
    assert found.interval == (1.0, 1.0)


def test_one_paper_has_no_interval():
    found = compare([0.0, 0.0], [1.0, 0.5], ["a", "a"])
    assert (found.interval, found.standard_error, found.p_value) == (None, None, 1.0)


def test_all_resamples_are_drawn_and_batches_do_not_repeat_each_other():
    rows, drawn = 40, []

    def spy(weights):
        if weights.ndim == 2:
            drawn.append(weights)
        return weights.sum(axis=-1)

    ones, zeros = np.ones(rows), np.zeros(rows)
    names = [str(i) for i in range(rows)] * 2
    paired_difference(spy, np.concatenate([ones, zeros]), np.concatenate([zeros, ones]), names, resamples=2500)
    assert [len(weights) for weights in drawn] == [1000] * 8 + [500] * 4
    assert not np.array_equal(drawn[0], drawn[4])
    assert not np.array_equal(drawn[2], drawn[6])


def test_equal_calls_agree_and_other_seeds_differ():
    rng = np.random.default_rng(6)
    data = (rng.random(50), rng.random(50), [str(i) for i in range(50)])
    assert compare(*data) == compare(*data)
    assert compare(*data).interval != compare(*data, seed=1).interval
