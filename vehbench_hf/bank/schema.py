"""The Arrow schema of every config, written out and never inferred, and the two ways between a `Task` and a row.

A config holds only the fields of its probe: `p1` has no history, `p4` no reference power. Reading a row fills the rest
of `Spec` and `Gold` with null and empty values, so that code has one shape to deal with.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, cast

import pyarrow as pa

from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.types import Gold, Probe, Spec, Task
from vehbench_oracle import LIMITS, METRICS, VARIABLES

CANARY = "vehbench canary 7d1f6c52-0b7e-4a55-9c4e-2f8f1f1c7a90: benchmark data must never appear in training corpora"

_TEXT, _NUMBER, _FLAG = pa.string(), pa.float64(), pa.bool_()
_TEXTS = pa.list_(_TEXT)
_DESIGN = pa.struct([(name, _NUMBER) for name in VARIABLES])
_SLACK = pa.struct([(name, _NUMBER) for name in LIMITS])
_METRICS = pa.struct([(name, _NUMBER) for name in METRICS])
_BOX = pa.struct([("min", _NUMBER), ("max", _NUMBER)])
_STATED = pa.list_(pa.struct([("name", _TEXT), ("text", _TEXT)]))
_PAIRS = pa.list_(pa.struct([("better", _TEXT), ("worse", _TEXT)]))

_HISTORY_VERDICT = pa.struct(
    [("feasible", _FLAG), ("power_uw", _NUMBER), ("slack", _SLACK), ("violations", _TEXTS), ("metrics", _METRICS)]
)
_HISTORY = pa.list_(pa.struct([("design", _DESIGN), ("note", _TEXT), ("verdict", _HISTORY_VERDICT)]))
_CANDIDATES = pa.list_(pa.struct([("id", _TEXT), ("design", _DESIGN), ("metrics", _METRICS), ("slack", _SLACK)]))
_REFERENCE = pa.struct(
    [("design", _DESIGN), ("power_uw", _NUMBER), ("power_uw_older", _NUMBER), ("upper_bound_uw", _NUMBER)]
)
_CLAIMS = pa.list_(pa.struct([("step", pa.int64()), ("left", _TEXT), ("relation", _TEXT), ("right", _TEXT)]))
_TRAP = pa.struct(
    [
        ("type", _TEXT),
        ("variable", _TEXT),
        ("direction", _TEXT),
        ("secondary_constraint", _TEXT),
        ("claims", _CLAIMS),
    ]
)
_CHANGES = pa.struct(
    [
        ("frequency_hz", _NUMBER),
        ("acceleration_g", _NUMBER),
        ("load_resistance_ohm", _NUMBER),
        ("piezo", _TEXT),
        ("damping_ratio", _NUMBER),
    ]
)
_COMPLETIONS = pa.list_(
    pa.struct(
        [
            ("name", _TEXT),
            ("changes", _CHANGES),
            ("feasible", _FLAG),
            ("witness", _DESIGN),
            ("certificate", _TEXT),
        ]
    )
)
_UTILITIES = pa.list_(pa.struct([("id", _TEXT), ("value", _NUMBER)]))

_SPEC_COMMON = [
    ("variable_bounds", pa.struct([(name, _BOX) for name in VARIABLES])),
    ("constraints", _SLACK),
    ("excitation", pa.struct([("frequency_hz", _NUMBER), ("acceleration_g", _NUMBER), ("stated", _STATED)])),
    ("materials", pa.struct([("piezo", _TEXT), ("substrate", _TEXT), ("damping_ratio", _NUMBER)])),
    ("notes", _STATED),
    ("query_budget", pa.int64()),
    ("initial_design", _DESIGN),
]
_SPEC: dict[Probe, list[tuple[str, pa.DataType]]] = {
    "p1": _SPEC_COMMON,
    "p2": _SPEC_COMMON,
    "p3": [*_SPEC_COMMON, ("history", _HISTORY)],
    "p4": [*_SPEC_COMMON, ("policy", _TEXT), ("profile", _TEXT), ("candidates", _CANDIDATES)],
}
_GOLD: dict[Probe, list[tuple[str, pa.DataType]]] = {
    "p1": [
        ("action", _TEXT),
        ("missing_fields", _TEXTS),
        ("witness", _DESIGN),
        ("reference", _REFERENCE),
        ("certificate", _TEXT),
        ("completions", _COMPLETIONS),
    ],
    "p2": [("reference", _REFERENCE), ("anchor_design", _DESIGN), ("certificate", _TEXT)],
    "p3": [
        ("witness", _DESIGN),
        ("reference", _REFERENCE),
        ("anchor_design", _DESIGN),
        ("certificate", _TEXT),
        ("trap", _TRAP),
    ],
    "p4": [
        ("ranking", _TEXTS),
        ("utilities", _UTILITIES),
        ("dominated_pairs", _PAIRS),
        ("policy_sensitive_pairs", _PAIRS),
        ("pool_id", _TEXT),
        ("pool_family", _TEXT),
    ],
}
_ANCHOR = pa.struct([("key", _TEXT), ("doi", _TEXT), ("doi_released", _TEXT), ("title", _TEXT), ("year", pa.int64())])


def empty_spec() -> Spec:
    """A spec in which everything is withheld: the starting point of a builder."""
    return {
        "variable_bounds": dict.fromkeys(VARIABLES),
        "constraints": dict.fromkeys(LIMITS),
        "excitation": {"frequency_hz": None, "acceleration_g": None, "stated": []},
        "materials": {"piezo": None, "substrate": None, "damping_ratio": None},
        "notes": [],
        "query_budget": 1,
        "initial_design": None,
        "history": [],
        "policy": None,
        "profile": None,
        "candidates": [],
    }


def empty_gold() -> Gold:
    """A gold part without a statement: the starting point of a builder."""
    return {
        "action": None,
        "missing_fields": [],
        "witness": None,
        "certificate": None,
        "completions": [],
        "reference": None,
        "anchor_design": None,
        "trap": None,
        "ranking": [],
        "utilities": [],
        "dominated_pairs": [],
        "policy_sensitive_pairs": [],
        "pool_id": None,
        "pool_family": None,
    }


def arrow_schema(probe: Probe) -> pa.Schema:
    """The columns of one config, with the canary string in the file's metadata."""
    columns = [
        *((name, _TEXT) for name in ("task_id", "probe", "domain", "split", "subtype", "difficulty", "source_group")),
        ("anchor", _ANCHOR),
        ("bank_version", _TEXT),
        ("spec", pa.struct(_SPEC[probe])),
        ("gold", pa.struct(_GOLD[probe])),
        ("checksum", _TEXT),
    ]
    return pa.schema([pa.field(name, kind) for name, kind in columns], metadata={"canary": CANARY})


