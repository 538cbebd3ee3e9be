"""Does a value have the shape that `types` gives it? Rows of a bank come from files that anybody may have written."""

import math
from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict


def misfits(value: object, kind: Any, place: str) -> Iterator[str]:
    """What in `value` is not of the type `kind`, with its place; nothing when all is.

    `kind` is a class, a TypedDict, a Literal, a union, or a list or dict of such. A float may be an int; it must be
    finite.
    """
    origin = get_origin(kind)
    if kind is Any:
        return
    if origin in (Union, UnionType):
        kinds = [one for one in get_args(kind) if one is not type(None)]
        if value is not None or len(kinds) == len(get_args(kind)):
            yield from misfits(value, kinds[0], place)
    elif origin is Literal:
        if value not in get_args(kind):
            yield f"{place} is {_shown(value)}, expected one of {', '.join(map(str, get_args(kind)))}"
    elif is_typeddict(kind):
        yield from _of_dict(value, _hints(kind), place)
    elif origin is list:
        if not isinstance(value, list):
            yield f"{place} is {_shown(value)}, expected a list"
            return
        for number, item in enumerate(value):
            yield from misfits(item, get_args(kind)[0], f"{place}[{number}]")
    elif origin is dict:
        if not isinstance(value, dict):
            yield f"{place} is {_shown(value)}, expected names with values"
            return
        for name, item in value.items():
            yield from misfits(item, get_args(kind)[1], f"{place}.{name}")
    elif kind is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            yield f"{place} is {_shown(value)}, expected a finite number"
    elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        yield f"{place} is {_shown(value)}, expected {kind.__name__}"


def misfits_of(item: object) -> Iterator[str]:
    """The same for a dataclass, field by field."""
    own: Any = type(item)
    for name, kind in _hints(own).items():
        yield from misfits(getattr(item, name), kind, name)


def _of_dict(value: object, kinds: dict[str, Any], place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place} is {_shown(value)}, expected an entry with {', '.join(kinds)}"
        return
    for name, kind in kinds.items():
        yield from misfits(value.get(name), kind, f"{place}.{name}")


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _shown(value: object) -> str:
    return "null" if value is None else repr(value)[:40]
