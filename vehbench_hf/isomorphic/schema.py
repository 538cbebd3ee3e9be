"""The Arrow schema of the config `isomorphic`, and the two ways between an `IsomorphicTask` and a row."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from vehbench_hf.bank.schema import CANARY, arrow_schema, row_checksum
from vehbench_hf.isomorphic.types import IsomorphicTask


def isomorphic_schema() -> pa.Schema:
    """The columns of the config, with the canary string in the file's metadata. Types as in the configs of tasks."""
    task, text, number = arrow_schema("p4"), pa.string(), pa.float64()
    spec, design = task.field("spec").type, task.field("spec").type.field("initial_design").type
    verdict = [("id", text), ("feasible", pa.bool_()), ("total_violation", number), ("violations", pa.list_(text))]
    shown = ("variable_bounds", "constraints", "excitation", "materials", "notes", "initial_design")
    in_spec = [
        pa.field("question", text),
        *(spec.field(name) for name in shown),
        pa.field("candidates", pa.list_(pa.struct([("id", text), ("design", design)]))),
        pa.field("fixed", design),
    ]
    in_gold = [
        pa.field("answer", text),
        pa.field("witness", design),
        pa.field("verdicts", pa.list_(pa.struct(verdict))),
        pa.field("open_variables", pa.list_(text)),
        pa.field("feasible_share", number),
        pa.field("source_task_id", text),
        pa.field("pool_id", text),
    ]
    columns = [
        *(pa.field(name, text) for name in ("task_id", "form", "domain", "split", "difficulty", "source_group")),
        pa.field("group", pa.int64()),
        *(task.field(name) for name in ("anchor", "bank_version")),
        pa.field("spec", pa.struct(in_spec)),
        pa.field("gold", pa.struct(in_gold)),
        pa.field("checksum", text),
    ]
    return pa.schema(columns, metadata={"canary": CANARY})


def isomorphic_to_row(task: IsomorphicTask) -> dict[str, Any]:
    """The row of a task with its checksum, in the order of the schema."""
    row = {name: getattr(task, name) for name in isomorphic_schema().names if name != "checksum"}
    return {**row, "checksum": row_checksum(row)}


def row_to_isomorphic(row: Mapping[str, Any]) -> IsomorphicTask:
    """The task of a row, from a Parquet file or from a `datasets` row of the same schema."""
    return IsomorphicTask(**{name: value for name, value in row.items() if name != "checksum"})
