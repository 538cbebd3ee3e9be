"""Notes say something false in plain words, never which type they belong to, and claims mean what they say."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.veh.p3.claims import RELATIONS, ClaimError, claim_holds, claim_of
from vehbench_builder.veh.p3.moves import TRAPS
from vehbench_builder.veh.p3.notes import Story, Wording, phrases
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Spec
from vehbench_oracle import LIMITS, METRICS

TYPES = sorted(TRAPS)
NUMBERS = {"fe", "target", "eta", "slim", "quantity", "ratio"}
READINGS = {"f", "rad", "e", "P", "s", "last_ratio"}


def stories_of(type_: str) -> tuple[Story, Story]:
    return phrases().stories[type_]


def wordings() -> list[Wording]:
    found: dict[Wording, None] = {}
    for story in chain(*phrases().stories.values()):
        found.update(dict.fromkeys(chain(*story.notes)))
    return list(found)


def test_every_type_has_a_story_a_variant() -> None:
    assert set(phrases().stories) == set(TRAPS)
    for type_ in TYPES:
        for story in stories_of(type_):
            assert len(story.notes) == 4
            assert all(len(pool) >= 3 for pool in story.notes)


def test_no_note_gives_its_type_away() -> None:
    words = {word for type_ in TYPES for word in type_.split("_")} | {"feasible", "contaminated", "progress", "ignore"}
    texts = [
        *(wording.text for wording in wordings()),
        *(text for move in phrases().moves.values() for text in move.values()),
    ]
    for text in texts:
        assert not words & set(re.findall(r"[a-z]+", text.lower())), text


def test_every_note_claims_something_that_can_be_checked() -> None:
    for wording in wordings():
        assert wording.false, wording.text
        for sentence in (*wording.false, *wording.true):
            claim = claim_of(1, sentence.format(metric="tip_stress_mpa", limit="stress_limit_mpa"))
            for side in (claim["left"], claim["right"]):
                assert side.removeprefix("previous ") in {*METRICS, *LIMITS, "frequency_hz"}, sentence


def test_no_two_wordings_are_the_same() -> None:
    texts = [wording.text for wording in wordings()]
    assert len(texts) == len(set(texts)) >= 60


@pytest.mark.parametrize("type_", TYPES)
def test_a_wording_names_only_what_its_step_and_move_have(type_: str) -> None:
    for trap, story in zip(TRAPS[type_], stories_of(type_), strict=True):
        words = set(phrases().moves[trap.moves[0]]) if len(trap.moves) == 1 else set()
        for number, pool in enumerate(story.notes):
            known = NUMBERS | words | (READINGS if number else set())
            known |= {name.capitalize() for name in known if len(name) > 1}
            for wording in pool:
                assert set(re.findall(r"{(\w+)}", wording.text)) <= known, wording.text


@pytest.mark.parametrize("type_", TYPES)
def test_no_first_note_speaks_of_an_earlier_step(type_: str) -> None:
    for story in stories_of(type_):
        for wording in story.notes[0]:
            assert not [sentence for sentence in (*wording.false, *wording.true) if "previous" in sentence]


VALUES = st.floats(-1e6, 1e6)
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def spec_with(values: list[dict[str, float]]) -> Spec:
    """A brief that shows metrics, one a step."""
    spec = empty_spec()
    spec["excitation"]["frequency_hz"] = 50.0
    spec["constraints"]["stress_limit_mpa"] = 20.0
    spec["history"] = [
        {
            "design": {},
            "note": "",
            "verdict": {"feasible": False, "power_uw": 0.0, "slack": {}, "violations": [], "metrics": shown},
        }
        for shown in values
    ]
    return spec


@given(VALUES, VALUES, st.sampled_from(sorted(RELATIONS)))
def test_a_claim_and_its_opposite_disagree(a: float, b: float, relation: str) -> None:
    spec = spec_with([{"tip_disp_mm": a}])
    claim = claim_of(1, f"tip_disp_mm {relation} {b!r}")
    assert claim_holds(spec, claim) is not claim_holds(spec, {**claim, "relation": OPPOSITE[relation]})


@given(VALUES, VALUES)
def test_previous_is_the_step_before(a: float, b: float) -> None:
    spec = spec_with([{"tip_disp_mm": a}, {"tip_disp_mm": b}])
    assert claim_holds(spec, claim_of(2, "tip_disp_mm > previous tip_disp_mm")) is (b > a)
    assert claim_holds(spec, claim_of(2, f"previous tip_disp_mm <= {a!r}"))


def test_a_side_is_a_metric_a_limit_or_the_frequency() -> None:
    spec = spec_with([{"resonant_freq_hz": 49.0, "tip_stress_mpa": 20.0}])
    assert claim_holds(spec, claim_of(1, "resonant_freq_hz < frequency_hz"))
    assert claim_holds(spec, claim_of(1, "tip_stress_mpa <= stress_limit_mpa"))
    assert not claim_holds(spec, claim_of(1, "tip_stress_mpa < stress_limit_mpa"))


@pytest.mark.parametrize(
    ("step", "sentence", "said"),
    [
        (0, "resonant_freq_hz < frequency_hz", "step 0"),
        (2, "resonant_freq_hz < frequency_hz", "steps 1 to 1"),
        (1, "previous resonant_freq_hz < frequency_hz", "no step comes before"),
        (1, "resonance < frequency_hz", "'resonance'"),
        (1, "tip_disp_mm < 1", "shows no tip_disp_mm"),
        (1, "resonant_freq_hz < disp_limit_mm", "shows no disp_limit_mm"),
    ],
)
def test_a_claim_about_nothing_is_refused(step: int, sentence: str, said: str) -> None:
    with pytest.raises(ClaimError, match=said):
        claim_holds(spec_with([{"resonant_freq_hz": 49.0}]), claim_of(step, sentence))


def test_a_sentence_without_a_relation_is_refused() -> None:
    with pytest.raises(ClaimError, match="two sides"):
        claim_of(1, "resonant_freq_hz equals frequency_hz")
    with pytest.raises(ClaimError, match="'=='"):
        claim_holds(spec_with([{}]), {"step": 1, "left": "1", "relation": "==", "right": "1"})


def test_every_shown_metric_and_limit_can_be_claimed(small_bank: Bank) -> None:
    for task in small_bank.select(["p3"]):
        for metric in METRICS:
            assert claim_holds(task.spec, claim_of(1, f"{metric} >= 0"))
        for limit in LIMITS:
            assert claim_holds(task.spec, claim_of(2, f"{limit} > 0"))
