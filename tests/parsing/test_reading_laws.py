"""What holds for every text: two outcomes only, finite designs, permutations, and nothing lost on the way."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.parsing import ACTIONS, UnreadableReply, read_answer, split_reasoning
from vehbench_hf.types import PROBES
from vehbench_oracle import VARIABLES

IDS = tuple("ABCDE")
DESIGNS = st.fixed_dictionaries({name: st.floats(allow_nan=False, allow_infinity=False) for name in VARIABLES})
KEYS = ["action", "action_type", "design", "candidate", "ranking", "order", "step", "missing_fields", "answer", "value"]
NAMES = ["beam_length_m", "R_kohm", "propose_design", "replan", "reset_to_prior", "rank", "mm", "cm", "A", "B"]
WORDS = st.sampled_from([*KEYS, *NAMES, *VARIABLES, "5.5 cm"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=8),
    max_leaves=30,
)
BITS = ["{", "}", "[", "]", '"', "'", ":", ",", "```", "```json", "<think>", "</think>", "\\", "NaN", "1e400", "//"]
QUOTED = ['"action"', '"replan"', '"design"', '"ranking"', '{"action": "replan"}', '{"feasible": true}']
PIECES = st.sampled_from([*BITS, *QUOTED, "\n", "\ud800", "\0"])
PROSE = st.text(st.characters(exclude_characters="{}<>`", exclude_categories=["Cs"]), max_size=80)
FENCES = st.sampled_from([("", ""), ("```json\n", "\n```"), ("```\n", "\n```"), ("[", "]"), ("<b>", "</b>")])


def check(text):
    """Only the two outcomes, for every probe."""
    for probe in PROBES:
        try:
            answer = read_answer(text, probe, VARIABLES, candidate_ids=IDS, step_count=5)
        except UnreadableReply as error:
            reason = error.reason
            assert reason.isprintable()
            continue
        assert answer.action in ACTIONS[probe]
        assert sorted(answer.ranking) == (list(IDS) if probe == "p4" else [])
        assert (answer.prior_step in range(1, 6)) == (answer.action == "reset_to_prior")
        assert (answer.design is not None) == (answer.action == "propose_design" and probe in ("p2", "p3"))
        if answer.design is not None:
            assert list(answer.design) == list(VARIABLES)
            assert all(type(value) is float and math.isfinite(value) for value in answer.design.values())


@given(st.text())
def test_any_text_is_an_answer_or_unreadable(text):
    check(text)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40))
def test_any_heap_of_json_pieces_is_an_answer_or_unreadable(pieces):
    check("".join(pieces))


@given(VALUES, st.booleans())
def test_any_json_value_is_an_answer_or_unreadable(value, plain):
    check(json.dumps(value, ensure_ascii=plain))


@given(DESIGNS, st.sampled_from(list(VARIABLES)), VALUES)
def test_any_value_for_a_variable_gives_a_finite_number_or_unreadable(design, name, value):
    check(json.dumps({"action": "propose_design", "design": {**design, name: value}}))


@given(DESIGNS, st.data())
def test_a_mutated_answer_is_an_answer_or_unreadable(design, data):
    text = json.dumps({"action": "propose_design", "design": design, "ranking": IDS, "step": 2})
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    check(text[:start] + data.draw(st.text(max_size=10) | PIECES) + text[end:])


@given(DESIGNS, PROSE, FENCES, PROSE, st.sampled_from(["p2", "p3"]), st.sampled_from([None, 1, 2]))
def test_a_design_within_prose_comes_back_exactly(design, before, fence, after, probe, indent):
    reply = json.dumps({"action": "propose_design", "design": design, "reason": "longer"}, indent=indent)
    answer = read_answer(f"{before}{fence[0]}{reply}{fence[1]}{after}", probe, VARIABLES, step_count=5)
    assert answer.design == design
    assert answer.repairs == ()
    assert answer.reason == "longer"


@given(st.permutations(IDS), PROSE, FENCES, PROSE)
def test_a_ranking_within_prose_comes_back_exactly(ranking, before, fence, after):
    reply = json.dumps({"ranking": ranking})
    answer = read_answer(f"{before}{fence[0]}{reply}{fence[1]}{after}", "p4", VARIABLES, candidate_ids=IDS)
    assert answer.ranking == tuple(ranking)
    assert answer.repairs == ()


@given(st.lists(st.text(max_size=5), min_size=1, max_size=7, unique=True), st.randoms(use_true_random=False))
def test_a_ranking_of_any_ids_comes_back_exactly(ids, random):
    ranking = random.sample(ids, len(ids))
    assert read_answer(json.dumps({"ranking": ranking}), "p4", VARIABLES, candidate_ids=ids).ranking == tuple(ranking)


@given(st.floats(1e-6, 1e6), st.sampled_from([("mm", 0), ("cm", 1), ("m", 3), ("um", -3), ("nm", -6)]))
def test_a_length_with_its_unit_is_converted_without_rounding_twice(number, unit):
    name, power = unit
    mantissa, _, exponent = repr(number).partition("e")
    design = dict.fromkeys(VARIABLES, 1.0) | {"beam_length_mm": f"{number!r} {name}"}
    answer = read_answer(json.dumps({"action": "propose_design", "design": design}), "p2", VARIABLES)
    assert answer.design is not None
    assert answer.design["beam_length_mm"] == float(f"{mantissa}e{int(exponent or 0) + power}")
    assert answer.design["beam_length_mm"] == pytest.approx(number * 10.0**power, rel=1e-15)


@given(st.text())
def test_text_without_tags_is_all_content(text):
    if "<" not in text:
        assert split_reasoning(text) == (text, "")


@given(PROSE, PROSE, PROSE)
def test_reasoning_is_cut_out_wherever_it_stands(before, thought, after):
    assert split_reasoning(f"{before}<think>{thought}</think>{after}") == (before + after, thought)
    assert split_reasoning(f"{thought}</thinking>{after}") == (after, thought)
    assert split_reasoning(f"{before}<Thinking>{thought}") == (before, thought)
