import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.statistics import percentile_interval, resample_weights

CLUSTERS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=30)


@given(clusters=CLUSTERS)
def test_rows_of_one_paper_are_drawn_together(clusters):
    weights = resample_weights(clusters, resamples=50)
    assert weights.shape == (50, len(clusters))
    for name in set(clusters):
        same = weights[:, [i for i, cluster in enumerate(clusters) if cluster == name]]
        assert (same == same[:, :1]).all()


@given(clusters=CLUSTERS)
def test_as_many_papers_are_drawn_as_there_are(clusters):
    first = [clusters.index(name) for name in sorted(set(clusters))]
    assert (resample_weights(clusters, resamples=50)[:, first].sum(axis=1) == len(first)).all()


def test_equal_calls_give_equal_draws_and_other_seeds_others():
    clusters = list("aabbccddee")
    first = resample_weights(clusters, resamples=20)
    assert (first == resample_weights(clusters, resamples=20)).all()
    assert (first != resample_weights(clusters, resamples=20, seed=1)).any()


def test_rows_in_another_order_are_drawn_alike():
    clusters = list("abcab")
    order = [4, 2, 0, 1, 3]
    assert (
        resample_weights(clusters, resamples=20)[:, order]
        == resample_weights([clusters[i] for i in order], resamples=20)
    ).all()


def test_interval_of_a_mean_has_the_width_that_theory_says():
    clusters = [str(i) for i in range(400)]
    values = np.random.default_rng(5).normal(size=400)
    weights = resample_weights(clusters)
    low, high = percentile_interval(weights @ values / weights.sum(axis=1))
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.05)


def test_interval_is_wider_where_rows_of_a_paper_fail_together():
    values = np.repeat(np.random.default_rng(5).normal(size=40), 10)

    def width(clusters):
        weights = resample_weights(clusters)
        low, high = percentile_interval(weights @ values / weights.sum(axis=1))
        return high - low

    together, apart = width([str(i // 10) for i in range(400)]), width([str(i) for i in range(400)])
    assert together == pytest.approx(apart * 10**0.5, rel=0.15)


def test_no_interval_is_given_where_most_resamples_are_undefined():
    values = np.full(100, 0.5)
    values[:5] = np.nan
    assert percentile_interval(values) == (0.5, 0.5)
    values[:6] = np.nan
    assert percentile_interval(values) is None
    assert percentile_interval(np.array([])) is None
