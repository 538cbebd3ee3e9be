"""Holm's adjustment."""

from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.statistics import holm_adjusted

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
