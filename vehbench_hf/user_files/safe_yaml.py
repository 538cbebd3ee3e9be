"""Small YAML or JSON files that a user wrote, read without trust and without surprises.

Only plain mappings, lists, texts and numbers come through. Tags, anchors and aliases, keys given twice, deep nesting,
large files, more than one document and numbers that YAML reads in an unexpected way are refused, each with a message
that says where.
"""

import re
from pathlib import Path
from typing import Any, NoReturn

import yaml

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
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise UserError(f"{what} is larger than {MAX_BYTES // 1024} KiB, which no design or brief is.")
    try:
        value = yaml.load(text, _PlainLoader)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise UserError(f"{what} cannot be read: {_in_one_line(error)}.") from None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        actual = "nothing" if value is None else "keys that are no texts" if isinstance(value, dict) else _kind(value)
        raise UserError(f"{what} must hold names with values, such as `name: value`; it holds {actual}.")
    return value


class _PlainLoader(yaml.SafeLoader):
    """Refuses what `yaml.SafeLoader` would take and a reader would not expect."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        self.depth += 1
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            _refuse("an anchor or alias (& or *); write the value out", event)
        if event.tag is not None:
            _refuse(f"the tag {str(event.tag)[:60]!r}; only plain values are read", event)
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0] and _UNEXPECTED_NUMBER.fullmatch(event.value):
            _refuse(f"the number {event.value[:60]!r}; write it in plain decimals", event)
        if self.depth > MAX_DEPTH:
            _refuse(f"values nested deeper than {MAX_DEPTH} levels", event)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        names: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                _refuse("a key that is no plain text", key)
            if key.value in names:
                _refuse(f"the key {key.value[:60]!r} twice; keep one", key)
            names.add(key.value)
        return super().construct_mapping(node, deep)


def _refuse(problem: str, place: Any) -> NoReturn:
    raise yaml.MarkedYAMLError(problem=f"it holds {problem}", problem_mark=place.start_mark)


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a single value")


def _in_one_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    place = f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
    return " ".join(f"{problem[:200]}{place}".split())
