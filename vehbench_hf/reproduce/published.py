"""The printed tables of the paper: cells as printed, with the precision of each column."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.paths import shipped

PUBLISHED_SCHEMA = "vehbench_published_tables_v1"


@dataclass(frozen=True)
class Column:
    """How a column is printed: in percent or not, and with how many decimals."""

    percent: bool
    decimals: int

    def in_print(self, value: float) -> float:
        """A computed value in the unit of the column."""
        return 100 * value if self.percent else value

    def text(self, number: float) -> str:
        """A number in the unit of the column as the paper formats it (IEEE: 66.25 becomes 66.2)."""
        return f"{number + 0.0:.{self.decimals}f}"


@dataclass(frozen=True)
class PrintedTable:
    """One printed table: its columns, and by row name the printed numbers by column."""

    title: str
    columns: dict[str, Column]
    rows: dict[str, dict[str, float]]


def read_published(file: Path | None = None) -> dict[str, PrintedTable]:
    """Printed tables by number ("18"); those that ship with the package unless a file is given.

    Raises UserError for a file that is not a collection of printed tables.
    """
    file = file or shipped("cards/published_tables.json")
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
        if body["schema"] != PUBLISHED_SCHEMA:
            raise UserError(f"{file}: expected schema {PUBLISHED_SCHEMA!r}, got {body['schema']!r}.")
        return {name.removeprefix("table_"): _table(table) for name, table in body["tables"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{file} cannot be read as a file of printed tables: {error!r}") from None


def _table(table: Mapping[str, Any]) -> PrintedTable:
    columns = {c["name"]: Column(c["unit"] == "%", int(c["decimals"])) for c in table["columns"]}
    key = table["key"]
    rows = {
        str(row[key]): {name: float(row[name]) for name in columns if row.get(name) is not None}
        for row in table["rows"]
    }
    return PrintedTable(str(table["title"]), columns, rows)
