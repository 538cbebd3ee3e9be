"""The Arrow schema of every config, from the types of its rows, and the two ways between a `Task` and a row.

A config holds only the fields of its probe: `p1` has no history, `p4` no reference. Reading a row fills the rest of
`Spec` and `Gold` with null and empty values, so that code has one shape to deal with.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Literal, cast, get_args, get_origin

import pyarrow as pa

from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.bank.row_types import empty, fields_of, named, optional, with_names_of
from vehbench_hf.domains import DEFAULT_DOMAIN, domain_of
from vehbench_hf.errors import BankError
from vehbench_hf.isomorphic.types import ISOMORPHIC, IsomorphicGold, IsomorphicSpec, IsomorphicTask
from vehbench_hf.types import Anchor, Gold, Probe, Spec, Task

CANARY = "vehbench canary 7d1f6c52-0b7e-4a55-9c4e-2f8f1f1c7a90: benchmark data must never appear in training corpora"

_TEXT = pa.string()
_PLAIN = {str: _TEXT, float: pa.float64(), bool: pa.bool_(), int: pa.int64()}
_HEAD = ("task_id", "probe", "domain", "split", "subtype", "difficulty", "source_group")
_ISOMORPHIC_HEAD = ("task_id", "form", "domain", "split", "difficulty", "source_group", "group")
"""In the config `isomorphic` the subtype is called form, and the group is a column."""

_OF_PROBE: dict[Probe, tuple[str, ...]] = {
    "p1": (),
    "p2": (),
    "p3": ("history",),
    "p4": ("policy", "profile", "candidates"),
}
"""The fields of `spec` that belong to some probes only."""
_GOLD: dict[Probe, tuple[str, ...]] = {
    "p1": ("action", "missing_fields", "witness", "reference", "certificate", "completions"),
    "p2": ("reference", "anchor_design", "certificate"),
    "p3": ("witness", "reference", "anchor_design", "certificate", "trap"),
    "p4": ("ranking", "utilities", "dominated_pairs", "policy_sensitive_pairs", "pool_id", "pool_family"),
}
"""The fields of `gold` by probe, in the order of their columns."""


def empty_spec(domain: str = DEFAULT_DOMAIN) -> Spec:
    """A spec in which everything is withheld: the starting point of a builder."""
    return cast(Spec, {**empty(Spec, domain), "query_budget": 1})


def empty_gold(domain: str = DEFAULT_DOMAIN) -> Gold:
    """A gold part without a statement: the starting point of a builder."""
    return cast(Gold, empty(Gold, domain))


def arrow_schema(probe: Probe, domain: str = DEFAULT_DOMAIN) -> pa.Schema:
    """The columns of one config, with the canary string in the file's metadata."""
    parts = {"spec": _spec_fields(probe, domain), "gold": _gold_fields(probe, domain)}
    columns = [
        *((name, _PLAIN[int] if name == "group" else _TEXT) for name in _head(probe)),
        ("anchor", arrow_type(Anchor, domain)),
        ("bank_version", _TEXT),
        *((name, pa.struct([(n, arrow_type(k, domain)) for n, k in part.items()])) for name, part in parts.items()),
        ("checksum", _TEXT),
    ]
    return pa.schema([pa.field(name, kind) for name, kind in columns], metadata={"canary": CANARY})


def arrow_type(kind: Any, domain: str) -> pa.DataType:
    """The Arrow type of a field: structs of TypedDicts in their order, of named values in the domain's order."""
    kind, _ = optional(kind)
    if by_name := named(kind):
        values, attribute = by_name
        return pa.struct([(name, arrow_type(values, domain)) for name in getattr(domain_of(domain), attribute)])
    if get_origin(kind) is list:
        return pa.list_(arrow_type(get_args(kind)[0], domain))
    if get_origin(kind) is Literal:
        return _TEXT
    if kind in _PLAIN:
        return _PLAIN[kind]
    return pa.struct([(name, arrow_type(field, domain)) for name, field in fields_of(kind, domain).items()])


def task_to_row(task: Task) -> dict[str, Any]:
    """The row of a task with its checksum; what does not belong to the probe is left out."""
    spec, gold = cast(dict[str, Any], task.spec), cast(dict[str, Any], task.gold)
    domain = domain_of(task.domain)
    if len(domain.examples) > 1:
        spec, gold = (with_names_of(part, kind, task.domain, domain) for part, kind in ((spec, Spec), (gold, Gold)))
    row: dict[str, Any] = {
        **{name: getattr(task, name) for name in (*_head(task.probe), "anchor", "bank_version")},
        "spec": {name: spec[name] for name in _spec_fields(task.probe, task.domain)},
        "gold": {name: gold[name] for name in _gold_fields(task.probe, task.domain)},
    }
    return {**row, "checksum": row_checksum(row)}


def row_to_task(row: Mapping[str, Any]) -> Task:
    """The task of a row, from a Parquet file or from a `datasets` row of the same schema."""
    if "form" in row:
        return _isomorphic_task(row)
    domain = domain_of(row["domain"])
    spec, gold = {**empty_spec(domain.name), **row["spec"]}, {**empty_gold(domain.name), **row["gold"]}
    if len(domain.examples) > 1:  # several kinds of briefs: each has its own variables, metrics and limits
        try:
            problem = domain.problem(spec)
        except (KeyError, TypeError) as error:
            place = f"task {str(row['task_id'])[:80]!r}"
            raise BankError(f"{place} has no brief of the domain {domain.name}: {error!r}.") from None
        spec, gold = (with_names_of(part, kind, domain.name, problem) for part, kind in ((spec, Spec), (gold, Gold)))
    head = {name: row[name] for name in (*_HEAD, "anchor", "bank_version")}
    return Task(**head, spec=cast(Spec, spec), gold=cast(Gold, gold))


def row_checksum(row: Mapping[str, Any]) -> str:
    """SHA-256 of the row's canonical JSON (sorted keys, no spaces, UTF-8) without its `checksum` column."""
    body = {name: value for name, value in row.items() if name != "checksum"}
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()


def _head(probe: Probe) -> tuple[str, ...]:
    return _ISOMORPHIC_HEAD if probe == ISOMORPHIC else _HEAD


def _spec_fields(probe: Probe, domain: str) -> dict[str, Any]:
    if probe == ISOMORPHIC:
        return fields_of(IsomorphicSpec, domain)
    others = {name for names in _OF_PROBE.values() for name in names} - set(_OF_PROBE[probe])
    return {name: kind for name, kind in fields_of(Spec, domain).items() if name not in others}


def _gold_fields(probe: Probe, domain: str) -> dict[str, Any]:
    if probe == ISOMORPHIC:
        return {name: kind for name, kind in fields_of(IsomorphicGold, domain).items() if name != "group"}
    fields = fields_of(Gold, domain)
    return {name: fields[name] for name in _GOLD[probe]}


def _isomorphic_task(row: Mapping[str, Any]) -> IsomorphicTask:
    head = {name: row[name] for name in ("task_id", "domain", "split", "difficulty", "source_group")}
    gold = cast(IsomorphicGold, {**row["gold"], "group": row["group"]})
    parts = {"anchor": row["anchor"], "bank_version": row["bank_version"], "spec": row["spec"], "gold": gold}
    return IsomorphicTask(**head, **parts, probe=ISOMORPHIC, subtype=row["form"])
