"""The result of a reproduction, table by table, as data, as the JSON of the command line and in words."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from vehbench_hf.paper.reproduce.cells import SOURCE_KINDS, Fit, SourceKind
from vehbench_hf.paper.reproduce.intervals import NearTie

DIFFERENT = ("row", "column", "printed", "computed")
"""Keys of a difference in JSON."""
NO_DIRECTORY = "no directory of the folder is this model"


class Difference(NamedTuple):
    """A cell with another value than printed, both in the printed unit; `computed` None means undefined."""

    row: str
    column: str
    printed: float
    computed: float | None
    source: SourceKind


class NotInLogs(NamedTuple):
    """A printed cell that the logs at hand do not give, why, and what gives it instead (None: nothing does)."""

    row: str
    column: str
    reason: str
    instead: SourceKind | None = None


class Within(NamedTuple):
    """A cell that prints otherwise, but lies within what its inputs leave open; in the printed unit."""

    row: str
    column: str
    printed: float
    computed: float
    spread: float
    source: SourceKind


class Count(NamedTuple):
    """Cells that were compared, and those of them that print as in the paper or lie within their spread."""

    compared: int = 0
    equal: int = 0


@dataclass(frozen=True)
class TableResult:
    """The cells of one table. Each cell is compared once, with the strongest source that gives it.

    `within` lists those that count as equal only because their inputs are rounded or resampled.
    """

    title: str
    by_source: dict[SourceKind, Count]
    different: tuple[Difference, ...]
    not_in_logs: tuple[NotInLogs, ...]
    within: tuple[Within, ...] = ()

    @property
    def leading(self) -> Count:
        """The counts of row logs where they give any cell, else those of the aggregates; never of printed inputs."""
        logs = self.by_source["row_logs"]
        return logs if logs.compared else self.by_source["aggregates"]

    @property
    def compared(self) -> int:
        """Cells compared with the leading source."""
        return self.leading.compared

    @property
    def equal(self) -> int:
        """Those of them that print as in the paper."""
        return self.leading.equal

    def as_json(self) -> dict[str, Any]:
        """Counts, all differences, and how many cells the logs do not give."""
        return {
            **self.leading._asdict(),
            "by_source": {kind: self.by_source[kind]._asdict() for kind in SOURCE_KINDS},
            "different": [dict(zip(DIFFERENT, difference, strict=False)) for difference in self.different],
            "equal_within_spread": [cell._asdict() for cell in self.within],
            "not_in_logs": len(self.not_in_logs),
        }


@dataclass(frozen=True)
class Reproduction:
    """Every table, which directory gave which row, what is odd about the logs, and the differences of Table 13.

    `matched` maps printed rows to directories; `unmatched` holds the best fit of every other directory;
    `coverage` maps directories to sentences about their logs.
    """

    tables: dict[str, TableResult]
    matched: dict[str, Fit]
    unmatched: dict[str, Fit]
    coverage: dict[str, tuple[str, ...]]
    near_ties: tuple[NearTie, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether every compared cell prints as in the paper."""
        return not any(table.different for table in self.tables.values())

    def as_json(self) -> dict[str, Any]:
        """Plain JSON in a fixed order."""
        return {
            "tables": {number: table.as_json() for number, table in self.tables.items()},
            "models": {row: _fit(fit) for row, fit in self.matched.items()},
            "unmatched": {label: {**_fit(fit), "closest": fit.row} for label, fit in self.unmatched.items()},
            "coverage": {label: list(notes) for label, notes in self.coverage.items()},
            "near_ties": [tie._asdict() for tie in self.near_ties],
        }


def _fit(fit: Fit) -> dict[str, Any]:
    return {"directory": fit.label, "equal": fit.equal, "compared": fit.compared}
