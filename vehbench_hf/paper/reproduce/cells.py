"""Cells of the tables, and where a computed value comes from."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from vehbench_hf.paper.reproduce.published import PrintedTable

SourceKind = Literal["row_logs", "aggregates", "printed_inputs"]
SOURCE_KINDS: tuple[SourceKind, ...] = ("row_logs", "aggregates", "printed_inputs")
"""From the strongest evidence to the weakest.

- `row_logs`: computed here from the released rows: logs of the models, and the task bank.
- `aggregates`: the authors' own summary of rows that are not released, transcribed, or put together from several such
  numbers. Nothing shows that the rows give them.
- `printed_inputs`: computed from other printed tables. This checks the arithmetic of the paper and says nothing about
  logs.
"""


class CellName(NamedTuple):
    """A place in the tables, apart from the row: table number and column."""

    table: str
    column: str


class Computed(NamedTuple):
    """A computed cell. `absent` says why its source does not give it; `value` is then None.

    A value of None without `absent` is a metric that the rows leave undefined. `spread` is how far off the value may be
    for reasons outside the rows: rounding of printed inputs, resampling noise. It is 0 for everything else.
    """

    value: float | None
    absent: str | None = None
    spread: float = 0.0


class Cell(NamedTuple):
    """A printed cell: table number, row and column."""

    table: str
    row: str
    column: str


Cells = Mapping[Cell, Computed]
RunCells = Mapping[CellName, Computed]
Tables = Mapping[str, PrintedTable]


def in_row(row: str, cells: RunCells) -> dict[Cell, Computed]:
    """The cells of one run as the cells of a printed row."""
    return {Cell(name.table, row, name.column): cell for name, cell in cells.items()}
