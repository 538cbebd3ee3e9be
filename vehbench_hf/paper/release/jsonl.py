"""JSON lines: strict for task files, which have a checksum, and forgiving for run logs, which have none."""

import json
import math
from pathlib import Path
from typing import Any

from vehbench_hf.errors import ReleaseError, UserError
from vehbench_hf.safe_files import read_plain

Row = dict[str, Any]
MAX_LOG_BYTES = 500_000_000
"""Of a file of rows; those of the release have a hundredth of that."""


def read_rows(file: Path) -> list[Row]:
    """All objects of a file. Raises ReleaseError for a file or line that cannot be read."""
    rows, broken = read_rows_leniently(file)
    if broken:
        raise ReleaseError(f"{file}: {broken[0]}; expected one JSON object a line. Fetch the file again.")
    return rows


def read_rows_leniently(file: Path) -> tuple[list[Row], list[str]]:
    """The objects of a file and, in words, the lines that are not one.

    Raises ReleaseError for an unreadable file.
    """
    try:
        lines = read_plain(file, MAX_LOG_BYTES).split(b"\n")
    except UserError as error:
        raise ReleaseError(str(error)) from None
    except OSError as error:
        raise ReleaseError(f"{file} cannot be read: {error.strerror}.") from None
    rows: list[Row] = []
    broken = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict) and isinstance(row.get("task_id"), str):
            rows.append(row)
        else:
            broken.append(f"line {number} is not a JSON object with a task_id")
    return rows, broken


def number(value: object) -> float:
    """`value` as a finite float. Raises ValueError for anything else, a flag included."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a finite number, got {str(value)[:40]!r}")
    return float(value)


def number_or_none(value: object) -> float | None:
    """`value` as a finite float, null as None. Raises ValueError for anything else."""
    return None if value is None else number(value)


def flag(value: object) -> bool:
    """`value` as a flag. Raises ValueError for anything else."""
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {str(value)[:40]!r}")
    return value


def texts(value: object) -> tuple[str, ...]:
    """`value` as texts. Raises ValueError for anything but a list of strings."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"expected a list of strings, got {str(value)[:40]!r}")
    return tuple(value)
