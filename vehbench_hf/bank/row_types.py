"""What a row of a domain is made of, from the TypedDicts in `types` and the domain's own: columns, empty rows, faults.

Rows of a bank come from files that anybody may have written, so that they are checked against the same types.
"""

import math
from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from vehbench_hf.domains import OwnBrief, OwnChanges, OwnReference, OwnVerdict, domain_of
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.types import Changes, HistoryVerdict, Reference, Spec
from vehbench_oracle.domain import Domain, OwnColumns, Problem

_OWN: dict[Any, tuple[type, str]] = {
    Spec: (OwnBrief, "brief"),
    IsomorphicSpec: (OwnBrief, "brief"),
    HistoryVerdict: (OwnVerdict, "verdict"),
    Reference: (OwnReference, "reference"),
    Changes: (OwnChanges, "changes"),
}
"""Where a domain's own columns stand: the columns of all domains, and the name of the domain's own in `OwnColumns`."""

assert {name for _, name in _OWN.values()} == set(OwnColumns._fields)


def fields_of(kind: Any, domain: str) -> dict[str, Any]:
    """The fields of a TypedDict or dataclass in their order, with the own columns of one domain where they belong."""
    hints = _hints(kind)
    if kind not in _OWN:
        return hints
    all_own, name = _OWN[kind]
    names = list(hints)
    start = min(names.index(own) for own in _hints(all_own))
    common = {field: hint for field, hint in hints.items() if field not in _hints(all_own)}
    before = [field for field in names[:start] if field in common]
    own = _hints(getattr(domain_of(domain).columns, name))
    return {**{field: common[field] for field in before}, **own, **common}


def named(kind: Any) -> tuple[Any, str] | None:
    """The kind of value and the attribute with the names, where `kind` is a dict by names of the brief; else None."""
    if get_origin(kind) is not Annotated:
        return None
    values, attribute = get_args(kind)
    return get_args(values)[1], attribute


def optional(kind: Any) -> tuple[Any, bool]:
    """The kind without null, and whether null is allowed."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, False
    kinds = [part for part in get_args(kind) if part is not type(None)]
    return kinds[0], len(kinds) < len(get_args(kind))


def empty(kind: Any, domain: str) -> Any:
    """A value in which nothing is stated: null where that is allowed, else an empty list, or all names with null."""
    kind, nullable = optional(kind)
    if nullable:
        return None
    if by_name := named(kind):
        return dict.fromkeys(getattr(domain_of(domain), by_name[1]))
    if is_typeddict(kind):
        return {name: empty(field, domain) for name, field in fields_of(kind, domain).items()}
    return [] if get_origin(kind) is list else kind()


def with_names_of(value: Any, kind: Any, domain: str, names: Domain | Problem) -> Any:
    """The value with exactly the variables, metrics and limits of `names`: those of a domain, or of one brief.

    The columns of a bank are those of the domain; a brief may have fewer. Absent ones become null.
    """
    kind, _ = optional(kind)
    if value is None:
        return None
    if by_name := named(kind):
        return {name: value.get(name) for name in getattr(names, by_name[1])}
    if is_typeddict(kind):
        return {
            name: with_names_of(value[name], field, domain, names)
            for name, field in fields_of(kind, domain).items()
            if name in value
        }
    if get_origin(kind) is list:
        return [with_names_of(item, get_args(kind)[0], domain, names) for item in value]
    return value


def faults(value: object, kind: Any, place: str, domain: str) -> Iterator[str]:
    """What in `value` is not of the type `kind`, with its place; nothing when all is.

    `kind` is a class, a TypedDict, a Literal, a union, or a list or dict of such. A float may be an int; it must be
    finite.
    """
    kind, nullable = optional(kind)
    if kind is Any or (nullable and value is None):
        return
    if by_name := named(kind):
        yield from _faults_by_name(value, by_name[0], place, domain)
    elif get_origin(kind) is Literal:
        if value not in get_args(kind):
            yield f"{place} is {_shown(value)}, expected one of {', '.join(map(str, get_args(kind)))}"
    elif is_typeddict(kind):
        fields = fields_of(kind, domain)
        if not isinstance(value, dict):
            yield f"{place} is {_shown(value)}, expected an entry with {', '.join(fields)}"
            return
        for name, field in fields.items():
            yield from faults(value.get(name), field, f"{place}.{name}", domain)
    elif get_origin(kind) is list:
        if not isinstance(value, list):
            yield f"{place} is {_shown(value)}, expected a list"
            return
        for number, item in enumerate(value):
            yield from faults(item, get_args(kind)[0], f"{place}[{number}]", domain)
    elif get_origin(kind) is dict:
        yield from _faults_by_name(value, get_args(kind)[1], place, domain)
    elif kind is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            yield f"{place} is {_shown(value)}, expected a finite number"
    elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        yield f"{place} is {_shown(value)}, expected {kind.__name__}"


def faults_of(item: Any) -> Iterator[str]:
    """The same for a task, field by field. Raises BankError for an unknown domain."""
    for name, kind in fields_of(type(item), item.domain).items():
        yield from faults(getattr(item, name), kind, name, item.domain)


def _faults_by_name(value: object, kind: Any, place: str, domain: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place} is {_shown(value)}, expected names with values"
        return
    for name, item in value.items():
        yield from faults(item, kind, f"{place}.{name}", domain)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _shown(value: object) -> str:
    return "null" if value is None else repr(value)[:40]
