"""Notes say something false in plain words, never which type they belong to."""

import re
from itertools import chain

import pytest

from vehbench_builder.veh.p3.claims import claim_of
from vehbench_builder.veh.p3.moves import TRAPS
from vehbench_builder.veh.p3.notes import Story, Wording, phrases
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
