"""The Arrow schema of the config `isomorphic`, and the two ways between an `IsomorphicTask` and a row."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from vehbench_hf.bank.row_types import fields_of
from vehbench_hf.bank.schema import arrow_type, row_checksum, schema_of_columns
from vehbench_hf.domains import DEFAULT_DOMAIN
from vehbench_hf.isomorphic.types import IsomorphicTask

_HEAD = ("task_id", "form", "domain", "split", "difficulty", "source_group", "group", "anchor", "bank_version")


def isomorphic_schema(domain: str = DEFAULT_DOMAIN) -> pa.Schema:
    """The columns of the config, with the canary string in the file's metadata. Types as in the configs of tasks."""
    fields = fields_of(IsomorphicTask, domain)
    columns = [(name, arrow_type(fields[name], domain)) for name in (*_HEAD, "spec", "gold")]
    return schema_of_columns([*columns, ("checksum", pa.string())])


def isomorphic_to_row(task: IsomorphicTask) -> dict[str, Any]:
    """The row of a task with its checksum, in the order of the schema."""
    row = {name: getattr(task, name) for name in (*_HEAD, "spec", "gold")}
    return {**row, "checksum": row_checksum(row)}


def row_to_isomorphic(row: Mapping[str, Any]) -> IsomorphicTask:
    """The task of a row, from a Parquet file or from a `datasets` row of the same schema."""
    return IsomorphicTask(**{name: value for name, value in row.items() if name != "checksum"})
