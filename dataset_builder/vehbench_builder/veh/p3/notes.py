"""The notes of a P3 history: wordings drawn by seed, each with claims that the shown verdicts plainly contradict.

The wordings of each type and step stand in `wordings.yaml`, whose head tells how it is to be read.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from vehbench_builder.veh.numbers import known, rounded
from vehbench_builder.veh.p3.claims import claim_holds, claim_of, claim_sides
from vehbench_builder.veh.p3.moves import LENGTH, STEPS, SUBSTRATE, Trap
from vehbench_hf.types import Claim, HistoryStep, Spec
from vehbench_oracle import LIMITS, METRICS

PLAIN = 1e-3
"""Two numbers that a note or a story compares differ by this share of the larger one, or more."""
DIGITS = {"e": 3, "rad": 3, "ratio": 3, "last_ratio": 3, "eta": 3}
"""Significant digits of numbers in notes; 4 for the others."""

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


class Noted(NamedTuple):
    """A history with its notes, and what they claim."""

    history: list[HistoryStep]
    claims: list[Claim]


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


def story_is_told(spec: Spec, story: Story, secondary: str, *, before_limit: bool = False) -> bool:
    """Whether the verdicts of the brief's history plainly show what the story says they show.

    `before_limit` leaves out what depends on the value of the secondary limit.
    """
    count = len(spec["history"])
    facts = [(step, fact) for step in range(1, count + 1) for fact in story.every]
    facts += [(step, fact) for step in range(2, count + 1) for fact in story.later]
    facts += [(count, fact) for fact in story.last]
    if before_limit:
        facts = [(step, fact) for step, fact in facts if "{limit}" not in fact]
    return all(_plainly(spec, claim, True) for claim in _claims(facts, secondary))


def noted(spec: Spec, trap: Trap, story: Story, secondary: str, draw: np.random.Generator) -> Noted | None:
    """The brief's history with a note a step, no wording twice; None when too few wordings fit the verdicts."""
    used: list[Wording] = []
    history: list[HistoryStep] = []
    claims: list[Claim] = []
    for number, (step, pool) in enumerate(zip(spec["history"], story.notes, strict=True), start=1):
        words = _words(spec, trap, number, secondary)
        fitting = [
            wording
            for wording in pool
            if wording not in used and _fits(spec, wording, number, secondary) and _tells_apart(wording, words)
        ]
        if not fitting:
            return None
        wording = fitting[int(draw.integers(len(fitting)))]
        used.append(wording)
        history.append({**step, "note": wording.text.format(**words)})
        claims += _claims([(number, sentence) for sentence in wording.false], secondary)
    return Noted(history, claims)


def _fits(spec: Spec, wording: Wording, number: int, secondary: str) -> bool:
    false = _claims([(number, sentence) for sentence in wording.false], secondary)
    true = _claims([(number, sentence) for sentence in wording.true], secondary)
    return all(_plainly(spec, claim, False) for claim in false) and all(_plainly(spec, claim, True) for claim in true)


def _tells_apart(wording: Wording, words: Mapping[str, str]) -> bool:
    """Whether two slendernesses that a wording contrasts differ as they are told."""
    return "{last_ratio}" not in wording.text or words["last_ratio"] != words["ratio"]


def _plainly(spec: Spec, claim: Claim, truth: bool) -> bool:
    """Whether a claim is as true as said and no matter of rounding."""
    left, right = claim_sides(spec, claim)
    return claim_holds(spec, claim) is truth and abs(left - right) >= PLAIN * max(abs(left), abs(right))


def _claims(sentences: Iterable[tuple[int, str]], secondary: str) -> list[Claim]:
    metric = LIMITS[secondary].metric
    return [claim_of(step, sentence.format(metric=metric, limit=secondary)) for step, sentence in sentences]


def _words(spec: Spec, trap: Trap, number: int, secondary: str) -> dict[str, str]:
    """All that the wording of a step may name."""
    limits, metric = spec["constraints"], LIMITS[secondary].metric
    steps = spec["history"][:number]
    numbers = {
        "fe": known(spec["excitation"]["frequency_hz"]),
        "target": known(limits["power_target_uw"]),
        "eta": known(limits["freq_error_pct_limit"]),
        "ratio": _slenderness(steps[-1]),
    }
    words = {"quantity": "stress" if metric == "tip_stress_mpa" else "tip displacement"}
    words["slim"] = f"{_told(known(limits[secondary]))} {METRICS[metric].unit}"
    if number > 1:
        seen = _metrics(steps[-2])
        f = seen["resonant_freq_hz"]
        numbers |= {"f": f, "rad": f / (2 * np.pi), "e": seen["freq_error_pct"], "P": seen["load_power_uw"]}
        numbers["last_ratio"] = _slenderness(steps[-2])
        words["s"] = f"{_told(seen[metric])} {METRICS[metric].unit}"
    if len(trap.moves) == 1:
        words |= phrases().moves[trap.moves[0]]
    words |= {name: _told(value, DIGITS.get(name, 4)) for name, value in numbers.items()}
    return {
        **{name.capitalize(): text[:1].upper() + text[1:] for name, text in words.items() if len(name) > 1},
        **words,
    }


def _slenderness(step: HistoryStep) -> float:
    return 1e3 * step["design"][LENGTH] / step["design"][SUBSTRATE]


def _metrics(step: HistoryStep) -> Mapping[str, float]:
    return step["verdict"]["metrics"] or {}


def _told(value: float, digits: int = 4) -> str:
    """A number as a person writes it, without an exponent."""
    return f"{rounded(value, digits):.12g}"


def _story(story: dict[str, Any], facts: dict[str, str]) -> Story:
    notes = [tuple(_wording(wording, facts) for wording in pool) for pool in story["notes"]]
    notes += [notes[-1]] * (STEPS - len(notes))
    every, later, last = (_sentences(story[name], facts) for name in ("every", "later", "last"))
    return Story(every, later, last, tuple(notes))


def _wording(wording: dict[str, Any], facts: dict[str, str]) -> Wording:
    return Wording(wording["text"], _sentences(wording["wrong"], facts), _sentences(wording.get("right", ()), facts))


def _sentences(names: Iterable[str], facts: dict[str, str]) -> tuple[str, ...]:
    return tuple(facts[name] for name in names)
