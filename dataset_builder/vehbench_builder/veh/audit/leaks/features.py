"""What a reader without physics sees of a brief: plain numbers, words, and how they are written."""

from collections.abc import Callable, Sequence
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


def note_wordings(spec: Spec) -> Key:
    """The sentences of all notes without their numbers, in their order."""
    return tuple(without_numbers(sentence) for sentence in sentences(spec["notes"]))


def _widths(spec: Spec) -> Key:
    return tuple(round(_half_width(box), WIDTH_DIGITS) for box in _ranges(spec))


def _typical_width(spec: Spec) -> Key:
    return (round(float(np.median([_half_width(box) for box in _ranges(spec)])), 2),)


def _limits(spec: Spec, digits: int = 17) -> list[float]:
    return [float(f"{_number(spec['constraints'].get(name)):.{digits}g}") for name in LIMITS]


def _note_names(spec: Spec) -> Key:
    return tuple(note["name"] for note in spec["notes"])


def _digits(spec: Spec) -> Key:
    numbers = [*_limits(spec), *(end for box in _ranges(spec) for end in box)]
    return tuple(float(significant_digits(number)) for number in numbers)


_UPPER = [place for place, limit in enumerate(LIMITS.values()) if limit.upper]
_FREQUENCY = list(LIMITS).index("freq_error_pct_limit")

LOOKUPS: dict[str, Callable[[Spec], Key]] = {
    "constants": lambda spec: tuple(_limits(spec)),
    "loose_constants": lambda spec: tuple(_limits(spec, 2)[place] for place in _UPPER),
    "widths": _widths,
    "typical_width": _typical_width,
    "note_names": _note_names,
    "note_wordings": note_wordings,
    "note_length": lambda spec: (float(len(spec["notes"])), float(len(sentences(spec["notes"])))),
    "digits": _digits,
    "widths_and_notes": lambda spec: (*_typical_width(spec), *_note_names(spec)),
    "everything": lambda spec: (_limits(spec, 1)[_FREQUENCY], *_typical_width(spec), *_note_names(spec)),
}
"""The keys of the lookups by name; none tells which number a brief withholds, since that is the task of P1.

The half-widths are shares of the middle of a range, without the load, which a brief may withhold.
"""


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
