"""What a reader without physics sees of a brief: plain numbers, words, and how they are written."""

from collections.abc import Callable, Sequence

import numpy as np

from vehbench_builder.audit.text import sentences, significant_digits, without_numbers
from vehbench_hf.types import Spec
from vehbench_oracle import LIMITS, VARIABLES
from vehbench_oracle.space import Array

Key = tuple[str | float, ...]
WIDTH_DIGITS = 3
"""Decimals of a half-width in a lookup key, so that rounding of the bounds does not hide what is typical."""
_UPPER = [name for name, limit in LIMITS.items() if limit.upper]


def note_wordings(spec: Spec) -> Key:
    """The sentences of all notes without their numbers, in their order."""
    return tuple(without_numbers(sentence) for sentence in sentences(spec["notes"]))


def _note_names(spec: Spec) -> Key:
    return tuple(note["name"] for note in spec["notes"])


def _widths(spec: Spec) -> Key:
    return tuple(round(width, WIDTH_DIGITS) for width in _half_widths(spec))


def _typical_width(spec: Spec) -> Key:
    return (round(float(np.median(_half_widths(spec))), 2),)


def _digits(spec: Spec) -> Key:
    ends = [end for name in VARIABLES if name != "load_resistance_ohm" for end in _ends(spec, name)]
    return tuple(float(significant_digits(number)) for number in (*_limits(spec).values(), *ends))


LOOKUPS: dict[str, Callable[[Spec], Key]] = {
    "constants": lambda spec: tuple(_limits(spec).values()),
    "loose_constants": lambda spec: tuple(float(f"{_limits(spec)[name]:.2g}") for name in _UPPER),
    "widths": _widths,
    "typical_width": _typical_width,
    "note_names": _note_names,
    "note_wordings": note_wordings,
    "note_length": lambda spec: (float(len(spec["notes"])), float(len(sentences(spec["notes"])))),
    "digits": _digits,
    "widths_and_notes": lambda spec: (*_typical_width(spec), *_note_names(spec)),
    "everything": lambda spec: (
        float(f"{_limits(spec)['freq_error_pct_limit']:.1g}"),
        *_typical_width(spec),
        *_note_names(spec),
    ),
}
"""The keys of the lookups by name; none tells which number a brief withholds, since that is the task of P1.

The half-widths are shares of the middle of a range, without the load, which a brief may withhold.
"""


def table(specs: Sequence[Spec], rng: np.random.Generator) -> tuple[list[str], Array]:
    """Column names and a table (briefs, columns) of public numbers, digits, and the wordings of notes.

    A number that a brief withholds is drawn from the other briefs: that it is missing must not be a column.
    """
    from sklearn.feature_extraction import DictVectorizer

    columns = DictVectorizer(sparse=False)
    filled: Array = columns.fit_transform([_columns(spec) for spec in specs])
    for column in filled.T:
        gaps = np.isnan(column)
        if gaps.any():
            column[gaps] = rng.choice(column[~gaps], size=int(gaps.sum())) if (~gaps).any() else 0.0
    return list(columns.get_feature_names_out()), filled


def _columns(spec: Spec) -> dict[str, float]:
    """All that is a number, NaN where the brief withholds it, and 1 for each wording of a note."""
    columns = {
        **_limits(spec),
        **{f"digits {name}": float(significant_digits(value)) for name, value in _limits(spec).items()},
        "frequency_hz": _number(spec["excitation"]["frequency_hz"]),
        "acceleration_g": _number(spec["excitation"]["acceleration_g"]),
        "sentences in notes": float(len(note_wordings(spec))),
    }
    for name in VARIABLES:
        low, high = _ends(spec, name)
        columns |= {f"low {name}": low, f"high {name}": high, f"half-width {name}": _half_width(low, high)}
    return columns | {str(wording): 1.0 for wording in note_wordings(spec)}


def _limits(spec: Spec) -> dict[str, float]:
    return {name: _number(spec["constraints"].get(name)) for name in LIMITS}


def _ends(spec: Spec, name: str) -> tuple[float, float]:
    box = spec["variable_bounds"].get(name)
    return (np.nan, np.nan) if box is None else (box["min"], box["max"])


def _half_widths(spec: Spec) -> list[float]:
    widths = [_half_width(*_ends(spec, name)) for name in VARIABLES if name != "load_resistance_ohm"]
    return [width for width in widths if not np.isnan(width)]


def _half_width(low: float, high: float) -> float:
    return (high - low) / (high + low) if high else 0.0


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
