"""References of a metric: dataset rows, or what a scorer needs of them."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from vehbench_hf.bank.row_types import faults_of
from vehbench_hf.domains import DEFAULT_DOMAIN, DOMAINS
from vehbench_hf.errors import BankError, MetricInputError
from vehbench_hf.parsing import ACTIONS
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.types import ALL_SPLITS, Probe, Task

NO_SUBTYPE = ""
"""The subtype of a reference that names none."""
UNNAMED = "row "
"""What the id of a task begins with whose reference has none; no id of a bank has a space."""
SMALLEST_REFERENCE = 1e-30
"""A ratio to less than this says nothing, and to the smallest numbers there are it is infinite."""


def read_reference(value: object, probe: Probe, row: int) -> Task:
    """The task of a dataset row, or of a mapping with `spec` and `gold`.

    Without a `task_id` the place in the list names the task, and without an `anchor` it is a cluster of its own. Raises
    MetricInputError with row and field when a part is missing or of another kind than the column of the dataset.
    """
    from vehbench_hf.bank.schema import row_to_task

    where = f"row {row} of references"
    if not isinstance(value, Mapping):
        raise MetricInputError(
            f"{where}: expected a dataset row (or its spec and gold) of {probe}, got {type(value).__name__} "
            f"{str(value)[:40]!r}. Pass the rows themselves, for instance references=list(dataset)."
        )
    for fault in _shape_faults(value, probe):
        raise MetricInputError(f"{where}, field {fault}.")
    head = {
        "task_id": value.get("task_id") or f"{UNNAMED}{row:06}",
        "probe": probe,
        "domain": value.get("domain", DEFAULT_DOMAIN),
        "split": value.get("split") or "test_id",
        **{name: value.get(name) or "" for name in ("subtype", "difficulty", "bank_version")},
        **{name: value.get(name) for name in ("source_group", "anchor")},
    }
    parts = {part: _columns(value[part], part, probe, head["domain"], where) for part in ("spec", "gold")}
    try:
        task = row_to_task({**head, **parts})
    except BankError as error:
        raise MetricInputError(f"{where}: {error}") from None
    for fault in chain(faults_of(task), _value_faults(task)):
        raise MetricInputError(f"{where}, field {fault}.")
    return task


def _shape_faults(value: Mapping[str, Any], probe: Probe) -> Iterator[str]:
    """What keeps the columns of a row from being read."""
    if value.get("probe", probe) != probe:
        yield f"probe is {str(value['probe'])[:20]!r}, expected a row of {probe}, which this metric scores"
    if str(value.get("domain", DEFAULT_DOMAIN)) not in DOMAINS:
        yield f"domain is {str(value['domain'])[:20]!r}, expected one of {', '.join(DOMAINS)}"
    for part in ("spec", "gold"):
        if not isinstance(value.get(part), Mapping):
            yield f"{part} is {type(value.get(part)).__name__}, expected a mapping as in the dataset"
    for name in PROBE_TABLE[probe].gold_fields:
        if name not in value["gold"]:
            yield f"gold.{name} is missing; pass the row as the dataset has it"
    anchor = value.get("anchor")
    if anchor is not None and not (isinstance(anchor, Mapping) and isinstance(anchor.get("key"), str)):
        yield f"anchor is {str(anchor)[:40]!r}, expected a mapping with a key"


def _columns(given: Mapping[str, Any], part: str, probe: Probe, domain: str, where: str) -> dict[str, Any]:
    """`spec` or `gold` as the dataset holds it; numpy values become plain ones, absent parts of a struct null.

    Raises MetricInputError for the first part that does not fit its column.
    """
    import pyarrow as pa

    from vehbench_hf.bank.schema import arrow_schema

    fields: dict[str, Any] = {}
    for column in arrow_schema(probe, domain).field(part).type:
        if part == "spec" and column.name not in given:
            raise MetricInputError(f"{where}, field spec.{column.name} is missing; pass the row as the dataset has it.")
        try:
            fields[column.name] = pa.array([given.get(column.name)], type=column.type).to_pylist()[0]
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            shown = f"{str(given[column.name])[:80]!r}, expected {column.type} ({error})"
            raise MetricInputError(f"{where}, field {part}.{column.name} is {shown}.") from None
    return fields


def _value_faults(task: Task) -> Iterator[str]:
    """Values that fit their columns but that no task of its probe has."""
    spec, gold = task.spec, task.gold
    if task.split not in ALL_SPLITS:
        yield f"split is {task.split!r}, expected one of {', '.join(ALL_SPLITS)}"
    if task.probe == "p1" and gold["action"] not in ACTIONS["p1"]:
        yield f"gold.action is {gold['action']!r}, expected one of {', '.join(ACTIONS['p1'])}"
    if task.probe == "p3" and not spec["history"]:
        yield "spec.history is empty, expected at least one earlier step"
    if task.probe in ("p2", "p3"):
        if spec["query_budget"] < 1:
            yield f"spec.query_budget is {spec['query_budget']}, expected at least 1"
        for name, bound in spec["variable_bounds"].items():
            if bound is None:
                yield f"spec.variable_bounds.{name} is null, expected min and max"
    if task.probe == "p2" and gold["reference"] is not None:
        value, column = task.reference_values()[0], task.problem.objective.column
        if value is None or value < SMALLEST_REFERENCE:
            yield f"gold.reference.{column} is {value}, expected a value above {SMALLEST_REFERENCE:g}"
    if task.probe == "p4":
        ids = [candidate["id"] for candidate in spec["candidates"]]
        if len(set(ids)) < 2 or sorted(gold["ranking"]) != sorted(ids):
            yield f"gold.ranking is {str(gold['ranking'])[:80]}, expected an order of two or more candidates: {ids}"
        for name, pairs in (
            ("dominated", gold["dominated_pairs"]),
            ("policy_sensitive", gold["policy_sensitive_pairs"]),
        ):
            for pair in pairs:
                if not {pair["better"], pair["worse"]} <= set(ids):
                    yield f"gold.{name}_pairs holds {pair}, expected pairs of the candidates {', '.join(ids)}"
