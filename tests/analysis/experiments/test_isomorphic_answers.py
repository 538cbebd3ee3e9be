"""Answers to isomorphic probes are read as they are meant or not at all, on the corpus of ugly replies too."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile_replies import CASES, DESIGN
from vehbench_hf.isomorphic.types import FORMS, Form
from vehbench_hf.parsing import Answer, UnreadableReply, read_isomorphic_answer
from vehbench_oracle.veh.quantities import VARIABLES

OPEN = ("beam_length_mm", "load_resistance_ohm")
FIXED = {name: None if name in OPEN else value for name, value in DESIGN.items()}
TWO = {name: DESIGN[name] for name in OPEN}


def read(reply: Any, form: Form) -> Answer:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return read_isomorphic_answer(text, form, VARIABLES, candidate_ids=tuple("ABCDE"), fixed=FIXED)


def test_the_plain_answers_need_no_repair() -> None:
    assert read({"candidate": "B"}, "selection") == Answer("select", ranking=("B",))
    assert read({"design": DESIGN}, "generation") == Answer("propose_design", design=DESIGN)
    assert read({"design": TWO}, "completion") == Answer("propose_design", design=DESIGN)


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ({"candidate": "b"}, "B"),
        ({"candidate": " Candidate C "}, "C"),
        ({"candidate": {"id": "D", "design": DESIGN}}, "D"),
        ({"answer": "E"}, "E"),
        ({"answer": {"candidate": "A"}}, "A"),
        ({"choice": "A", "reason": "because"}, "A"),
        ('I think B. {"candidate": "A"}', "A"),
        ('{"candidate": "A"} or else {"candidate": "B"}', "B"),
        ('{"candidate": "A"} {broken', "A"),
    ],
)
def test_a_choice_is_read_with_a_repair_where_it_is_not_plain(reply: Any, chosen: str) -> None:
    answer = read(reply, "selection")
    assert answer.ranking == (chosen,)
    plain = isinstance(reply, str) and " or else " not in reply
    assert bool(answer.repairs) != plain


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ({"candidate": "F"}, "one of A, B, C, D, E"),
        ({"candidate": "A or B"}, "one of A, B, C, D, E"),
        ({"candidate": ["A"]}, "a list"),
        ({"candidate": ""}, "one of"),
        ({"candidate": None}, "no choice"),
        ({"candidate": DESIGN}, "an object"),
        ({"candidate": "A", "answer": "B"}, "different candidates"),
        ({"id": "A"}, "no choice"),
        ({"ranking": ["A", "B", "C", "D", "E"]}, "no choice"),
        ({"rejected": {"candidate": "A"}}, "no choice"),
        ('{"answer": "A"} {broken: ', "not valid JSON"),
        ("B", "no JSON object"),
        ('<think>{"candidate": "A"}', "within its reasoning"),
        ("", "no JSON object"),
    ],
)
def test_a_doubtful_choice_is_none(reply: Any, says: str) -> None:
    with pytest.raises(UnreadableReply, match=says):
        read(reply, "selection")


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ({"design": {"beam_length_mm": 55.0}}, "lacks load_resistance_ohm"),
        ({"design": {**TWO, "beam_width_mm": 15.1}}, "beam_width_mm is fixed at 15, got 15.1"),
        ({"design": {**DESIGN, "tip_mass_g": 0.0}}, "tip_mass_g is fixed"),
        ({"design": {**TWO, "load_resistance_ohm": math.nan}}, "finite"),
        ({"design": {**TWO, "load_resistance_ohm": "1-2"}}, "plain number"),
        ({"design": {}}, "design must be an object"),
        ({"action": "declare_infeasible"}, "no answer to this question"),
        ({"action": "replan", "design": TWO}, "no answer to this question"),
        ({"rejected": {"design": TWO}}, "no design"),
    ],
)
def test_a_doubtful_completion_is_none(reply: Any, says: str) -> None:
    with pytest.raises(UnreadableReply, match=says):
        read(reply, "completion")


@pytest.mark.parametrize(
    "reply",
    [
        {"design": DESIGN},
        {"design": {**DESIGN, "tip_mass_g": 2.5 * (1 + 1e-9)}},
        {"action": "propose_design", "design": TWO},
        TWO,
        {"answer": {"design": TWO}},
        {"design": {"length": "5.5 cm", "load_resistance_ohm": 1e4}},
    ],
)
def test_a_completion_may_repeat_what_is_fixed(reply: Any) -> None:
    assert read(reply, "completion").design == DESIGN


@pytest.mark.parametrize("case", [case for case in CASES if case.probe == "p2"], ids=lambda case: case.name)
def test_a_generation_reads_designs_as_a_search_does(case: Any) -> None:
    if case.action == "propose_design":
        assert read(case.reply, "generation").design == {**DESIGN, **case.change}
    else:
        with pytest.raises(UnreadableReply):
            read(case.reply, "generation")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_reply_ends_in_an_answer_or_in_a_short_reason(case: Any) -> None:
    for form in FORMS:
        answer, reason = outcome(case.reply, form)
        assert reason.isprintable()
        assert (answer is None) == (0 < len(reason) < 400)
        if answer is not None:
            assert answer.action == ("select" if form == "selection" else "propose_design")
            assert answer.ranking == () or answer.ranking[0] in "ABCDE"
            assert answer.design is None or all(map(math.isfinite, answer.design.values()))


def outcome(reply: str, form: Form) -> tuple[Answer | None, str]:
    """The answer, or why there is none."""
    try:
        return read(reply, form), ""
    except UnreadableReply as error:
        return None, error.reason


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.sampled_from([*DESIGN, "A", "design"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*DESIGN, "design", "candidate", "answer", "action"]), inner, max_size=6)
        ),
        max_leaves=12,
    )
)
def test_whatever_object_comes_nothing_else_is_raised(value: Any) -> None:
    for form in FORMS:
        try:
            answer = read(json.dumps(value), form)
        except UnreadableReply:
            continue
        if answer.design is not None:
            assert set(answer.design) == set(DESIGN)
            assert form == "generation" or all(answer.design[n] == v for n, v in FIXED.items() if v is not None)
