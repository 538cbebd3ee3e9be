"""What a person passes to a metric: each form is read, and what is none of them is named by row and field."""

import contextlib
import copy
import functools
import json
import math
import random
from typing import Any

import evaluate
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vehbench_hf
from hostile_replies import CASES
from vehbench_hf.metrics import METRICS, MetricInputError
from vehbench_hf.metrics.compute import compute
from vehbench_hf.metrics.example import example as read_example

example = functools.cache(read_example)
"""Reads a bank, which costs more than most of these tests."""


def test_an_action_and_its_reply_text_score_the_same() -> None:
    actions, rows = example("p1_composite")
    texts = [f"I think so.\n{json.dumps({'action': action})}" for action in actions]
    assert compute("p1_composite", actions, rows) == compute("p1_composite", texts, rows)
    assert compute("p1_composite", ["propose_design"] * len(rows), rows)["p1_composite"] < 1


def test_a_ranking_and_its_reply_text_score_the_same() -> None:
    rankings, rows = example("p4_tau")
    backwards = [list(reversed(ranking)) for ranking in rankings]
    texts = [json.dumps({"ranking": ranking}) for ranking in backwards]
    found = compute("p4_tau", backwards, rows)
    assert found == compute("p4_tau", texts, rows) == compute("p4_tau", [tuple(r) for r in backwards], rows)
    assert found["p4_tau"] == -1.0
    assert found["outcomes"]["ok"] == len(rows)
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
    found = compute("p2_ratio", [[bad, json.dumps({"action": "replan"}), reference]], [row])
    assert (found["p2_ratio"], found["parts"]["p2a"], found["parts"]["queries"]) == (1.0, 0.0, 2.0)
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
    found = compute("p4_tau", said, rows)
    assert found["outcomes"] == {"ok": 0, "format_error": 1, "truncated": 1, "refused": 1, "infra_error": 1}
    assert found["n"] == 3


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308, -5, None, "long", [1], {}, True])
def test_a_hostile_number_in_a_design_scores_zero(value: Any) -> None:
    (reference, *_), (row, *_) = example("p2_ratio")
    found = compute("p2_ratio", [{**reference, "beam_length_mm": value}], [row])
    assert found["p2_ratio"] == 0.0


def test_a_hostile_reply_ends_in_one_outcome() -> None:
    rows = {metric: example(metric)[1][:1] for metric in METRICS}
    for case in CASES:
        metric = dict(zip(("p1", "p2", "p3", "p4"), METRICS, strict=True))[case.probe]
        found = compute(metric, [case.reply], rows[metric], bootstrap=0)
        assert sum(found["outcomes"].values()) == 1, case.name


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), metric=st.sampled_from(METRICS))
def test_the_order_of_rows_does_not_change_the_score(seed: int, metric: str) -> None:
    answers, rows = example(metric)
    mixed = [*answers[:2], *[""] * (len(rows) - 2)]
    pairs = list(zip(mixed, rows, strict=True))
    random.Random(seed).shuffle(pairs)
    one, other = compute(metric, mixed, rows), compute(metric, [p for p, _ in pairs], [r for _, r in pairs])
    assert one == other


@pytest.mark.parametrize("metric", METRICS)
def test_spec_and_gold_alone_are_enough(metric: str) -> None:
    answers, rows = example(metric)
    bare = [{"spec": row["spec"], "gold": row["gold"]} for row in rows]
    found, whole = compute(metric, answers, bare), compute(metric, answers, rows)
    if metric == "p1_composite":
        assert found[metric] is None
        assert "no subtype" in found["undefined"][metric]
        same = set(whole["parts"]) - {"comp", "subtype_f1"}
        assert {name: found["parts"][name] for name in same} == {name: whole["parts"][name] for name in same}
    else:
        assert found[metric] == whole[metric] == 1.0
    assert found["bank"] is None


def test_rows_of_one_task_are_not_repeats() -> None:
    (good, *_), (row, *_) = example("p4_tau")
    found = compute("p4_tau", [good, list(reversed(good)), good], [row, row, row])
    assert (found["p4_tau"], found["n"]) == (pytest.approx(1 / 3), 3)
    other = copy.deepcopy(row)
    other["gold"]["ranking"] = list(reversed(good))
    with pytest.raises(MetricInputError, match=r"row 1 of references: task .* stands twice with different content"):
        compute("p4_tau", [good, good], [row, other])


