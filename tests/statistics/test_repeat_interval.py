import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.statistics import repeat_interval


@given(
    values=st.lists(st.floats(-1, 1), min_size=2, max_size=8).filter(lambda values: max(values) - min(values) > 1e-6)
)
def test_the_interval_is_that_of_scipy(values):
    mean, error = sum(values) / len(values), scipy.stats.sem(values)
    theirs = scipy.stats.t.interval(0.95, len(values) - 1, loc=mean, scale=error)
    assert repeat_interval(values) == pytest.approx(theirs, rel=1e-6, abs=1e-9)


def test_one_repeat_has_no_interval():
    assert repeat_interval([0.5]) is None
    assert repeat_interval([]) is None


def test_equal_repeats_have_an_interval_without_width():
    assert repeat_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)
