import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.scoring import Row, p4

ORDERS = st.permutations(list("abcde")).map("".join)


def parts(convention, *rows):
    return p4.parts(p4.read_rows(rows, convention))


def both(*rows):
    return parts("released", *rows), parts("defined", *rows)


@given(order=st.permutations(range(5)), gold=st.permutations(range(5)))
def test_tau_is_that_of_scipy(order, gold):
    ids = "abcde"
    ours = p4.kendall_tau([ids[i] for i in order], [ids[i] for i in gold])
    places = [[ranking.index(i) for i in range(5)] for ranking in (order, gold)]
    assert ours == pytest.approx(scipy.stats.kendalltau(*places).statistic)
    assert -1 <= ours <= 1


@given(order=ORDERS, names=st.permutations(list("vwxyz")))
def test_tau_does_not_depend_on_what_candidates_are_called(order, names):
    rename = dict(zip("abcde", names, strict=True))
    renamed = p4.kendall_tau([rename[c] for c in order], [rename[c] for c in "abcde"])
    assert renamed == p4.kendall_tau(order, "abcde")


@given(order=ORDERS)
def test_tau_of_the_reversed_order_is_the_opposite(order):
    assert p4.kendall_tau(order[::-1], "abcde") == -p4.kendall_tau(order, "abcde")


@pytest.mark.parametrize(("ranking", "gold"), [("abc", "abd"), ("aab", "abc"), ("ab", "abc"), ("a", "a"), ("aa", "aa")])
def test_orders_of_different_things_have_no_tau(ranking, gold):
    with pytest.raises(ValueError, match="two orders"):
        p4.kendall_tau(ranking, gold)


@pytest.mark.parametrize("convention", ["released", "defined"])
@given(drawn=st.lists(st.tuples(ORDERS | st.none(), st.sampled_from(["balanced", "x"])), min_size=1, max_size=8))
def test_point_value_has_the_formula_of_the_resamples(make, convention, drawn):
    tasks = [
        make.pool(f"t{i}", sensitive="ba", dominated="ae", profile=profile) for i, (_, profile) in enumerate(drawn)
    ]
    rows = [Row(task, make.rank(task, order)) for task, (order, _) in zip(tasks, drawn, strict=True)]
    of, twice = p4.read_rows(rows, convention), p4.read_rows(rows * 2, convention)
    found, again = p4.parts(of), p4.parts(twice)
    assert float(p4.headline(of, np.ones(len(rows)))) == found["tau"].value
    assert float(p4.headline(of, np.full(len(rows), 2.0))) == pytest.approx(found["tau"].value)
    for name, part in found.items():
        value = again[name].value
        assert part.value == (None if value is None else pytest.approx(value)), name
        assert part.value is None or -1 <= part.value <= 1, name


@pytest.mark.parametrize("answer", [None, "", "abcd", "abcdd", "abcdf"])
def test_an_unreadable_ranking_counts_as_the_worst(make, answer):
    task = make.pool(sensitive="ba", dominated="ae")
    for found in both(Row(task, make.rank(task, answer))):
        assert found["tau"].value == found["pareto"].value == -1.0
        assert found["viol"].value == found["parse"].value == found["policy_mismatch"].value == 1.0
        assert found["exact"].value == found["top1"].value == found["top2"].value == 0.0
        assert found["bars"].value == pytest.approx(-0.55)


def test_a_cut_reply_with_a_ranking_is_not_trusted(make):
    task = make.pool()
    assert parts("defined", Row(task, make.rank(task, "abcde", outcome="truncated")))["tau"].value == -1.0


def test_rows_without_sensitive_pairs_are_zero_as_released_and_left_out_as_defined(make):
    with_pairs, without = make.pool("a", sensitive="ab bc"), make.pool("b")
    rows = [Row(task, make.rank(task, "abcde")) for task in (with_pairs, without)]
    released, defined = both(*rows)
    assert (released["pair_accuracy"].value, released["policy_mismatch"].value) == (0.5, 0.5)
    assert (defined["pair_accuracy"].value, defined["policy_mismatch"].value) == (1.0, 0.0)
    assert released["bars"].value == pytest.approx(0.55 + 0.25 * 0.5 + 0.20)
    assert defined["bars"].value == pytest.approx(1.0)


def test_bars_looks_at_the_balanced_policy_only(make):
    balanced, other = make.pool("a", sensitive="ab"), make.pool("b", sensitive="ab", profile="reliability_first")
    rows = [Row(balanced, make.rank(balanced, "abcde")), Row(other, make.rank(other, "edcba"))]
    for found in both(*rows):
        assert found["bars"].value == pytest.approx(1.0)
        assert found["bars"].n == 1


def test_bars_without_its_rows_is_undefined(make):
    other = make.pool("b", profile="reliability_first")
    for found in both(Row(other, make.rank(other, "abcde"))):
        assert found["bars"].value is None
        assert found["bars"].reason
    balanced = make.pool("a")
    found = parts("defined", Row(balanced, make.rank(balanced, "abcde")))
    assert found["bars"].value is None
    assert "pair" in found["bars"].reason


def test_the_first_two_are_compared_as_a_set_and_the_first_one_alone(make):
    task = make.pool(dominated="ab cd")
    for found in both(Row(task, make.rank(task, "bacde"))):
        assert (found["top1"].value, found["top2"].value, found["exact"].value) == (0.0, 1.0, 0.0)
        assert (found["viol"].value, found["pareto"].value) == (0.5, 0.0)
        assert found["top_choice_miss"].value == 1.0


def test_a_pool_without_dominated_pairs_has_no_violation_rate(make):
    task = make.pool()
    for found in both(Row(task, make.rank(task, "abcde"))):
        assert found["viol"].value is None
        assert found["pareto"].value is None
        assert found["viol"].reason