def change(row: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(row)
    *way, last = path.split(".")
    inside = changed
    for name in way:
        inside = inside[name]
    if value is KeyError:
        del inside[last]
    else:
        inside[last] = value
    return changed


@pytest.mark.parametrize(
    ("metric", "path", "value", "words"),
    [
        ("p4_tau", "probe", "p2", r"row 1 of references, field probe: this metric scores p4 rows, got a row of 'p2'"),
        ("p4_tau", "spec", None, r"row 1 of references, field spec: expected a mapping .* got nothing"),
        ("p4_tau", "gold", [1], r"row 1 of references, field gold: expected a mapping .* got list"),
        ("p4_tau", "gold.ranking", KeyError, r"row 1 of references, field gold\.ranking: missing"),
        ("p4_tau", "gold.ranking", ["A"], r"row 1 of references, field gold\.ranking: expected an order of"),
        ("p4_tau", "spec.candidates", KeyError, r"row 1 of references, field spec\.candidates: missing"),
        ("p4_tau", "spec.candidates", "A,B", r"row 1 of references, field spec\.candidates: expected list"),
        ("p4_tau", "split", "test", r"row 1 of references, field split: expected one of dev"),
        ("p4_tau", "anchor", "paper", r"row 1 of references, field anchor"),
        ("p4_tau", "bank_version", "veh-v1", r"row 1 of references, field bank_version: 'veh-v1' beside"),
        ("p2_ratio", "gold.reference", KeyError, r"row 1 of references, field gold\.reference: missing"),
        ("p2_ratio", "gold.reference.power_uw", "much", r"row 1 of references, field gold\.reference: expected struct"),
        ("p2_ratio", "spec.query_budget", "six", r"row 1 of references, field spec\.query_budget: expected int64"),
        ("p2_ratio", "gold.reference.power_uw", 0, r"row 1 of references, field gold\.reference\.power_uw: expected"),
        ("p2_ratio", "gold.reference", {}, r"row 1 of references, field gold\.reference\.power_uw: expected"),
        ("p2_ratio", "spec.query_budget", 0, r"row 1 of references, field spec\.query_budget: expected at least 1"),
        ("p3_success", "spec.variable_bounds.beam_width_mm", {}, r"row 1 .* spec\.variable_bounds\.beam_width_mm"),
        ("p3_success", "spec.variable_bounds.beam_width_mm.max", math.inf, r"row 1 of references: .* that of no task"),
        ("p3_success", "spec.materials.piezo", "lead", r"row 1 of references: its spec is that of no task .*lead"),
        ("p3_success", "source_group", [1], r"row 1 of references, field source_group: expected a text or null"),
        ("p1_composite", "spec.excitation.stated", [None], r"row 1 of references: its spec is that of no task"),
        ("p4_tau", "spec.candidates", [None], r"row 1 of references, field spec\.candidates: expected candidates with"),
        ("p4_tau", "gold.ranking", [None] * 5, r"row 1 of references, field gold\.ranking: expected an order of"),
        ("p4_tau", "gold.dominated_pairs", [None], r"row 1 of references, field gold\.dominated_pairs: expected pairs"),
        ("p3_success", "spec.history", [], r"row 1 of references, field spec\.history: expected at least one"),
        (
            "p1_composite",
            "gold.action",
            "propose",
            r"row 1 of references, field gold\.action: expected one of propose_",
        ),
    ],
)
def test_a_bad_reference_is_named(metric: str, path: str, value: Any, words: str) -> None:
    answers, rows = example(metric)
    bad = [rows[0], change(rows[1], path, value), *rows[2:]]
    for score in (lambda: compute(metric, answers, bad), lambda: module(metric, predictions=answers, references=bad)):
        with pytest.raises(MetricInputError, match=words):
            score()


HOSTILE = [
    None,
    math.nan,
    math.inf,
    -1,
    0,
    10**400,
    True,
    "x",
    [],
    [None],
    {},
    {"a": 1},
    b"x",
    (1,),
    np.int64(3),
    "\ud800",
]


def parts(value: Any, way: str = "") -> list[str]:
    """The ways to everything in a row that lies in mappings."""
    inside = value.items() if isinstance(value, dict) else ()
    return [found for name, part in inside for found in (f"{way}{name}", *parts(part, f"{way}{name}."))]


@settings(max_examples=40)
@given(draw=st.integers(0, 10**6), value=st.sampled_from(HOSTILE), metric=st.sampled_from(METRICS))
def test_a_hostile_value_in_a_row_ends_in_words_or_a_score(draw: int, value: Any, metric: str) -> None:
    answers, rows = example(metric)
    ways = parts(rows[1])
    bad = change(rows[1], ways[draw % len(ways)], value)
    with contextlib.suppress(MetricInputError):  # anything else fails the test
        assert compute(metric, answers[:2], [rows[0], bad], bootstrap=0)["outcomes"]


@pytest.mark.parametrize("value", [None, "A", b"A", 3, {"a": 1}])
def test_what_is_no_list_is_refused_and_an_array_is_read(value: Any) -> None:
    answers, rows = example("p4_tau")
    with pytest.raises(MetricInputError, match=r"predictions: expected a list with one entry a row"):
        compute("p4_tau", value, rows)
    with pytest.raises(MetricInputError, match=r"references: expected a list with one entry a row"):
        compute("p4_tau", answers, value)
    columns: Any = (np.array(answers), np.array(rows, dtype=object))
    arrays = module("p4_tau", predictions=columns[0], references=columns[1])
    assert arrays["p4_tau"] == 1.0


def module(metric: str, **given: Any) -> Any:
    return vehbench_hf.load_metric(metric).compute(**given)


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
    ],
)
def test_a_bad_prediction_is_named(metric: str, value: Any, words: str) -> None:
    answers, rows = example(metric)
    bad = [answers[0], value, *answers[2:]]
    for score in (lambda: compute(metric, bad, rows), lambda: module(metric, predictions=bad, references=rows)):
        with pytest.raises(MetricInputError, match=words):
            score()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"convention": "paper"}, r"option convention: expected 'defined' or 'released', got 'paper'"),
        ({"bootstrap": -1}, r"option bootstrap: expected 0 to 1000000"),
        ({"bootstrap": True}, r"option bootstrap"),
        ({"seed": "a"}, r"option seed"),
        ({"p2_stop": "never"}, r"option p2_stop"),
    ],
)
def test_a_bad_option_is_named(options: dict[str, Any], words: str) -> None:
    answers, rows = example("p4_tau")
    with pytest.raises(MetricInputError, match=words):
        module("p4_tau", predictions=answers, references=rows, **options)


