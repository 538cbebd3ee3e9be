"""Judging one design under a brief, with the verdict in words: what `vehbench check` prints."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vehbench_hf.errors import UserError
from vehbench_hf.parsing.designs import names_of, read_design, variable_of
from vehbench_hf.parsing.unreadable import UnreadableReply, quoted
from vehbench_hf.types import Design, Spec
from vehbench_hf.user_files.safe_yaml import read_mapping, read_text
from vehbench_oracle import DECLARED_DOMAIN, LIMITS, METRICS, VARIABLES, OracleError, Verdict
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO
from vehbench_oracle.veh.domain import problem_of_brief

NAMES = names_of(VARIABLES)


@dataclass(frozen=True)
class Checked:
    """A design with its verdict; `notes` say how the design was read and where the model is outside its range."""

    design: Design
    verdict: Verdict
    notes: tuple[str, ...]


def check(spec: Spec, design: Mapping[str, object]) -> Checked:
    """Judge the design that a mapping holds, its six variables under keys with their units.

    Raises UserError for a design that is not certainly readable, and for a brief that withholds what a verdict needs.
    """
    withheld = [name for name in ("piezo", "substrate") if spec["materials"][name] is None]
    if withheld:
        raise UserError(f"this brief cannot be judged under: it withholds the {' and the '.join(withheld)} material.")
    read, how_read = _read(design)
    try:
        verdict = problem_of_brief(spec).judge(read)
    except OracleError as error:
        raise UserError(f"this brief cannot be judged under: {error.message}.") from None
    return Checked(read, verdict, (*how_read, *_unstated(spec), *_outside_the_model(read)))


def _unstated(spec: Spec) -> Iterator[str]:
    """What the brief leaves open and how the verdict took it."""
    if spec["materials"]["damping_ratio"] is None:
        yield f"the brief states no damping ratio; {DEFAULT_DAMPING_RATIO:g} was taken"
    for name, kind in LIMITS.items():
        if spec["constraints"].get(name) is None:
            yield f"the brief states no {name}; the oracle's default of {kind.value:g} {kind.unit} was taken"
    free = [name for name in VARIABLES if spec["variable_bounds"].get(name) is None]
    if free:
        yield f"the brief states no bounds for {', '.join(free)}"


def _outside_the_model(design: Design) -> Iterator[str]:
    for name, (low, high) in DECLARED_DOMAIN.items():
        if not low <= design[name] <= high:
            value = f"{design[name]:g} {VARIABLES[name].unit}"
            yield f"{name} {value} lies outside {low:g} to {high:g}, where the model is declared to hold"


def design_from(argument: str) -> dict[str, object]:
    """The mapping in a JSON or YAML file, or in the argument itself when that begins with a brace.

    Raises UserError for text that is no mapping.
    """
    inline = argument.lstrip().startswith("{")
    text = argument if inline else read_text(Path(argument))
    what = "the design" if inline else f"the design in {argument}"
    if text.lstrip().startswith("{"):
        try:
            return _no_key_twice(text)
        except (ValueError, RecursionError):
            pass  # YAML in one line, or broken: the YAML reader says what is wrong
    return read_mapping(text, what)


def as_text(spec: Spec, checked: Checked, brief: str) -> str:
    """The verdict in words: each metric beside its limit with the slack, what is violated, and the notes."""
    verdict = checked.verdict
    lines = [f"brief: {brief}", verdict.message, ""]
    for name, kind in LIMITS.items():
        if name not in verdict.slack:
            continue
        stated = spec["constraints"].get(name)
        limit = kind.value if stated is None else stated
        side = "at most" if kind.upper else "at least"
        state = "ok" if verdict.slack[name] >= 0 else "VIOLATED"
        lines.append(
            f"  {METRICS[kind.metric].meaning}: {verdict.metrics[kind.metric]:.6g} {kind.unit}, {side} {limit:.6g}, "
            f"slack {verdict.slack[name]:+.4g}  {state}"
        )
    if verdict.metrics:
        lines.append(f"  resonance: {verdict.metrics['resonant_freq_hz']:.6g} Hz")
    for violation in verdict.violations:
        if violation.name in VARIABLES:
            end = "smallest" if violation.value < violation.limit else "largest"
            allowed = f"{end} allowed {violation.limit:.6g}"
            lines.append(f"  {violation.name}: {violation.value:.6g} {violation.unit}, {allowed}  VIOLATED")
    if verdict.violations:
        lines.append(f"  total violation: {verdict.total_violation:.4g} (sum of excess over limit, or over range)")
    lines += [f"note: {note}" for note in checked.notes]
    return "\n".join(lines)


def _read(values: Mapping[str, object]) -> tuple[Design, tuple[str, ...]]:
    for key, value in values.items():
        meant = variable_of(key, NAMES)
        if meant is None:
            raise UserError(f"unknown key {quoted(key)} in the design; {_instead(key)}.")
        name, _ = meant
        if key != name and not _names_a_unit(key) and isinstance(value, int | float):
            raise UserError(f"{quoted(key)} in the design names no unit; write {name}, the value in {_unit(name)}.")
    try:
        return read_design(values, NAMES, note_extras=False)
    except UnreadableReply as error:
        raise UserError(f"the design cannot be read: {error.reason}.") from None


def _names_a_unit(key: str) -> bool:
    """Whether the last word of a key is a unit, so that a bare number under it is certain."""
    words = [word for word in re.split(r"[\s_()\[\]-]+", key) if word]
    return len(words) > 1 and words[-1].lower() != "value" and variable_of("_".join(words[:-1]), NAMES) is not None


def _instead(key: str) -> str:
    """What to write in place of an unknown key, naming the unit where only that was wrong."""
    words = [word for word in re.split(r"[\s_()\[\]-]+", key[:60].lower()) if word]
    for count in range(len(words), 0, -1):
        meant = variable_of("_".join(words[:count]), NAMES)
        if meant is not None:
            return f"write {meant[0]}, the value in {_unit(meant[0])}"
    return f"the six variables are {', '.join(VARIABLES)}"


def _unit(name: str) -> str:
    return VARIABLES[name].unit


def _no_key_twice(text: str) -> dict[str, object]:
    def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key is given twice")
        return dict(pairs)

    value = json.loads(text, object_pairs_hook=collect)
    if not isinstance(value, dict):
        raise ValueError("no object")
    return value
