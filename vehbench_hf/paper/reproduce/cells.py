"""Cells of the tables, printed and computed, when they are equal, and which directory is which printed row."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vehbench_hf.errors import UserError
from vehbench_hf.paths import shipped

SourceKind = Literal["row_logs", "aggregates", "printed_inputs"]
SOURCE_KINDS: tuple[SourceKind, ...] = ("row_logs", "aggregates", "printed_inputs")
"""From the strongest evidence to the weakest.

- `row_logs`: computed here from the released rows: logs of the models, and the task bank.
- `aggregates`: the authors' own summary of rows that are not released, transcribed, or put together from several such
  numbers. Nothing shows that the rows give them.
- `printed_inputs`: computed from other printed tables. This checks the arithmetic of the paper and says nothing about
  logs.
"""

PUBLISHED_SCHEMA = "vehbench_published_tables_v1"
PERCENT_UNITS = ("%", "points")
LEAST_SHARE = 0.5
LEAST_EQUAL = 5
"""A directory is a printed row when at least half of their common cells, and at least five, are equal."""


class CellName(NamedTuple):
    """A place in the tables, apart from the row: table number and column."""

    table: str
    column: str


class Cell(NamedTuple):
    """A printed cell: table number, row and column."""

    table: str
    row: str
    column: str


class Computed(NamedTuple):
    """A computed cell. `absent` says why its source does not give it; `value` is then None.

    A value of None without `absent` is a metric that the rows leave undefined. `spread` is how far off the value may be
    for reasons outside the rows: rounding of printed inputs, resampling noise. It is 0 for everything else.
    """

    value: float | None
    absent: str | None = None
    spread: float = 0.0


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

    def prints_equal(self, row: str, column: str, computed: Computed) -> bool:
        """Whether a computed cell is printed as the paper prints it. Undefined or unprinted is never equal."""
        printed = self.rows.get(row, {}).get(column)
        if printed is None or computed.value is None:
            return False
        how = self.how(row, column)
        return how.text(how.in_print(computed.value)) == how.text(printed)

    def within_spread(self, row: str, column: str, computed: Computed) -> bool:
        """Whether some value within the spread of a computed cell rounds to the printed one."""
        if computed.value is None or computed.spread <= 0:
            return False
        how = self.how(row, column)
        distance = abs(how.in_print(computed.value) - self.rows[row][column])
        return distance <= how.in_print(computed.spread) + 0.5 * 10.0**-how.decimals + 1e-12


Cells = Mapping[Cell, Computed]
RunCells = Mapping[CellName, Computed]
Tables = Mapping[str, PrintedTable]


def in_row(row: str, cells: RunCells) -> dict[Cell, Computed]:
    """The cells of one run as the cells of a printed row."""
    return {Cell(name.table, row, name.column): cell for name, cell in cells.items()}


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


@dataclass(frozen=True)
class Fit:
    """How well a directory fits a printed row: cells equal at printed precision, of the cells in common."""

    label: str
    row: str
    equal: int
    compared: int

    @property
    def share(self) -> float:
        """Share of equal cells; 0 without a cell in common."""
        return self.equal / self.compared if self.compared else 0.0

    @property
    def good(self) -> bool:
        """Whether this is enough to call the directory by the name of the row."""
        return self.equal >= LEAST_EQUAL and self.share >= LEAST_SHARE


def match_rows(computed: Mapping[str, RunCells], tables: Tables) -> tuple[dict[str, Fit], list[Fit]]:
    """Directories by printed row, one to one, best fits first; and every fit, for those that want to know.

    Names of directories say nothing; the numbers do. Cells of tables that are not given do not count. Of equal fits
    the directory and row that come first win.
    """
    rows = list(dict.fromkeys(row for table in tables.values() for row in table.rows))
    fits = [_fit(label, cells, row, tables) for label, cells in computed.items() for row in rows]
    matched: dict[str, Fit] = {}
    for fit in sorted(fits, key=lambda fit: (-fit.share, -fit.equal)):
        if fit.good and fit.row not in matched and fit.label not in {other.label for other in matched.values()}:
            matched[fit.row] = fit
    return matched, fits


def _fit(label: str, cells: RunCells, row: str, tables: Tables) -> Fit:
    verdicts = [
        tables[name.table].prints_equal(row, name.column, cell)
        for name, cell in cells.items()
        if name.table in tables and cell.absent is None and name.column in tables[name.table].rows.get(row, {})
    ]
    return Fit(label, row, sum(verdicts), len(verdicts))
