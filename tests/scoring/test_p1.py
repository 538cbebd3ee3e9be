import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vehbench_hf.scoring import Row, p1

ACTIONS = p1.ACTIONS
SUBTYPES = ("base", "margin", "missing")
# The first three rows give every class gold support, without which the composite is undefined.
LABELS = st.lists(
    st.tuples(st.sampled_from([*ACTIONS, "replan", None]), st.sampled_from(ACTIONS), st.sampled_from(SUBTYPES)),
    max_size=40,
).map(lambda drawn: [(ACTIONS[0], action, "base") for action in ACTIONS] + drawn)


def scored(make, labels):
    return [
        Row(*make.triage(action, gold, f"t{i}", subtype=subtype)) for i, (action, gold, subtype) in enumerate(labels)
    ]


def by_the_book(labels):
    """(A-23) to (A-27) in plain loops."""

    def f1(rows, c):
        hits = sum(a == g == c for a, g, _ in rows)
        claimed, real = sum(a == c for a, _, _ in rows), sum(g == c for _, g, _ in rows)
        precision, recall = hits / claimed if claimed else 0.0, hits / real if real else 0.0
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def discipline(c):
        recall = sum(a == g == c for a, g, _ in labels) / sum(g == c for _, g, _ in labels)
        others = [a for a, g, _ in labels if g != c]
        return recall * (1 - sum(a == c for a in others) / len(others))

    families = []
    for subtype in {s for _, _, s in labels}:
        rows = [row for row in labels if row[2] == subtype]
        present = {g for _, g, _ in rows}
        families.append(sum(f1(rows, c) for c in present) / len(present))
    propose, infeasible, request = ACTIONS
    return (
        0.40 * sum(f1(labels, c) for c in ACTIONS) / 3
        + 0.20 * discipline(propose)
        + 0.15 * discipline(request)
        + 0.15 * discipline(infeasible)
        + 0.10 * sum(families) / len(families)
    )


@given(labels=LABELS)
def test_composite_follows_the_paper_formula(make, labels):
    rows = p1.read_rows(scored(make, labels), "defined")
    value = float(p1.headline(rows, np.ones(len(labels))))
    assert value == pytest.approx(by_the_book(labels), abs=1e-12)
    assert 0 <= value <= 1
    assert p1.parts(rows)["comp"].value == value


@given(labels=LABELS)
def test_repeating_all_rows_equals_weights_of_two(make, labels):
    once, twice = p1.read_rows(scored(make, labels), "defined"), p1.read_rows(scored(make, labels * 2), "defined")
    assert p1.headline(twice, np.ones(2 * len(labels))) == pytest.approx(
        float(p1.headline(once, np.full(len(labels), 2.0))), abs=1e-12
    )


@given(labels=LABELS, data=st.data())
def test_weighted_resample_equals_scoring_the_drawn_rows(make, labels, data):
    extra = data.draw(st.lists(st.integers(0, len(labels) - 1), max_size=30))
    drawn = [*range(3), *extra]
    weights = np.bincount(drawn, minlength=len(labels)).astype(float)
    assert float(p1.headline(p1.read_rows(scored(make, labels), "defined"), weights)) == pytest.approx(
        by_the_book([labels[i] for i in drawn]), abs=1e-12
    )


@given(labels=LABELS)
def test_names_of_subtypes_do_not_matter(make, labels):
    renamed = [(a, g, {"base": "z", "margin": "y", "missing": "x"}[s]) for a, g, s in labels]
    ones = np.ones(len(labels))
    first = p1.headline(p1.read_rows(scored(make, labels), "defined"), ones)
    assert p1.headline(p1.read_rows(scored(make, renamed), "defined"), ones) == pytest.approx(float(first), abs=1e-12)


def test_many_resamples_at_once_have_the_values_of_one_by_one(make):
    rows = p1.read_rows(scored(make, [(a, g, s) for a in ACTIONS for g in ACTIONS for s in SUBTYPES]), "defined")
    weights = np.random.default_rng(0).integers(1, 4, (2, 5, 27)).astype(float)
    together = p1.headline(rows, weights)
    assert together.shape == (2, 5)
    assert together[1, 3] == pytest.approx(float(p1.headline(rows, weights[1, 3])))


def test_always_proposing_gets_the_scores_it_deserves(make):
    golds = [ACTIONS[0]] * 45 + [ACTIONS[1]] * 20 + [ACTIONS[2]] * 15
    parts = p1.parts(p1.read_rows(scored(make, [(ACTIONS[0], gold, "s") for gold in golds]), "released"))
    assert parts["acc"].value == 0.5625
    assert parts["f1"].value == pytest.approx(0.24)
    assert parts["acs"].value == 0.0
    assert parts["over_action"].value == 1.0
    assert parts["over_refusal"].value == 0.0
    assert parts["missing_info_miss"].value == 1.0


