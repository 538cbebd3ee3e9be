"""References of a metric: dataset rows, or what a scorer needs of them."""

import math
from collections.abc import Mapping
from typing import Any

from vehbench_hf.domains import DEFAULT_DOMAIN, DOMAINS
from vehbench_hf.errors import MetricInputError
from vehbench_hf.parsing import ACTIONS
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.types import ALL_SPLITS, Probe, Task

NO_SUBTYPE = ""
"""The subtype of a reference that names none."""


def read_reference(value: object, probe: Probe, row: int) -> Task:
    """The task of a dataset row, or of a mapping with `spec` and `gold`.

    Without a `task_id` the place in the list names the task, and without an `anchor` it is a cluster of its own. Raises
    MetricInputError with row and field when a part is missing or of another kind than the column of the dataset.
    """
    from vehbench_hf.bank.schema import empty_gold, empty_spec

    where = f"row {row} of references"
    if not isinstance(value, Mapping):
        raise MetricInputError(
            f"{where}: expected a dataset row (or its spec and gold) of {probe}, got {type(value).__name__} "
            f"{str(value)[:40]!r}. Pass the rows themselves, for instance references=list(dataset)."
        )
    named = value.get("probe", probe)
    if named != probe:
        raise MetricInputError(
            f"{where}, field probe: this metric scores {probe} rows, got a row of {str(named)[:20]!r}."
        )
    for name in ("spec", "gold"):
        if not isinstance(value.get(name), Mapping):
            got = "nothing" if value.get(name) is None else type(value[name]).__name__
            raise MetricInputError(f"{where}, field {name}: expected a mapping as in the dataset, got {got}.")
    spec, gold = _columns(value, probe, where)
    _check_rest(value, probe, where)
    _check_meaning(spec, gold, probe, where)
    split = value.get("split") or "test_id"
    if split not in ALL_SPLITS:
        raise MetricInputError(
            f"{where}, field split: expected one of {', '.join(ALL_SPLITS)}, got {str(split)[:40]!r}."
        )
    return Task(
        task_id=str(value.get("task_id") or f"row {row:06}"),
        probe=probe,
        split=split,
        subtype=str(value.get("subtype") or NO_SUBTYPE),
        difficulty=str(value.get("difficulty") or ""),
        source_group=value.get("source_group"),
        anchor=value.get("anchor"),
        bank_version=str(value.get("bank_version") or ""),
        spec={**empty_spec(), **spec},
        gold={**empty_gold(), **gold},
    )


def _columns(value: Mapping[str, Any], probe: Probe, where: str) -> tuple[Any, Any]:
    """`spec` and `gold` as the dataset holds them; numpy values become plain ones, absent parts of a struct null.

    Raises MetricInputError for the first part that does not fit its column.
    """
    import pyarrow as pa

    from vehbench_hf.bank.schema import arrow_schema

    schema = arrow_schema(probe)
    for part, needed in (
        ("spec", [f.name for f in schema.field("spec").type]),
        ("gold", PROBE_TABLE[probe].gold_fields),
    ):
        for field in needed:
            if field not in value[part]:
                raise MetricInputError(f"{where}, field {part}.{field}: missing. Pass the row as the dataset has it.")
    read: dict[str, dict[str, Any]] = {"spec": {}, "gold": {}}
    for part, fields in read.items():
        for column in schema.field(part).type:
            given = value[part].get(column.name)
            try:
                fields[column.name] = pa.array([given], type=column.type).to_pylist()[0]
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                raise MetricInputError(
                    f"{where}, field {part}.{column.name}: expected {column.type}, got {str(given)[:80]!r} ({error})."
                ) from None
    return read["spec"], read["gold"]


def _check_rest(value: Mapping[str, Any], probe: Probe, where: str) -> None:
    """Raise MetricInputError for an anchor or a source group of another kind."""
    anchor, group = value.get("anchor"), value.get("source_group")
    if anchor is not None and not (isinstance(anchor, Mapping) and isinstance(anchor.get("key"), str)):
        raise MetricInputError(f"{where}, field anchor: expected a mapping with a key, got {str(anchor)[:40]!r}.")
    if not isinstance(group, str | None):
        raise MetricInputError(f"{where}, field source_group: expected a text or null, got {str(group)[:40]!r}.")


def _check_meaning(spec: Mapping[str, Any], gold: Mapping[str, Any], probe: Probe, where: str) -> None:
    """Raise MetricInputError for values that fit their columns but that no task has."""
    if probe == "p1" and gold["action"] not in ACTIONS["p1"]:
        raise MetricInputError(
            f"{where}, field gold.action: expected one of {', '.join(ACTIONS['p1'])}, got {str(gold['action'])[:40]!r}."
        )
    if probe == "p4":
        _check_ranking(spec, gold, where)
    if probe == "p3" and not spec["history"]:
        raise MetricInputError(f"{where}, field spec.history: expected at least one earlier step, got none.")
    if probe in ("p2", "p3"):
        _check_search(spec, gold, probe, where)


def _check_search(spec: Mapping[str, Any], gold: Mapping[str, Any], probe: Probe, where: str) -> None:
    if (spec["query_budget"] or 0) < 1:
        raise MetricInputError(f"{where}, field spec.query_budget: expected at least 1, got {spec['query_budget']}.")
    for name, bound in (spec["variable_bounds"] or dict.fromkeys(DOMAINS[DEFAULT_DOMAIN].variables)).items():
        if bound is None or bound["min"] is None or bound["max"] is None:
            raise MetricInputError(f"{where}, field spec.variable_bounds.{name}: expected min and max, got {bound}.")
    # The power of a P3 reference is null in bank v1; no score divides by it.
    if probe == "p2" and gold["reference"] is not None:
        power = gold["reference"]["power_uw"]
        if power is None or not math.isfinite(power) or power <= 0:
            raise MetricInputError(f"{where}, field gold.reference.power_uw: expected a power above 0, got {power}.")


def _check_ranking(spec: Mapping[str, Any], gold: Mapping[str, Any], where: str) -> None:
    ids = [candidate and candidate["id"] for candidate in spec["candidates"] or []]
    if not all(isinstance(name, str) for name in ids):
        raise MetricInputError(f"{where}, field spec.candidates: expected candidates with an id, got {ids[:8]}.")
    if not ids or sorted(map(str, gold["ranking"] or [])) != sorted(ids):
        raise MetricInputError(
            f"{where}, field gold.ranking: expected an order of the candidates {', '.join(ids)}, "
            f"got {str(gold['ranking'])[:80]}."
        )
    for name in ("dominated_pairs", "policy_sensitive_pairs"):
        for pair in gold[name] or []:
            if pair is None or not {pair["better"], pair["worse"]} <= set(ids):
                raise MetricInputError(
                    f"{where}, field gold.{name}: expected pairs of the candidates {', '.join(ids)}, got {pair}."
                )
