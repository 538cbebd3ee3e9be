"""The printed tables of the paper: cells as printed, with the precision of each column."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.paths import shipped

PUBLISHED_SCHEMA = "vehbench_published_tables_v1"
PERCENT_UNITS = ("%", "points")


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
    """One printed table: its columns, and by row name the printed numbers by column.

    `by_row` holds the rows that are printed otherwise than their columns; `labels` the texts of a row, for instance
    which model a row chose.
    """

    title: str
    columns: dict[str, Column]
    rows: dict[str, dict[str, float]]
    by_row: dict[str, Column] = field(default_factory=dict)
    labels: dict[str, dict[str, Any]] = field(default_factory=dict)

    def how(self, row: str, column: str) -> Column:
        """How one cell is printed."""
        return self.by_row.get(row) or self.columns[column]


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
    columns = {c["name"]: _column(c) for c in table["columns"]}
    named = {str(row[table["key"]]): row for row in table["rows"]}
    return PrintedTable(
        str(table["title"]),
        columns,
        {key: {name: float(row[name]) for name in columns if row.get(name) is not None} for key, row in named.items()},
        {key: _column(row) for key, row in named.items() if "decimals" in row},
        {key: {name: value for name, value in row.items() if name not in columns} for key, row in named.items()},
    )


def _column(entry: Mapping[str, Any]) -> Column:
    return Column(entry["unit"] in PERCENT_UNITS, int(entry["decimals"]))