def task_to_row(task: Task) -> dict[str, Any]:
    """The row of a task with its checksum; what does not belong to the probe is left out."""
    spec, gold = cast(dict[str, Any], task.spec), cast(dict[str, Any], task.gold)
    row: dict[str, Any] = {
        "task_id": task.task_id,
        "probe": task.probe,
        "domain": task.domain,
        "split": task.split,
        "subtype": task.subtype,
        "difficulty": task.difficulty,
        "source_group": task.source_group,
        "anchor": task.anchor,
        "bank_version": task.bank_version,
        "spec": {name: spec[name] for name, _ in _SPEC[task.probe]},
        "gold": {name: gold[name] for name, _ in _GOLD[task.probe]},
    }
    return {**row, "checksum": row_checksum(row)}


def row_to_task(row: Mapping[str, Any]) -> Task:
    """The task of a row, from a Parquet file or from a `datasets` row of the same schema."""
    names = ("task_id", "probe", "split", "subtype", "difficulty", "source_group", "anchor", "bank_version", "domain")
    return Task(
        **{name: row[name] for name in names},
        spec=cast(Spec, {**empty_spec(), **row["spec"]}),
        gold=cast(Gold, {**empty_gold(), **row["gold"]}),
    )


def row_checksum(row: Mapping[str, Any]) -> str:
    """SHA-256 of the row's canonical JSON (sorted keys, no spaces, UTF-8) without its `checksum` column."""
    body = {name: value for name, value in row.items() if name != "checksum"}
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()
