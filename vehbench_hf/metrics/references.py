"""References of a metric: dataset rows, or what a scorer needs of them."""

from collections.abc import Mapping
from typing import Any

from vehbench_hf.metrics.errors import MetricInputError
from vehbench_hf.parsing import ACTIONS
from vehbench_hf.types import ALL_SPLITS, Probe, Task

_NEEDED: dict[Probe, tuple[str, ...]] = {
    "p1": ("action",),
    "p2": ("reference",),
    "p3": ("reference", "trap"),
    "p4": ("ranking", "dominated_pairs", "policy_sensitive_pairs"),
}
"""The gold fields that a score of the probe depends on."""

NO_SUBTYPE = ""
"""The subtype of a reference that names none."""


def read_reference(value: object, probe: Probe, row: int) -> Task:
    """The task of a dataset row, or of a mapping with `spec` and `gold`.

    Without a `task_id` the place in the list names the task, and without an `anchor` it is a cluster of its own. Raises
    MetricInputError with row and field when a part is missing or of another kind than the column of the dataset.
    """
    from vehbench_hf.schema import empty_gold, empty_spec

    where = f"row {row} of references"
    if not isinstance(value, Mapping):
        raise MetricInputError(
            f"{where}: expected a dataset row (or its spec and gold) of {probe}, got {type(value).__name__} "
            f"{str(value)[:40]!r}. Pass the rows themselves, for instance references=list(dataset)."
        )
    said = value.get("probe", probe)
    if said != probe:
        raise MetricInputError(
            f"{where}, field probe: this metric scores {probe} rows, got a row of {str(said)[:20]!r}."
        )
    for name in ("spec", "gold"):
        if not isinstance(value.get(name), Mapping):
            got = "nothing" if value.get(name) is None else type(value[name]).__name__
            raise MetricInputError(f"{where}, field {name}: expected a mapping as in the dataset, got {got}.")
    _check_columns(value, probe, where)
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
        spec={**empty_spec(), **value["spec"]},
        gold={**empty_gold(), **value["gold"]},
    )


def _check_columns(value: Mapping[str, Any], probe: Probe, where: str) -> None:
    """Raise MetricInputError for the first part of a row that does not fit its column."""
    import pyarrow as pa

    from vehbench_hf.schema import arrow_schema

    schema = arrow_schema(probe)
    for part, needed in (("spec", [f.name for f in schema.field("spec").type]), ("gold", _NEEDED[probe])):
        for field in needed:
            if field not in value[part]:
                raise MetricInputError(f"{where}, field {part}.{field}: missing. Pass the row as the dataset has it.")
        for column in schema.field(part).type:
            try:
                pa.array([value[part].get(column.name)], type=column.type)
            except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                raise MetricInputError(
                    f"{where}, field {part}.{column.name}: expected {column.type}, got "
                    f"{str(value[part].get(column.name))[:80]!r} ({error})."
                ) from None
    anchor = value.get("anchor")
    if anchor is not None and not (isinstance(anchor, Mapping) and isinstance(anchor.get("key"), str)):
        raise MetricInputError(f"{where}, field anchor: expected a mapping with a key, got {str(anchor)[:40]!r}.")
    gold = value["gold"]
    if probe == "p1" and gold["action"] not in ACTIONS["p1"]:
        raise MetricInputError(
            f"{where}, field gold.action: expected one of {', '.join(ACTIONS['p1'])}, got {str(gold['action'])[:40]!r}."
        )
    if probe == "p4":
        ids = [candidate["id"] for candidate in value["spec"]["candidates"] or []]
        if not ids or sorted(gold["ranking"] or []) != sorted(ids):
            raise MetricInputError(
                f"{where}, field gold.ranking: expected an order of the candidates {', '.join(map(str, ids))}, "
                f"got {str(gold['ranking'])[:80]}."
            )
    if probe == "p3" and not value["spec"]["history"]:
        raise MetricInputError(f"{where}, field spec.history: expected at least one earlier step, got none.")
