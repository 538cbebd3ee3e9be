"""A complete design from the keys and values of one JSON object."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from vehbench_hf.parsing.numbers import UNITS, read_quantity, unit_of
from vehbench_hf.parsing.unreadable import UnreadableReply, listed, number_word, quoted
from vehbench_hf.types import Design
from vehbench_oracle.quantities import Variable

_LONGEST_KEY = 60
_MOST_KEYS = 1000  # an object with more keys is no design

_PLACES = (
    "design",
    "candidate",
    "proposal",
    "proposed_design",
    "new_design",
    "parameters",
    "params",
    "design_parameters",
    "design_variables",
    "variables",
)


class Names(NamedTuple):
    """The variables of a brief, and by which words beside their names a reply may call them, in lower case."""

    variables: Mapping[str, Variable]
    stems: Mapping[str, str]


def names_of(variables: Mapping[str, Variable]) -> Names:
    """The names of some variables: their own, without the unit at the end, and their other spellings."""
    stems = {
        stem: name
        for name, variable in variables.items()
        for stem in (name, name.rpartition("_")[0], *variable.spellings)
        if stem
    }
    return Names(variables, stems)


class ReadDesign(NamedTuple):
    """A complete design and the repairs that reading it needed."""

    design: Design
    repairs: tuple[str, ...]


def find_design(values: Mapping[str, object], names: Names) -> ReadDesign | None:
    """The design in an answer: under "design" or a like key, or with its variables beside the action.

    None when the object holds no sign of one. Raises UnreadableReply for a design that is incomplete,
    uncertain or given twice with different values.
    """
    places = _filled_places(values, names)
    if not places:
        if is_designlike(values, names):
            read = read_design(values, names, note_extras=False)
            return ReadDesign(read.design, ('design: read from keys outside "design"', *read.repairs))
        other = next((key for key in _PLACES if values.get(key) is not None), None)
        if other is None:
            return None
        content = "none of them" if isinstance(values[other], dict) else quoted(values[other])
        raise UnreadableReply(f"{other} must be an object with the {_counted(names)}, got {content}")
    place, *others = places
    design, repairs = read_design(_mapping(values[place]), names, note_extras=True)
    for other in others:
        if _differs(_mapping(values[other]), design, names):
            raise UnreadableReply(f"{place} and {other} are different designs")
    if any(name in values and values[name] != value for name, value in design.items()):
        raise UnreadableReply(f"{place} and the values beside it are different designs")
    if place != "design":
        repairs = (f"design: read from the key '{place}'", *repairs)
    return ReadDesign(design, repairs)


def holds_design(values: Mapping[str, object], names: Names) -> bool:
    """Whether the object itself shows a design, complete or not."""
    return is_designlike(values, names) or bool(_filled_places(values, names))


def _filled_places(values: Mapping[str, object], names: Names) -> list[str]:
    return [key for key in _PLACES if is_designlike(_mapping(values.get(key)), names)]


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _differs(values: Mapping[str, object], design: Design, names: Names) -> bool:
    """Whether the values are a complete design of their own; bounds of the variables, say, are none."""
    try:
        return read_design(values, names, note_extras=False).design != design
    except UnreadableReply:
        return False


def variable_of(key: str, names: Names) -> tuple[str, str] | None:
    """The variable a key stands for and the unit of a bare number under it; None for any other key.

    A unit at the end of the key counts ("beam_length_m", "R_kohm"), "value" means the variable's own unit.
    """
    variables, stems = names
    if key in variables:
        return key, variables[key].unit
    if len(key) > _LONGEST_KEY:
        return None
    words = re.sub(r"[\s\-()\[\]]+", "_", key).strip("_")
    name = stems.get(words.lower())
    if name:
        return name, variables[name].unit
    stem, _, suffix = words.rpartition("_")
    name = stems.get(stem.lower())
    if name is None:
        return None
    own = variables[name].unit
    unit = own if suffix.lower() in ("value", own) else unit_of(suffix, UNITS[own][0])
    return None if unit is None else (name, unit)


def is_designlike(values: Mapping[str, object], names: Names) -> bool:
    """Whether any key stands for a design variable."""
    return len(values) <= _MOST_KEYS and any(variable_of(key, names) for key in values)


def read_design(values: Mapping[str, object], names: Names, *, note_extras: bool) -> ReadDesign:
    """All variables in their own units, unclipped, and the repairs that were needed.

    Other keys are ignored, with a repair if `note_extras`. Raises UnreadableReply when a variable is missing,
    is not certainly a finite number, or is given under two keys with different values.
    """
    design: Design = {}
    repairs: list[str] = []
    extras: list[str] = []
    for key, value in values.items():
        meant = variable_of(key, names)
        if meant is None:
            extras.append(key)
            continue
        name, given = meant
        number, note = read_quantity(value, name, names.variables[name].unit, given)
        if design.setdefault(name, number) != number:
            raise UnreadableReply(f"{name} is given twice, as {design[name]:.12g} and as {number:.12g}")
        if note:
            repairs.append(f"{name}: {note}")
        elif key != name:
            repairs.append(f"{name}: read from the key {quoted(key)}")
    missing = [name for name in names.variables if name not in design]
    if missing:
        raise UnreadableReply(f"the design lacks {listed(missing)}; {_all(names)} needed")
    if extras and note_extras:
        repairs.append(f"design: ignored {listed(extras, most=3)}")
    return ReadDesign({name: design[name] for name in names.variables}, tuple(repairs))


def _counted(names: Names) -> str:
    """For instance "six variables"."""
    count = len(names.variables)
    return f"{number_word(count)} variable{'s' if count > 1 else ''}"


def _all(names: Names) -> str:
    """For instance "all six variables are"."""
    return f"all {_counted(names)} are" if len(names.variables) > 1 else "its one variable is"
