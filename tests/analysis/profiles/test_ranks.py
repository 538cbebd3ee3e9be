import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from vehbench_hf.statistics import average_ranks, correlations, spearman

values = st.integers(-20, 20).map(lambda n: n / 8)
pairs = st.lists(st.tuples(values, values), min_size=2, max_size=12)


@given(pairs)
def test_ties_are_ranked_by_their_average(rows: list[tuple[float, float]]) -> None:
    first, second = (list(column) for column in zip(*rows, strict=True))
    found = spearman(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)


@given(pairs)
def test_a_correlation_depends_on_neither_scale_nor_order(rows: list[tuple[float, float]]) -> None:
    first, second = (list(column) for column in zip(*rows, strict=True))
    found = spearman(first, second)
    stretched = spearman([math.exp(value) for value in first], second)
    mirrored = spearman([-value for value in first], second)
    assert found == spearman(second, first)
    if found is not None:
        assert stretched == pytest.approx(found)
        assert mirrored == pytest.approx(-found)
        assert -1 - 1e-12 <= found <= 1 + 1e-12


def test_the_rounding_error_of_a_sum_breaks_no_tie() -> None:
    # 0.1 + 0.2 is not 0.3 in floating point; as scores they are equal.
    assert list(average_ranks([0.3, 0.1 + 0.2, 0.5])) == [1.5, 1.5, 3.0]


def test_too_few_rows_give_no_number() -> None:
    assert spearman([], []) is None
    assert spearman([1.0], [2.0]) is None
    with pytest.raises(ValueError, match="equal length"):
        spearman([1.0, 2.0], [1.0])


def test_models_that_one_side_lacks_are_not_ranked() -> None:
    rows = {"a": {"x": 1.0, "y": 2.0, "z": 3.0}}
    found = correlations(rows, {"b": {"x": 3.0, "y": 2.0, "w": 9.0}})
    assert found == {"a": {"b": pytest.approx(-1.0)}}
    assert not np.isnan(found["a"]["b"] or 0.0)
