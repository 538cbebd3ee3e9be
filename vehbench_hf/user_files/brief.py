"""A design brief of the user's own, as YAML with the unit at the end of every key.

    excitation:  {frequency_hz: 60, acceleration_g: 0.5}              # harmonic base motion; acceleration is peak
    constraints: {stress_limit_mpa: 60, disp_limit_mm: 2, freq_error_pct_limit: 5, power_target_uw: 100}
    materials:   {piezo: PZT-5A, substrate: stainless_steel, damping_ratio: 0.01}    # damping_ratio may be left out
    variable_bounds:                                                   # may be left out, as a whole or for a variable
      beam_length_mm: [20, 60]

These are the names under which the briefs of a bank have them. `cards/example_brief.yaml` is a commented example.
"""

import difflib
import math
import re
from collections.abc import Mapping
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.types import Spec
from vehbench_hf.user_files.safe_yaml import read_mapping
from vehbench_oracle import LIMITS, VARIABLES, Box, OracleError
from vehbench_oracle.veh import materials as tables
from vehbench_oracle.veh.domain import Excitation, Materials

EXCITATION = {
    "frequency_hz": ("Hz", "frequency of the base motion"),
    "acceleration_g": ("g", "peak acceleration of the base in units of 9.80665 m/s2"),
}
MATERIALS = {
    "piezo": ("", f"one of {', '.join(tables.PIEZO)}"),
    "substrate": ("", f"one of {', '.join(tables.SUBSTRATE)}"),
    "damping_ratio": ("1", "mechanical damping ratio, 0.01 if left out"),
}
CONSTRAINTS = {name: (kind.unit, kind.meaning) for name, kind in LIMITS.items()}
BOUNDS = {name: (variable.unit, variable.meaning) for name, variable in VARIABLES.items()}
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "excitation": EXCITATION,
    "constraints": CONSTRAINTS,
    "materials": MATERIALS,
    "variable_bounds": BOUNDS,
}
"""The sections of a brief; each key with its unit and meaning."""

_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")


def read_brief(text: str, what: str = "the brief") -> Spec:
    """The brief in a YAML text as the spec of which the domain makes a problem; `what` names the text in messages.

    Raises UserError, which names the key and what it has to be, for an unknown or missing section or key, a value that
    is no number in the unit of its key, a value out of range, or an unknown material.
    """
    from vehbench_hf.bank.schema import empty_spec  # with pyarrow, which the command line must not load when it starts

    given = read_mapping(text, what)
    for name in given:
        if name not in SECTIONS:
            raise UserError(_unknown_section(name, what))
    parts = {name: _section(given, name, what) for name in SECTIONS}
    spec = empty_spec()
    spec["excitation"] = _excitation(parts["excitation"], what)
    spec["constraints"] = {name: _limit(parts["constraints"], name, what) for name in CONSTRAINTS}
    spec["materials"] = _materials(parts["materials"], what)
    spec["variable_bounds"] = {name: _box(parts["variable_bounds"], name, what) for name in VARIABLES}
    return spec


def plain_number(value: object) -> float | None:
    """The finite number that a YAML value stands for, None if it is not certainly one. `1e5` comes as a text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def shown(value: object) -> str:
    """A value of a user's file in a message, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _section(given: Mapping[str, Any], name: str, what: str) -> dict[str, Any]:
    keys = SECTIONS[name]
    section = given.get(name)
    if section is None and name == "variable_bounds":
        return {}
    if not isinstance(section, dict):
        raise UserError(f"{what} needs the section {name} with {', '.join(keys)}; got {shown(section)}.")
    for key in section:
        if key not in keys:
            raise UserError(f"{what}: unknown key {shown(key)} in {name}; {_instead(str(key), keys)}.")
    return section


def _excitation(given: Mapping[str, Any], what: str) -> Excitation:
    frequency, acceleration = (_positive(given, "excitation", name, what) for name in EXCITATION)
    return {"frequency_hz": frequency, "acceleration_g": acceleration, "stated": []}


def _materials(given: Mapping[str, Any], what: str) -> Materials:
    for name, find in (("piezo", tables.piezo), ("substrate", tables.substrate)):
        named = given.get(name)
        if not isinstance(named, str):
            raise UserError(f"{what}: materials needs {name}, {MATERIALS[name][1]}; got {shown(named)}.")
        try:
            find(named)
        except OracleError as error:
            raise UserError(f"{what}: {error.message}.") from None
    damping = _positive(given, "materials", "damping_ratio", what) if "damping_ratio" in given else None
    return {"piezo": given["piezo"], "substrate": given["substrate"], "damping_ratio": damping}


def _limit(given: Mapping[str, Any], name: str, what: str) -> float:
    return _positive(given, "constraints", name, what, zero_allowed=name == "power_target_uw")


def _box(given: Mapping[str, Any], name: str, what: str) -> Box | None:
    value = given.get(name)
    if value is None:
        return None
    ends = [value["min"], value["max"]] if isinstance(value, dict) and value.keys() == {"min", "max"} else value
    numbers = [plain_number(end) for end in ends] if isinstance(ends, list) else []
    if len(numbers) != 2 or numbers[0] is None or numbers[1] is None or not 0 <= numbers[0] <= numbers[1]:
        unit = BOUNDS[name][0]
        raise UserError(
            f"{what}: variable_bounds.{name} must be [smallest, largest] in {unit}, not negative and in this order; "
            f"got {shown(value)}."
        )
    return {"min": numbers[0], "max": numbers[1]}


def _positive(given: Mapping[str, Any], section: str, name: str, what: str, *, zero_allowed: bool = False) -> float:
    unit, meaning = SECTIONS[section][name]
    if given.get(name) is None:
        raise UserError(f"{what}: {section} lacks {name}: {meaning}{f', in {unit}' if unit != '1' else ''}.")
    number = plain_number(given[name])
    if number is None or number < 0 or (number == 0 and not zero_allowed):
        kind = "a plain number, 0 or more," if zero_allowed else "a plain positive number"
        raise UserError(
            f"{what}: {section}.{name} must be {kind} in {unit} without the unit; got {shown(given[name])}."
        )
    return number


def _unknown_section(name: str, what: str) -> str:
    home = next((section for section, keys in SECTIONS.items() if name in keys), None)
    if home is not None:
        return f"{what}: {name} belongs into the section {home}."
    for section, keys in SECTIONS.items():
        if _meant(name, keys) is not None:
            return f"{what}: unknown key {shown(name)}; {_instead(name, keys)}, in the section {section}."
    return f"{what}: unknown section {shown(name)}; the sections are {', '.join(SECTIONS)}."


def _instead(key: str, keys: Mapping[str, tuple[str, str]]) -> str:
    """What to write in place of an unknown key, with the unit where only that was wrong."""
    meant = _meant(key, keys)
    if meant is None:
        return f"expected {', '.join(keys)}"
    unit, meaning = keys[meant]
    return f"write {meant}, {meaning}" + (f", and give the value in {unit}" if unit not in ("", "1") else "")


def _meant(key: str, keys: Mapping[str, tuple[str, str]]) -> str | None:
    """The key with the same beginning before its unit, else the one that looks most like it."""
    stems = {name.rpartition("_")[0] or name: name for name in keys}
    word = key.strip().lower()
    fit = [stem for stem in stems if word.startswith(stem)]
    if fit:
        return stems[max(fit, key=len)]
    return next(iter(difflib.get_close_matches(word[:60], keys, n=1, cutoff=0.75)), None)
