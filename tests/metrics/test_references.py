"""Rows of a metric: spec and gold are enough, and what is no row is named by row and field."""

import contextlib
import copy
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_examples import example, module
from vehbench_hf.metrics import METRICS, MetricInputError
from vehbench_hf.metrics.compute import compute


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
    """The row with another value at a path such as `spec.history.0.design`; KeyError removes what stands there."""
    changed = copy.deepcopy(row)
    *way, last = [int(name) if name.isdecimal() else name for name in path.split(".")]
    inside: Any = changed
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
        ("p4_tau", "probe", "p2", "field probe is 'p2', expected a row of p4"),
        ("p4_tau", "domain", "x", "field domain is 'x', expected one of veh"),
        ("p4_tau", "spec", None, "field spec is NoneType, expected a mapping"),
        ("p4_tau", "gold", [1], "field gold is list, expected a mapping"),
        ("p4_tau", "gold.ranking", KeyError, r"field gold\.ranking is missing"),
        ("p4_tau", "gold.ranking", ["A"], r"field gold\.ranking is \['A'\], expected an order of"),
        ("p4_tau", "gold.ranking", None, r"field gold\.ranking is null, expected a list"),
        ("p4_tau", "gold.ranking", [None] * 5, r"field gold\.ranking\[0\] is null"),
        ("p4_tau", "gold.dominated_pairs", None, r"field gold\.dominated_pairs is null, expected a list"),
        ("p4_tau", "gold.policy_sensitive_pairs", None, r"field gold\.policy_sensitive_pairs is null"),
        ("p4_tau", "gold.dominated_pairs", [None], r"field gold\.dominated_pairs\[0\] is null"),
        (
            "p4_tau",
            "gold.dominated_pairs",
            [{"better": "A", "worse": "Z"}],
            r"gold\.dominated_pairs holds .*expected",
        ),
        ("p4_tau", "spec.candidates", KeyError, r"field spec\.candidates is missing"),
        ("p4_tau", "spec.candidates", "A,B", r"field spec\.candidates is 'A,B', expected list"),
        ("p4_tau", "spec.candidates", [None], r"field spec\.candidates\[0\] is null"),
        ("p4_tau", "split", "test", "field split is 'test', expected one of dev"),
        ("p4_tau", "anchor", "paper", "field anchor"),
        ("p4_tau", "bank_version", "veh-v1", "field bank_version: 'veh-v1' beside"),
        ("p4_tau", "task_id", 5, "field task_id is 5, expected str"),
        ("p2_ratio", "gold.reference", KeyError, r"field gold\.reference is missing"),
        ("p2_ratio", "gold.reference.power_uw", "much", r"field gold\.reference is .*expected struct"),
        ("p2_ratio", "gold.reference.power_uw", 0, r"field gold\.reference\.power_uw is 0.0, expected a value above"),
        ("p2_ratio", "gold.reference.power_uw", 1e-320, r"field gold\.reference\.power_uw is 1e-320, expected"),
        ("p2_ratio", "gold.reference.power_uw", -5e-324, r"field gold\.reference\.power_uw is -5e-324, expected"),
        ("p2_ratio", "gold.reference", {}, r"field gold\.reference\.power_uw is None, expected a value above"),
        ("p2_ratio", "spec.query_budget", "six", r"field spec\.query_budget is 'six', expected int64"),
        ("p2_ratio", "spec.query_budget", None, r"field spec\.query_budget is null, expected int"),
        ("p2_ratio", "spec.query_budget", 0, r"field spec\.query_budget is 0, expected at least 1"),
        (
            "p3_success",
            "spec.variable_bounds.beam_width_mm",
            None,
            r"spec\.variable_bounds\.beam_width_mm is null",
        ),
        ("p3_success", "spec.variable_bounds.beam_width_mm", {}, r"field spec\.variable_bounds\.beam_width_mm\.min is"),
        (
            "p3_success",
            "spec.variable_bounds.beam_width_mm.max",
            math.inf,
            r"bounds\.beam_width_mm\.max is inf",
        ),
        ("p3_success", "spec.materials.piezo", "lead", "spec is that of no task .*lead"),
        ("p3_success", "source_group", [1], r"field source_group is \[1\], expected str"),
        ("p3_success", "spec.history", [], r"field spec\.history is empty, expected at least one"),
        ("p3_success", "spec.history", None, r"field spec\.history is null"),
        ("p1_composite", "spec.excitation.stated", [None], r"field spec\.excitation\.stated\[0\] is null"),
        ("p1_composite", "gold.action", "propose", r"field gold\.action is 'propose', expected one of propose_"),
        ("p1_composite", "gold.action", None, r"field gold\.action is None, expected one of propose_"),
    ],
)
def test_a_bad_reference_is_named(metric: str, path: str, value: Any, words: str) -> None:
    answers, rows = example(metric)
    bad = [rows[0], change(rows[1], path, value), *rows[2:]]
    for score in (lambda: compute(metric, answers, bad), lambda: module(metric, predictions=answers, references=bad)):
        with pytest.raises(MetricInputError, match=f"^row 1 of references.*{words}"):
            score()


HOSTILE = [
    None,
    1e-320,
    1e308,
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
    """The ways to everything in a row."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for name, part in inside for path in (f"{way}{name}", *parts(part, f"{way}{name}."))]


@settings(max_examples=60)
@given(draw=st.integers(0, 10**6), value=st.sampled_from(HOSTILE), metric=st.sampled_from(METRICS))
def test_a_hostile_value_in_a_row_ends_in_words_or_a_score(draw: int, value: Any, metric: str) -> None:
    answers, rows = example(metric)
    ways = parts(rows[1])
    bad = change(rows[1], ways[draw % len(ways)], value)
    with contextlib.suppress(MetricInputError):  # anything else fails the test
        result = compute(metric, answers[:2], [rows[0], bad])
        assert sum(result["outcomes"].values()) == 2
        assert result[metric] is None or math.isfinite(result[metric])
