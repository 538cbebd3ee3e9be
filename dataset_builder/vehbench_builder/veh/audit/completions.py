"""Briefs that withhold something: which field, which completions are admissible, and the brief with one filled in."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from vehbench_builder.audit.text import sentences
from vehbench_hf.types import Spec
from vehbench_oracle import DECLARED_DOMAIN, Box, UnknownMaterialError
from vehbench_oracle.space import centre
from vehbench_oracle.veh import materials as tables
from vehbench_oracle.veh.cantilever import GRAVITY_M_S2
from vehbench_oracle.veh.domain import problem_of_brief


class Field(NamedTuple):
    """Where a brief states a field, and the words by which sentences speak of it."""

    section: Literal["excitation", "variable_bounds", "materials"]
    name: str
    words: str


_PIEZO = Field("materials", "piezo", "piezo|PZT")
FIELDS = {
    "frequency_hz": Field("excitation", "frequency_hz", "frequency|rpm|speed"),
    "acceleration_g": Field("excitation", "acceleration_g", "acceleration"),
    "load_resistance_ohm": Field("variable_bounds", "load_resistance_ohm", r"\bload\b"),
    "piezo": _PIEZO,
    "piezo_material": _PIEZO,
    "damping_ratio": Field("materials", "damping_ratio", "damping"),
}
"""What a brief may withhold, by the names that banks use for it."""
TOLERANCE = 1e-6
_NUMBER = r"(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_RANGE = re.compile(rf"{_NUMBER} ?(?:-|–|to|and) ?{_NUMBER} ?(Hz|rpm|ohm|g\b)?", re.IGNORECASE)
_SINGLE = re.compile(rf"(?<![\w.]){_NUMBER}(?![\d.]*\d)")
Changes = Mapping[str, Any]


def field_of(name: str) -> str:
    """The name in `FIELDS` of a missing field as a gold label writes it. Raises ValueError when unknown."""
    short = name.rsplit(".", 1)[-1]
    if short not in FIELDS:
        raise ValueError(f"no field of a brief is called {name!r}; known are {', '.join(FIELDS)}")
    return short


def states(spec: Spec, field: str) -> bool:
    """Whether the brief gives a number or a name for a field."""
    part: Mapping[str, Any] = spec[FIELDS[field].section]
    return part.get(FIELDS[field].name) is not None


def completed(spec: Spec, changes: Changes) -> Spec:
    """The brief with what it withholds filled in; a load becomes fixed.

    Raises ValueError for a change of something that the brief states.
    """
    filled = dict(spec)
    for name, value in _given(changes):
        field = field_of(name)
        if states(spec, field):
            raise ValueError(f"a completion changes {name}, which the brief states")
        section = FIELDS[field].section
        entry = Box(min=value, max=value) if section == "variable_bounds" else value
        filled[section] = {**filled[section], FIELDS[field].name: entry}  # type: ignore[dict-item]
    return cast(Spec, filled)


def inadmissible(spec: Spec, changes: Changes) -> str | None:
    """Why a reader of the brief would not accept a completion; None when nothing speaks against it."""
    for name, value in _given(changes):
        field = field_of(name)
        if FIELDS[field] is _PIEZO:
            try:
                tables.piezo(value)
            except UnknownMaterialError as error:
                return str(error)
            named = " ".join(_texts(spec))
            if "PZT" in named and value.lower() not in named.lower():
                return f"{value} is none of the grades that the brief names"
            continue
        allowed = list(_allowed(spec, field))
        if not any(low * (1 - TOLERANCE) <= value <= high * (1 + TOLERANCE) for low, high in allowed):
            ranges = " or ".join(f"{low:g} to {high:g}" for low, high in allowed)
            return f"{name} = {value:g} is outside what the brief allows ({ranges})"
    return None


def stated_ranges(spec: Spec, unit: str) -> list[tuple[float, float]]:
    """The ranges in a unit that stated fields and notes give."""
    return [
        (float(low), float(high))
        for text in _texts(spec)
        for low, high, its_unit in _RANGE.findall(text)
        if its_unit.lower() == unit.lower()
    ]


def stands_for_withheld(spec: Spec, sentence: str) -> bool:
    """Whether a sentence speaks of a field that the brief withholds, and so is part of the task."""
    return any(
        re.search(field.words, sentence, re.IGNORECASE) and not states(spec, name) for name, field in FIELDS.items()
    )


def tried_completions(spec: Spec, field: str) -> list[dict[str, Any]]:
    """Values that a reader could expect of a withheld field: fractions and multiples of what fits the box.

    They serve to find two completions with opposite verdicts where a bank stores none.
    """
    if field == "frequency_hz":
        assumed = {"frequency_hz": 1.0, "acceleration_g": 1.0, "load_resistance_ohm": 1e4}
        problem = problem_of_brief(completed(spec, {k: v for k, v in assumed.items() if not states(spec, k)}))
        resonance = float(problem.respond(centre(problem)).resonant_freq_hz)
        return [{field: factor * resonance} for factor in (1.0, 0.25, 4.0)]
    if field == "acceleration_g":
        return [{field: value} for value in (1.0, 1 / GRAVITY_M_S2, 0.001)]
    if field == "load_resistance_ohm":
        return [{field: float(value)} for value in np.geomspace(1e2, 1e7, 6)]
    return [{field: name} for name in tables.PIEZO if name.startswith("PZT")]


def _allowed(spec: Spec, field: str) -> Iterator[tuple[float, float]]:
    """The ranges in which a completion of a field may lie."""
    if field == "frequency_hz":
        speeds = ((low / 60, high / 60) for low, high in stated_ranges(spec, "rpm"))
        yield from [*stated_ranges(spec, "Hz"), *speeds] or [(0.0, np.inf)]
    elif field == "acceleration_g":
        values = [float(n) for text in _texts(spec, "acceleration") for n in _SINGLE.findall(text)]
        levels = [number for value in values for number in (value, value / GRAVITY_M_S2)]
        yield from [(value, value) for value in levels] or [(0.0, np.inf)]
    elif field == "load_resistance_ohm":
        yield from stated_ranges(spec, "ohm") or [DECLARED_DOMAIN["load_resistance_ohm"]]
    else:
        ranges = [_RANGE.search(text) for text in _texts(spec, "damping")]
        yield from [(float(ends[1]), float(ends[2])) for ends in ranges if ends] or [(0.001, 0.1)]


def _given(changes: Changes) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in changes.items() if value is not None]


def _texts(spec: Spec, about: str = "") -> list[str]:
    """The sentences of stated fields and notes that contain a word."""
    texts = sentences([*spec["excitation"]["stated"], *spec["notes"]])
    return [sentence for sentence in texts if about in sentence.lower()]