def test_a_missing_or_uneven_list_is_named() -> None:
    answers, rows = example("p4_tau")
    for passed, words in (
        ({"predictions": answers}, "references are missing"),
        ({"references": rows}, "predictions are missing"),
        ({}, "nothing to score"),
        ({"predictions": answers[:-1], "references": rows}, "3 predictions and 4 references"),
        ({"predictions": "A", "references": rows}, "predictions: expected a list"),
        ({"predictions": [], "references": []}, "no rows|nothing"),
        ({"predictions": [{1, 2}], "references": rows[:1]}, "row 0 of predictions: cannot be written as JSON"),
    ):
        with pytest.raises(MetricInputError, match=words):
            module("p4_tau", **passed)
    with pytest.raises(MetricInputError, match=r"no metric 'tau'; expected one of p1_composite"):
        vehbench_hf.load_metric("tau")


def test_numpy_inputs_and_added_rows_give_the_same_score() -> None:
    answers, rows = example("p4_tau")
    expected = compute("p4_tau", answers, rows)
    assert module("p4_tau", predictions=np.array(answers), references=rows) == expected
    metric = vehbench_hf.load_metric("p4_tau")
    for answer, row in zip(answers, rows, strict=True):
        metric.add(prediction=answer, reference=row)
    assert metric.compute() == expected
    metric.add_batch(predictions=answers[:2], references=rows[:2])
    metric.add_batch(predictions=answers[2:], references=rows[2:])
    assert metric.compute(bootstrap=2000) == expected
    designs, rows = example("p2_ratio")
    numbers = [{name: np.float64(value) for name, value in design.items()} for design in designs]
    assert module("p2_ratio", predictions=numbers, references=rows) == compute("p2_ratio", designs, rows)


def test_combined_metrics_keep_every_result() -> None:
    designs, rows = example("p2_ratio")
    combined = evaluate.combine([vehbench_hf.load_metric("p2_ratio"), vehbench_hf.load_metric("p2_ratio")])
    found = combined.compute(predictions=designs, references=rows)
    assert found["p2_ratio_0_p2_ratio"] == found["p2_ratio_1_p2_ratio"] == 1.0
    mixed = evaluate.combine({"tau": vehbench_hf.load_metric("p4_tau")}, force_prefix=True)
    answers, rows = example("p4_tau")
    assert mixed.compute(predictions=answers, references=rows)["tau_p4_tau"] == 1.0
