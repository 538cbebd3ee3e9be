"""An interval that loses a member makes the check of certificates accept what is false."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_oracle.veh.proof.intervals import Interval, highest, peaked, rising

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
shares = st.floats(0.0, 1.0)
ranges = st.tuples(numbers, numbers).map(lambda ends: (min(ends), max(ends)))


def member(ends: tuple[float, float], share: float) -> float:
    return min(max(ends[0] + share * (ends[1] - ends[0]), ends[0]), ends[1])


def holds(found: Interval, value: float) -> bool:
    return bool(found.low <= value <= found.high)


@given(ranges, shares, ranges, shares, st.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv]))
def test_an_operation_keeps_every_result(first, one, second, other, operation) -> None:
    a, b = member(first, one), member(second, other)
    if operation is operator.truediv and b <= 1e-300:
        return  # only positive members of a divisor count
    with np.errstate(all="ignore"):
        assert holds(operation(Interval.of(*first), Interval.of(*second)), operation(a, b))
        assert holds(operation(Interval.of(*first), b), operation(a, b))
        if operation is not operator.sub:
            assert holds(operation(a, Interval.of(*second)), operation(a, b))


@given(ranges, shares)
def test_a_square_and_a_root_keep_every_result(ends, share) -> None:
    value = member(ends, share)
    assert holds(Interval.of(*ends).squared(), value * value)
    if value >= 0:
        assert holds(Interval.of(*ends).root(), float(np.sqrt(value)))
        assert holds(highest(np.array(ends[1])), value)


@given(ranges, shares, numbers)
def test_a_function_takes_no_value_outside_its_range(ends, share, peak) -> None:
    value, inside = member(ends, share), Interval.of(*ends)
    assert holds(rising(np.arctan, inside), float(np.arctan(value)))
    assert holds(peaked(lambda v: -np.abs(v - peak), inside, peak), -abs(value - peak))


def test_an_empty_or_unbounded_range_is_recognized() -> None:
    apart = Interval.of(0.0, 1.0).meet(Interval.of(2.0, 3.0))
    assert apart.empty
    assert not Interval.of(0.0, 1.0).meet(Interval.of(1.0, 3.0)).empty
    with np.errstate(all="ignore"):
        near_zero = Interval.of(1.0, 2.0) / Interval.of(-1.0, 1.0)
    assert near_zero.low == pytest.approx(1.0)
    assert near_zero.high == np.inf


def test_an_undefined_end_excludes_nothing() -> None:
    with np.errstate(all="ignore"):
        unknown = Interval.of(np.nan, np.nan)
        for found in (unknown + 1.0, unknown * 2.0, unknown.squared(), unknown.meet(Interval.of(0.0, 1.0))):
            assert not found.empty
            assert not found.high < 1e9
            assert not found.low > -1e9
        quotient = Interval.of(0.0, 1.0) / Interval.of(0.0, 0.0)
    assert quotient.low == -np.inf
    assert quotient.high == np.inf
