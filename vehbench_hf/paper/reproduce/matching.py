"""Which printed row a model directory belongs to. Names of directories say nothing; the numbers do."""

from collections.abc import Mapping
from dataclasses import dataclass

from vehbench_hf.paper.reproduce.cells import Computed, RunCells, Tables
from vehbench_hf.paper.reproduce.published import PrintedTable

LEAST_SHARE = 0.5
LEAST_EQUAL = 5
"""A directory is a printed row when at least half of their common cells, and at least five, are equal."""


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


def prints_equal(printed: float, computed: Computed, table: PrintedTable, row: str, column: str) -> bool:
    """Whether a computed cell is printed as the paper prints it. Undefined is never equal."""
    how = table.how(row, column)
    return computed.value is not None and how.text(how.in_print(computed.value)) == how.text(printed)


def within_spread(printed: float, computed: Computed, table: PrintedTable, row: str, column: str) -> bool:
    """Whether some value within the spread of a computed cell rounds to the printed one."""
    if computed.value is None or computed.spread <= 0:
        return False
    how = table.how(row, column)
    away = abs(how.in_print(computed.value) - printed)
    return away <= how.in_print(computed.spread) + 0.5 * 10.0**-how.decimals + 1e-12


def match_rows(computed: Mapping[str, RunCells], tables: Tables) -> tuple[dict[str, Fit], list[Fit]]:
    """Directories by printed row, one to one, best fits first; and every fit, for those that want to know.

    Cells of tables that are not given do not count. Of equal fits the directory and row that come first win.
    """
    names = list(dict.fromkeys(row for table in tables.values() for row in table.rows))
    fits = [_fit(label, cells, row, tables) for label, cells in computed.items() for row in names]
    matched: dict[str, Fit] = {}
    taken: set[str] = set()
    for fit in sorted(fits, key=lambda fit: (-fit.share, -fit.equal)):
        if fit.good and fit.row not in matched and fit.label not in taken:
            matched[fit.row] = fit
            taken.add(fit.label)
    return matched, fits


def _fit(label: str, cells: RunCells, row: str, tables: Tables) -> Fit:
    verdicts = [
        prints_equal(tables[name.table].rows[row][name.column], cell, tables[name.table], row, name.column)
        for name, cell in cells.items()
        if name.table in tables and cell.absent is None and name.column in tables[name.table].rows.get(row, {})
    ]
    return Fit(label, row, sum(verdicts), len(verdicts))
