"""What P1 briefs say in words: asides, preferences, and statements that take the place of a number.

Every text occurs under several gold actions, and the texts that stand for a number occur with numbers that decide the
verdict and with numbers that do not. What a text says about a number is made from that number.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import yaml

from vehbench_builder.veh.numbers import rounded
from vehbench_hf.types import Spec, Stated
from vehbench_oracle import Box
from vehbench_oracle.veh import materials
from vehbench_oracle.veh.domain import problem_of_brief

NoteKind = Literal["preference", "unspecified", "estimate", "application", "none"]

_WORDINGS = yaml.safe_load(Path(__file__).with_name("wordings.yaml").read_text(encoding="utf-8"))
ASIDES: dict[str, list[str]] = _WORDINGS["asides"]
"""Asides by kind. None has a bearing on the verdict: what the model does not contain, opinions, and the purpose."""

GRADES = ("PZT-5A", "PZT-5H")
"""Piezo layers that are a grade of one ceramic."""

PREFERENCE_DIGITS = 3
LOAD_SPREAD = 1.2
"""A load counts as close to the preferred one up to this factor."""


class Preference(NamedTuple):
    """A wish in words and the bounds that a design keeps which grants it."""

    words: str
    bounds: dict[str, Box]


def aside(kind: NoteKind, number: int) -> list[str]:
    """The words of a kind other than "preference"; `number` chooses the text."""
    texts = ASIDES.get(kind, [])
    return [texts[number % len(texts)]] if texts else []


def preference(spec: Spec, number: int, draw: np.random.Generator, *, load_is_free: bool = True) -> Preference:
    """A wish for a length, a tip mass or a load in the middle part of its range; `number` chooses which."""
    names = ("beam_length_mm", "tip_mass_g", "load_resistance_ohm")[: 3 if load_is_free else 2]
    name = names[number % len(names)]
    low, high = problem_of_brief(spec).range_of(name)
    place = float(draw.uniform(0.4, 0.7))
    if name == "load_resistance_ohm":
        wished = rounded(low * (high / low) ** place, PREFERENCE_DIGITS)
        kept = Box(min=max(low, wished / LOAD_SPREAD), max=min(high, wished * LOAD_SPREAD))
        wish = f"A load close to {number_text(wished)} ohm would suit the circuit at hand"
    else:
        wished = rounded(low + place * (high - low), PREFERENCE_DIGITS)
        kept = Box(min=low, max=min(high, wished))
        what, unit = ("tip mass", "g") if name == "tip_mass_g" else ("beam length", "mm")
        wish = f"A {what} of not more than {number_text(wished)} {unit} would be welcome"
    return Preference(f"{wish}; this is a preference, not a requirement.", {name: kept})


def remarks(texts: Sequence[str]) -> list[Stated]:
    """The notes of a brief: all that is to be said beside its numbers, as one note.

    One name for all of them, since the names of notes and their number would tell what kind of brief it is.
    """
    return [{"name": "remarks", "text": " ".join(texts)}] if texts else []


def statement(name: str, **numbers: float) -> str:
    """A statement of `wordings.yaml` with its numbers, which are read as one of a range or of two units."""
    text: str = _WORDINGS["statements"][name]
    return text.format(**{name: number_text(value) for name, value in numbers.items()})


def grade_words() -> str:
    """A piezoelectric ceramic whose grade is one of two, with the constants of each."""
    listed = " or ".join(f"{grade} ({_constants(grade)})" for grade in GRADES)
    return f"The piezoelectric layer is PZT, its grade to be confirmed: {listed}."


def number_text(value: float) -> str:
    """A number as briefs write it in words: all its digits, without an exponent."""
    return f"{value:.12f}".rstrip("0").rstrip(".")


def _constants(grade: str) -> str:
    p = materials.piezo(grade)
    return (
        f"d31 {p.d31:.4g} m/V, relative permittivity {p.relative_permittivity:g}, Young's modulus "
        f"{p.youngs_modulus / 1e9:g} GPa, density {p.density:g} kg/m3"
    )
