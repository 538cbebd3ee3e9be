"""What a reader without physics sees of a brief: plain numbers, words, and how they are written."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vehbench_builder.audit.text import sentences, significant_digits, without_numbers
from vehbench_hf.types import Spec
from vehbench_oracle import LIMITS, VARIABLES
from vehbench_oracle.space import Array

Key = tuple[str | float, ...]
WIDTH_DIGITS = 3
"""Decimals of a half-width in a lookup key, so that rounding of the bounds does not hide what is typical."""


class Range(NamedTuple):
    """The ends of a variable's bounds."""

    low: float
    high: float


def constants(spec: Spec) -> Key:
    """The four limits."""
    return tuple(_number(spec["constraints"].get(name)) for name in LIMITS)


def loose_constants(spec: Spec) -> Key:
    """The limits on stress, displacement and frequency, at two digits."""
    return tuple(float(f"{_number(spec['constraints'].get(name)):.2g}") for name in LIMITS if LIMITS[name].upper)


def widths(spec: Spec) -> Key:
    """The half-width of each range as a share of its middle; without the load, which a brief may withhold."""
    return tuple(round(_half_width(box), WIDTH_DIGITS) for box in _ranges(spec))


def typical_width(spec: Spec) -> Key:
    """The median half-width, at two decimals."""
    return (round(float(np.median([_half_width(box) for box in _ranges(spec)])), 2),)


def note_names(spec: Spec) -> Key:
    """The names of all notes, in their order."""
    return tuple(note["name"] for note in spec["notes"])


def note_wordings(spec: Spec) -> Key:
    """The sentences of all notes without their numbers, in their order."""
    return tuple(without_numbers(sentence) for sentence in sentences(spec["notes"]))


def note_length(spec: Spec) -> Key:
    """How many notes there are, and how many sentences."""
    return (float(len(spec["notes"])), float(len(sentences(spec["notes"]))))


def digits(spec: Spec) -> Key:
    """How many significant digits the limits and the bounds are written with."""
    numbers = [*constants(spec), *(end for box in _ranges(spec) for end in box)]
    return tuple(float(significant_digits(float(number))) for number in numbers)


def widths_and_notes(spec: Spec) -> Key:
    """Median half-width and note names together."""
    return (*typical_width(spec), *note_names(spec))


def everything(spec: Spec) -> Key:
    """Frequency limit at one digit, median half-width and note names together: each takes few values."""
    return (float(f"{_number(spec['constraints'].get('freq_error_pct_limit')):.1g}"), *widths_and_notes(spec))


LOOKUPS = (
    constants,
    loose_constants,
    widths,
    typical_width,
    note_names,
    note_wordings,
    note_length,
    digits,
    widths_and_notes,
    everything,
)
"""The keys of the lookups; none tells which number a brief withholds, since that is the task of P1."""


def table(specs: Sequence[Spec], rng: np.random.Generator) -> tuple[list[str], Array]:
    """Column names and a table (briefs, columns) of public numbers, digits, and the wordings of notes.

    A number that a brief withholds is drawn from the other briefs: that it is missing must not be a column.
    """
    known = sorted({wording for spec in specs for wording in note_wordings(spec)})
    names = [
        *LIMITS,
        "frequency_hz",
        "acceleration_g",
        *(f"{kind} {name}" for name in VARIABLES for kind in ("low", "high", "half-width")),
        *(f"digits {name}" for name in LIMITS),
        *map(str, known),
        "sentences in notes",
    ]
    rows = []
    for spec in specs:
        limits = [_number(spec["constraints"].get(name)) for name in LIMITS]
        boxes = [_range(spec, name) for name in VARIABLES]
        ranges = [(np.nan,) * 3 if box is None else (box.low, box.high, _half_width(box)) for box in boxes]
        wordings = note_wordings(spec)
        rows.append(
            [
                *limits,
                _number(spec["excitation"]["frequency_hz"]),
                _number(spec["excitation"]["acceleration_g"]),
                *(value for ends in ranges for value in ends),
                *(float(significant_digits(limit)) for limit in limits),
                *(float(wording in wordings) for wording in known),
                float(len(wordings)),
            ]
        )
    filled = np.array(rows, dtype=float)
    for column in filled.T:
        gaps = np.isnan(column)
        if gaps.any():
            column[gaps] = rng.choice(column[~gaps], size=int(gaps.sum())) if (~gaps).any() else 0.0
    return names, filled


def _ranges(spec: Spec) -> list[Range]:
    ranges = [_range(spec, name) for name in VARIABLES if name != "load_resistance_ohm"]
    return [box for box in ranges if box is not None]


def _range(spec: Spec, name: str) -> Range | None:
    box = spec["variable_bounds"].get(name)
    return None if box is None else Range(box["min"], box["max"])


def _half_width(box: Range) -> float:
    return (box.high - box.low) / (box.high + box.low) if box.high > 0 else 0.0


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
