"""Small YAML or JSON files that a user wrote, read without trust and without surprises.

Only plain mappings, lists, texts and numbers come through. Tags, anchors and aliases, keys given twice, deep nesting,
large files, more than one document and numbers that YAML reads in an unexpected way are refused, each with a message
that says where.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError

MAX_BYTES = 16 * 1024
MAX_DEPTH = 10

# YAML 1.1 takes 010 for eight, 1:30 for ninety, 0x10 for sixteen and 1_0 for ten.
_UNEXPECTED_NUMBER = re.compile(
    r"[-+]?(?:0[0-9_]+|0[xob][0-9a-fA-F_]+|[0-9][0-9_]*(?::[0-9]+)+(?:\.[0-9_]*)?|[0-9]+_[0-9_.eE+-]*)"
)


def read_text(file: Path) -> str:
    """The text of a small file. Raises UserError when it is absent, unreadable, no UTF-8 or larger than 16 KiB."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UserError(f"{str(file)[:200]!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > MAX_BYTES:
        raise UserError(f"{file} is larger than {MAX_BYTES // 1024} KiB, which no design or brief is.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is no UTF-8 text: {error.reason} at byte {error.start}.") from None


def read_mapping(text: str, what: str) -> dict[str, Any]:
    """The mapping that a YAML (or JSON) text holds; `what` names it in messages.

    Numbers are those of YAML 1.1, in which `1e5` and `1.5e3` are texts, for want of a sign: whoever reads a number
    has to accept texts. Raises UserError for anything that is no plain mapping with text keys.
    """
    import yaml

    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise UserError(f"{what} is larger than {MAX_BYTES // 1024} KiB, which no design or brief is.")
    try:
        _refuse_tricks(yaml.parse(text, Loader=yaml.SafeLoader), what)
        value = yaml.safe_load(text)
    except UserError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise UserError(f"{what} cannot be read: {_in_one_line(error)}.") from None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        actual = "nothing" if value is None else "keys that are no texts" if isinstance(value, dict) else _kind(value)
        raise UserError(f"{what} must hold names with values, such as `frequency_hz: 60`; it holds {actual}.")
    return value


@dataclass
class _Open:
    """A mapping or list that has begun: whether the next node in it is a key, and the keys so far."""

    mapping: bool
    at_key: bool
    keys: set[str] = field(default_factory=set)


def _refuse_tricks(events: Iterable[Any], what: str) -> None:
    """Raise UserError for what `yaml.safe_load` would take and a reader would not expect."""
    import yaml

    inside: list[_Open] = []
    documents = 0
    for event in events:
        place = f"line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise UserError(f"{what} uses an anchor or alias (& or *) in {place}; write the value out.")
        if getattr(event, "tag", None) is not None:
            raise UserError(f"{what} uses the tag {str(event.tag)[:60]!r} in {place}; only plain values are read.")
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and _UNEXPECTED_NUMBER.fullmatch(event.value):
            raise UserError(f"{what} writes a number as {event.value[:60]!r} in {place}; write it in plain decimals.")
        if isinstance(event, yaml.NodeEvent) and inside and inside[-1].mapping:
            if inside[-1].at_key:
                _take_key(event, inside[-1].keys, what, place)
            inside[-1].at_key = not inside[-1].at_key
        if isinstance(event, yaml.CollectionStartEvent):
            mapping = isinstance(event, yaml.MappingStartEvent)
            inside.append(_Open(mapping, at_key=mapping))
        elif isinstance(event, yaml.CollectionEndEvent):
            inside.pop()
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        if len(inside) > MAX_DEPTH:
            raise UserError(f"{what} is nested deeper than {MAX_DEPTH} levels in {place}.")
        if documents > 1:
            raise UserError(f"{what} holds a second document in {place}; expected one.")


def _take_key(event: Any, keys: set[str], what: str, place: str) -> None:
    import yaml

    if not isinstance(event, yaml.ScalarEvent) or event.value == "<<":
        raise UserError(f"{what} has a key in {place} that is no plain text.")
    if event.value in keys:
        raise UserError(f"{what} gives the key {event.value[:60]!r} twice, the second time in {place}; keep one.")
    keys.add(event.value)


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a single value")


def _in_one_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    place = f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
    return " ".join(f"{problem[:200]}{place}".split())
