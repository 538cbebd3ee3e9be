"""What a reproduction found, table by table, as data and as the JSON of the command line."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from vehbench_hf.reproduce.matching import Fit

NO_DIRECTORY = "no directory of the folder is this model"


class Difference(NamedTuple):
    """A cell with another value than printed, both in the printed unit; `computed` None means undefined."""

    row: str
    column: str
    printed: float
    computed: float | None


class NotInLogs(NamedTuple):
    """A printed cell that the logs at hand do not give, and why."""

    row: str
    column: str
    reason: str


@dataclass(frozen=True)
class TableResult:
    """The cells of one table. `compared` counts equal and different ones."""

    title: str
    compared: int
    different: tuple[Difference, ...]
    not_in_logs: tuple[NotInLogs, ...]

    @property
    def equal(self) -> int:
        """Cells that print as in the paper."""
        return self.compared - len(self.different)

    def as_json(self) -> dict[str, Any]:
        """Counts, all differences, and how many cells the logs do not give."""
        row_logs = {"compared": self.compared, "equal": self.equal}
        return {
            **row_logs,
            "by_source": {
                "row_logs": row_logs,
                "aggregates": {"compared": 0, "equal": 0},
                "printed_inputs": {"compared": 0, "equal": 0},
            },
            "different": [difference._asdict() for difference in self.different],
            "not_in_logs": len(self.not_in_logs),
        }


@dataclass(frozen=True)
class Reproduction:
    """Every table, which directory gave which row, and what is odd about the logs.

    `matched` maps printed rows to directories; `unmatched` holds the best fit of every other directory;
    `coverage` maps directories to sentences about their logs.
    """

    tables: dict[str, TableResult]
    matched: dict[str, Fit]
    unmatched: dict[str, Fit]
    coverage: dict[str, tuple[str, ...]]

    @property
    def equal(self) -> bool:
        """Whether every compared cell prints as in the paper."""
        return not any(table.different for table in self.tables.values())

    def as_text(self) -> str:
        """The same in words, see `render`."""
        from vehbench_hf.reproduce.render import render

        return render(self)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON in a fixed order."""
        return {
            "tables": {number: table.as_json() for number, table in self.tables.items()},
            "models": {row: _fit(fit) for row, fit in self.matched.items()},
            "unmatched": {label: {**_fit(fit), "closest": fit.row} for label, fit in self.unmatched.items()},
            "coverage": {label: list(notes) for label, notes in self.coverage.items()},
        }


def _fit(fit: Fit) -> dict[str, Any]:
    return {"directory": fit.label, "equal": fit.equal, "compared": fit.compared}
