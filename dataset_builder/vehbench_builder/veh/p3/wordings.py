"""What the notes of P3 histories say: per type the wordings of each step, with what must be false and true of them.

They stand in `wordings.yaml`, whose head tells how it is to be read.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from vehbench_builder.veh.p3.moves import STEPS

FILE = Path(__file__).with_name("wordings.yaml")
WAS = "was_"


class Wording(NamedTuple):
    """A note, what it asserts wrongly, and what it reports rightly, in sentences of `claims`."""

    text: str
    false: tuple[str, ...]
    true: tuple[str, ...] = ()


class Story(NamedTuple):
    """What the verifier shows at every step, from the second on, and at the last; and the wordings of each step."""

    every: tuple[str, ...]
    later: tuple[str, ...]
    last: tuple[str, ...]
    notes: tuple[tuple[Wording, ...], ...]


class Phrases(NamedTuple):
    """`moves` has the words for a variable and its sign, `stories` those of the two variants of every type."""

    moves: dict[tuple[str, int], dict[str, str]]
    stories: dict[str, tuple[Story, Story]]


@cache
def phrases() -> Phrases:
    """The content of `wordings.yaml`, the types in the order of `moves.TRAPS`."""
    content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    facts: dict[str, str] = content["facts"]
    facts |= {f"{WAS}{name}": f"previous {sentence}" for name, sentence in facts.items()}
    variants = {type_: [_story(story, facts) for story in stories] for type_, stories in content["stories"].items()}
    return Phrases(
        moves={(move["variable"], move["sign"]): move["words"] for move in content["moves"]},
        stories={type_: (stories[0], stories[-1]) for type_, stories in variants.items()},
    )


def _story(story: dict[str, Any], facts: dict[str, str]) -> Story:
    notes = [tuple(_wording(wording, facts) for wording in pool) for pool in story["notes"]]
    notes += [notes[-1]] * (STEPS - len(notes))
    every, later, last = (_sentences(story[name], facts) for name in ("every", "later", "last"))
    return Story(every, later, last, tuple(notes))


def _wording(wording: dict[str, Any], facts: dict[str, str]) -> Wording:
    return Wording(wording["text"], _sentences(wording["wrong"], facts), _sentences(wording.get("right", ()), facts))


def _sentences(names: Iterable[str], facts: dict[str, str]) -> tuple[str, ...]:
    return tuple(facts[name] for name in names)
