"""What a person has of a model's answer: each form is read, and what is none of them is named by row."""

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile_replies import CASES
from metric_examples import example, module
from vehbench_hf.metrics import METRICS, MetricInputError
from vehbench_hf.metrics.compute import compute


def test_an_action_and_its_reply_text_score_the_same() -> None:
    actions, rows = example("p1_composite")
    texts = [f"I think so.\n{json.dumps({'action': action})}" for action in actions]
    assert compute("p1_composite", actions, rows) == compute("p1_composite", texts, rows)
    assert compute("p1_composite", ["propose_design"] * len(rows), rows)["p1_composite"] < 1


def test_a_ranking_and_its_reply_text_score_the_same() -> None:
    rankings, rows = example("p4_tau")
    backwards = [list(reversed(ranking)) for ranking in rankings]
    texts = [json.dumps({"ranking": ranking}) for ranking in backwards]
    scores = compute("p4_tau", backwards, rows)
    assert scores == compute("p4_tau", texts, rows) == compute("p4_tau", [tuple(r) for r in backwards], rows)
    assert scores["p4_tau"] == -1.0
    assert scores["outcomes"]["ok"] == len(rows)
    short = compute("p4_tau", [ranking[:-1] for ranking in rankings], rows)
    assert (short["p4_tau"], short["outcomes"]["format_error"]) == (-1.0, len(rows))


@pytest.mark.parametrize("metric", ["p2_ratio", "p3_success"])
def test_a_final_design_leaves_numbers_of_the_search_undefined(metric: str) -> None:
    designs, rows = example(metric)
    final = compute(metric, designs, rows)
    searched = compute(metric, [[design] for design in designs], rows)
    assert final[metric] == searched[metric] == 1.0
    assert final["interval"] == searched["interval"]
    dropped = {name for name, value in searched["parts"].items() if value is not None and final["parts"][name] is None}
    assert dropped >= ({"p2a", "queries"} if metric == "p2_ratio" else {"first_feasible", "replan"})
    assert {final["undefined"][name] for name in dropped} == {"predictions are final designs"}


def test_a_trajectory_is_scored_by_its_last_design() -> None:
    (reference, *_), (row, *_) = example("p2_ratio")
    bad = {**reference, "beam_length_mm": reference["beam_length_mm"] * 3}
    scores = compute("p2_ratio", [[bad, json.dumps({"action": "replan"}), reference]], [row])
    assert (scores["p2_ratio"], scores["parts"]["p2a"], scores["parts"]["queries"]) == (1.0, 0.0, 2.0)
    assert compute("p2_ratio", [[bad, bad]], [row])["p2_ratio"] == 0.0
    with pytest.raises(
        MetricInputError, match=r"row 0 of predictions: 2 items, but the episode is over after 1.*budget"
    ):
        compute("p2_ratio", [[reference, bad]], [row])
    assert compute("p2_ratio", [[reference, bad]], [row], p2_stop="budget")["p2_ratio"] == 0.0
    with pytest.raises(MetricInputError, match=r"7 items, but the episode is over after 6"):
        compute("p2_ratio", [[bad] * 7], [row])


def test_a_cut_refused_or_failed_reply_keeps_its_class() -> None:
    _, rows = example("p4_tau")
    said = [
        {"text": '{"ranking": ["A"', "finish_reason": "length"},
        {"text": None, "finish_reason": "content_filter"},
        {"text": None, "error": "timeout"},
        "no",
    ]
    scores = compute("p4_tau", said, rows)
    assert scores["outcomes"] == {"ok": 0, "format_error": 1, "truncated": 1, "refused": 1, "infra_error": 1}
    assert scores["n"] == 3


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308, -5, None, "long", [1], {}, True])
def test_a_hostile_number_in_a_design_scores_zero(value: Any) -> None:
    (reference, *_), (row, *_) = example("p2_ratio")
    scores = compute("p2_ratio", [{**reference, "beam_length_mm": value}], [row])
    assert scores["p2_ratio"] == 0.0


