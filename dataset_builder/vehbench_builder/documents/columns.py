"""What every column of a bank means and its unit, in one place: the card and `croissant.json` take it from here.

A path is the dotted name inside a row, "spec.history.note"; lists add nothing to it. Design variables, metrics, limits
and a domain's own columns are described by the domain, so that only the columns around them are described here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import yaml

from vehbench_hf.bank.loading import columns_of
from vehbench_hf.domains import DOMAINS
from vehbench_hf.isomorphic.types import ISOMORPHIC
from vehbench_hf.paths import shipped
from vehbench_hf.types import PROBES

COLUMNS = "cards/columns.yaml"


def _meanings() -> dict[str, str]:
    """The texts of `COLUMNS`, with those of the domains in the places kept for them."""
    texts: dict[str, str | None] = yaml.safe_load(shipped(COLUMNS).read_text(encoding="utf-8"))
    parts = {path.removesuffix("*") for path, text in texts.items() if text is None}
    domains = "; ".join(f"{domain.name} is {domain.about}" for domain in DOMAINS.values())
    meanings: dict[str, str] = {}
    for path, text in texts.items():
        if text is not None:
            meanings[path] = text.format(domains=domains) if path == "domain" else text
            continue
        for domain in DOMAINS.values():
            for own, meaning in domain.meanings.items():
                if max((part for part in parts if own.startswith(part)), key=len, default="") == path[:-1]:
                    meanings[own] = meaning
    return meanings


MEANINGS: dict[str, str] = _meanings()


@dataclass(frozen=True)
class Described:
    """A column of the card's table: its path, its type in a word, its meaning, and the configs that have it."""

    path: str
    kind: str
    meaning: str
    configs: tuple[str, ...]


def meaning_of(path: str) -> str:
    """What the column at `path` holds, with its unit in brackets. Raises KeyError for a column nobody described."""
    if path in MEANINGS:
        return MEANINGS[path]
    parent, _, name = path.rpartition(".")
    if name in ("min", "max") and parent:
        return f"{'smallest' if name == 'min' else 'largest'} allowed {meaning_of(parent)}"
    for domain in DOMAINS.values():
        quantity = domain.variables.get(name) or domain.metrics.get(name)
        if quantity is not None:
            return f"{quantity.meaning} ({quantity.unit})"
        if name in domain.limits:
            limit = domain.limits[name]
            return f"{'slack to the ' if parent.endswith('slack') else ''}{limit.meaning} ({limit.unit})"
    raise KeyError(f"column {path} has no description in {__name__}")


def described(configs: Sequence[str] = (*PROBES, ISOMORPHIC)) -> list[Described]:
    """The columns of some configs that have a description of their own, each once, in the order of `MEANINGS`."""
    found: dict[str, tuple[str, list[str]]] = {}
    for config in configs:
        for path, kind in _walk(columns_of(config)):
            if path in MEANINGS:
                found.setdefault(path, (_word(kind), []))[1].append(config)
    order = {path: place for place, path in enumerate(MEANINGS)}
    return [Described(p, found[p][0], MEANINGS[p], tuple(found[p][1])) for p in sorted(found, key=order.__getitem__)]


def leaves(config: str) -> list[str]:
    """The paths of all columns of a config that hold a value and not further columns."""
    return [path for path, kind in _walk(columns_of(config)) if not pa.types.is_struct(_item(kind))]


def _walk(fields: pa.Schema | pa.DataType, parent: str = "") -> Iterator[tuple[str, pa.DataType]]:
    for field in fields:
        path = f"{parent}{field.name}"
        yield path, field.type
        if pa.types.is_struct(_item(field.type)):
            yield from _walk(_item(field.type), f"{path}.")


def _item(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_list(kind) else kind


def _word(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_word(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "fields"
    return {"string": "text", "double": "number", "int64": "integer", "bool": "flag"}[str(kind)]
