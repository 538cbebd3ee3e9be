import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.statistics import wilson_interval

COUNTS = st.integers(1, 400).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(counts=COUNTS, level=st.sampled_from([0.9, 0.95, 0.99]))
def test_wilson_is_that_of_scipy(counts, level):
    theirs = scipy.stats.binomtest(*counts).proportion_ci(confidence_level=level, method="wilson")
    assert wilson_interval(*counts, level=level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(counts=COUNTS)
def test_an_interval_lies_in_the_unit_interval_around_the_rate(counts):
    low, high = wilson_interval(*counts)
    assert 0 <= low <= counts[0] / counts[1] + 1e-12
    assert counts[0] / counts[1] - 1e-12 <= high <= 1


def test_the_interval_of_the_papers_table_12_comes_out():
    low, high = wilson_interval(74, 156)
    assert (f"{100 * low:.1f}", f"{100 * high:.1f}") == ("39.8", "55.2")


def test_nothing_out_of_nothing_has_no_interval():
    assert wilson_interval(0, 0) is None


@pytest.mark.parametrize("counts", [(-1, 5), (6, 5)])
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(ValueError, match="numerator"):
        wilson_interval(*counts)