def test_a_hostile_reply_ends_in_one_outcome() -> None:
    rows = {metric: example(metric)[1][:1] for metric in METRICS}
    for case in CASES:
        metric = dict(zip(("p1", "p2", "p3", "p4"), METRICS, strict=True))[case.probe]
        scores = compute(metric, [case.reply], rows[metric])
        assert sum(scores["outcomes"].values()) == 1, case.name


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), metric=st.sampled_from(METRICS))
def test_the_order_of_rows_does_not_change_the_score(seed: int, metric: str) -> None:
    answers, rows = example(metric)
    mixed = [*answers[:2], *[""] * (len(rows) - 2)]
    pairs = list(zip(mixed, rows, strict=True))
    random.Random(seed).shuffle(pairs)
    one, other = compute(metric, mixed, rows), compute(metric, [p for p, _ in pairs], [r for _, r in pairs])
    assert one == other


@pytest.mark.parametrize(
    ("metric", "value", "words"),
    [
        ("p1_composite", None, r"row 1 of predictions: nothing there"),
        ("p1_composite", 3, r"row 1 of predictions: expected an action .* got int '3'"),
        ("p1_composite", {"verdict": "no"}, r"row 1 of predictions: expected an action .* keys verdict"),
        ("p2_ratio", [], r"row 1 of predictions: an empty list; expected a design"),
        ("p2_ratio", [40, 12, 500, 200, 2, 1e5], r"row 1 of predictions, item 0: expected a design .* got int"),
        ("p3_success", 0.5, r"row 1 of predictions: expected a design .* got float"),
        ("p3_success", {"text": 3}, r"row 1 of predictions, field text: expected a text or null, got '3'"),
        ("p4_tau", [0, 1, 2, 3, 4], r"row 1 of predictions: a ranking holds candidate ids as texts.* got int"),
        ("p4_tau", {"A", "B"}, r"row 1 of predictions: cannot be written as JSON \(got set\)"),
        (
            "p4_tau",
            {"text": "", "task": "x"},
            r"row 1 .* field task: 'x', but the reference .* is task 'v",
        ),
        (
            "p2_ratio",
            {"beam_length_mm": 1, "task_id": 3},
            r"row 1 .* field task_id: '3', but the reference",
        ),
        ("p3_success", [{"text": "", "task": None}], r"row 1 of predictions, item 0, field task: 'None', but"),
    ],
)
def test_a_bad_prediction_is_named(metric: str, value: Any, words: str) -> None:
    answers, rows = example(metric)
    bad = [answers[0], value, *answers[2:]]
    for score in (lambda: compute(metric, bad, rows), lambda: module(metric, predictions=bad, references=rows)):
        with pytest.raises(MetricInputError, match=words):
            score()


def lines_of_a_log(metric: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The gold answers as a run logs them, with their rows."""
    answers, rows = example(metric)
    keys = {"p1_composite": "action", "p4_tau": "ranking"}
    texts = [json.dumps({keys[metric]: answer}) for answer in answers]
    place = {"epoch": 0, "index": 0, "attempt": 0, "request_hash": "0", "usage": {}}
    return [{"task": row["task_id"], **place, "text": text} for row, text in zip(rows, texts, strict=True)], rows


@pytest.mark.parametrize("metric", ["p1_composite", "p4_tau"])
def test_a_line_of_a_log_is_scored_against_its_own_task_only(metric: str) -> None:
    lines, rows = lines_of_a_log(metric)
    assert compute(metric, lines, rows)[metric] == compute(metric, [[line] for line in lines], rows)[metric] == 1.0
    for predictions in (lines[::-1], [[line] for line in lines[::-1]]):
        with pytest.raises(MetricInputError, match=r"row 0 .*field task: .* the reference beside it is task"):
            compute(metric, predictions, rows)
    with pytest.raises(MetricInputError, match="the reference beside it names no task"):
        compute(metric, lines, [{"spec": row["spec"], "gold": row["gold"]} for row in rows])


@pytest.mark.parametrize("name", ["epoch", "index", "attempt"])
def test_lines_of_a_log_out_of_their_order_are_refused(name: str) -> None:
    (line, *_), (row, *_) = lines_of_a_log("p4_tau")
    with pytest.raises(MetricInputError, match="expected the calls of one episode in their order"):
        compute("p4_tau", [[{**line, name: 1, "text": "?"}, line]], [row])
