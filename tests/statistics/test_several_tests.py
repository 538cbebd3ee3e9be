"""Holm's adjustment and the smallest detectable difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.statistics import holm_adjusted, smallest_detectable

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


@given(p_values=P_VALUES, level=st.floats(0.001, 0.5))
def test_rejecting_by_adjusted_values_is_the_step_down_procedure(p_values, level):
    rejected = set()
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if (len(p_values) - rank) * p_values[place] > level:
            break
        rejected.add(place)
    assert {i for i, p in enumerate(holm_adjusted(p_values)) if p <= level} == rejected


@given(p_values=P_VALUES)
def test_an_adjusted_value_is_a_probability_and_no_smaller(p_values):
    for before, after in zip(p_values, holm_adjusted(p_values), strict=True):
        assert before <= after <= 1


def test_a_difference_of_the_detectable_size_is_found_with_the_stated_power():
    """A normal difference with standard error 0.1 and that true size, tested at 0.05, many times."""
    true = smallest_detectable(0.1)
    found = np.abs(np.random.default_rng(1).normal(true, 0.1, 200_000)) > 1.959964 * 0.1
    assert found.mean() == pytest.approx(0.8, abs=0.005)


def test_detectable_grows_with_power_and_strictness():
    assert smallest_detectable(0.1, power=0.9) > smallest_detectable(0.1) < smallest_detectable(0.1, level=0.01)