def test_perfect_answers_score_one(make):
    parts = p1.parts(p1.read_rows(scored(make, [(g, g, s) for g in ACTIONS for s in SUBTYPES]), "released"))
    for name in ("acc", "f1", "acs", "mds", "ids", "subtype_f1", "comp"):
        assert parts[name].value == pytest.approx(1.0), name
    for name in ("over_action", "over_refusal", "missing_info_miss"):
        assert parts[name].value == 0.0, name


@pytest.mark.parametrize("outcome", ["format_error", "truncated", "refused"])
def test_a_reply_without_an_action_is_wrong_and_of_no_class(make, outcome):
    rows = scored(make, [(a, a, "s") for a in ACTIONS])
    task = make.task("p1", "lost", gold={"action": "propose_design"})
    parts = p1.parts(p1.read_rows([*rows, Row(task, make.record(task, outcome=outcome))], "released"))
    assert parts["acc"].value == 0.75
    assert parts["recall_propose"].value == 0.5
    assert parts["over_refusal"].value == 0.0


def test_a_design_the_harness_could_not_evaluate_is_wrong_only_in_the_released_accuracy(make):
    labels = [Row(*make.triage(a, a, f"t{i}")) for i, a in enumerate(ACTIONS)]
    labels.append(Row(*make.triage("propose_design", "propose_design", "x", harness_action="invalid_candidate")))
    released, defined = (p1.parts(p1.read_rows(labels, convention)) for convention in ("released", "defined"))
    assert (released["acc"].value, defined["acc"].value) == (0.75, 1.0)
    assert released["comp"].value == defined["comp"].value == pytest.approx(1.0)


def test_a_class_without_gold_briefs_is_undefined(make):
    parts = p1.parts(p1.read_rows(scored(make, [(a, ACTIONS[0], "s") for a in ACTIONS[:2]]), "defined"))
    for name in ("mds", "ids", "comp", "recall_request", "missing_info_miss", "acs"):
        assert parts[name].value is None, name
        assert parts[name].reason, name
    assert "declare_infeasible" in parts["comp"].reason
    assert parts["acc"].value == 0.5


def test_no_rows_give_no_number(make):
    for name, part in p1.parts(p1.read_rows([], "defined")).items():
        assert part.value is None, name
        assert part.n == 0, name
        assert part.reason, name


def test_over_refusal_never_exceeds_one(make):
    labels = [(ACTIONS[1], ACTIONS[0], "s"), (ACTIONS[1], ACTIONS[2], "s"), (ACTIONS[2], ACTIONS[1], "s")]
    assert p1.parts(p1.read_rows(scored(make, labels), "defined"))["over_refusal"].value == 1.0


def test_a_missing_class_makes_a_resample_undefined(make):
    rows = p1.read_rows(scored(make, [(a, a, "s") for a in ACTIONS]), "defined")
    assert math.isnan(float(p1.headline(rows, np.array([1.0, 1.0, 0.0]))))


@given(
    labels=LABELS, lost=st.lists(st.tuples(st.sampled_from(ACTIONS), st.sampled_from(SUBTYPES)), min_size=1, max_size=3)
)
@settings(max_examples=40)
def test_all_answers_to_the_lost_briefs_lie_within_the_bounds(make, labels, lost):
    """Every way to answer them, tried; and all of them right is the upper end."""
    tasks = [make.triage(None, gold, f"lost{i}", subtype=subtype)[0] for i, (gold, subtype) in enumerate(lost)]
    low, high = p1.bounds(p1.read_rows(scored(make, labels), "defined"), tasks, "defined")
    values = []
    for answers in itertools.product([*ACTIONS, None], repeat=len(lost)):
        whole = labels + [(answer, *brief) for answer, brief in zip(answers, lost, strict=True)]
        values.append(p1.parts(p1.read_rows(scored(make, whole), "defined"))["comp"].value)
    assert low - 1e-12 <= min(values)
    assert max(values) == pytest.approx(high)


def test_bounds_of_one_lost_brief_are_tight(make):
    """One lost brief among six right ones: no answer is as bad as all wrong ones at once, but the worst is near."""
    labels = [(action, action, "base") for action in ACTIONS * 2]
    task = make.triage(None, ACTIONS[0], "lost", subtype="base")[0]
    low, high = p1.bounds(p1.read_rows(scored(make, labels), "defined"), [task], "defined")
    worst = p1.parts(p1.read_rows(scored(make, [*labels, (ACTIONS[1], ACTIONS[0], "base")]), "defined"))["comp"].value
    assert high == 1.0
    assert worst - 0.1 < low < worst < 1.0


def test_no_bounds_are_given_where_a_class_never_occurs(make):
    task = make.triage(None, ACTIONS[0], "lost", subtype="base")[0]
    assert p1.bounds(p1.read_rows([], "defined"), [task], "defined") is None
    assert p1.bounds(p1.read_rows(scored(make, [(None, ACTIONS[1], "base")]), "defined"), [task], "defined") is None
