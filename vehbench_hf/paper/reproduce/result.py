"""The result of a reproduction, table by table, as data, as the JSON of the command line and in words."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from vehbench_hf.paper.reproduce.cells import SOURCE_KINDS, Fit, SourceKind
from vehbench_hf.paper.reproduce.intervals import NearTie

NO_DIRECTORY = "no directory of the folder is this model"

Verdict = Literal["equal", "within", "different", "absent"]
"""A cell prints as in the paper; only some value within its spread does; none does; no source gives it."""


class ComparedCell(NamedTuple):
    """A printed cell and the strongest source that gives it, in the printed unit; `computed` None means undefined.

    `reason` says why the row logs do not give it, and is None where they do.
    """

    row: str
    column: str
    printed: float
    computed: float | None
    spread: float
    source: SourceKind | None
    verdict: Verdict
    reason: str | None


class Count(NamedTuple):
    """Cells that were compared, and those of them that print as in the paper or lie within their spread."""

    compared: int = 0
    equal: int = 0


@dataclass(frozen=True)
class TableResult:
    """The cells of one table. Each cell is compared once, with the strongest source that gives it."""

    title: str
    cells: tuple[ComparedCell, ...]

    @property
    def by_source(self) -> dict[SourceKind, Count]:
        """The counts of each source, from the strongest to the weakest."""
        verdicts = {kind: [c.verdict for c in self.cells if c.source == kind] for kind in SOURCE_KINDS}
        return {kind: Count(len(mine), len(mine) - mine.count("different")) for kind, mine in verdicts.items()}

    @property
    def different(self) -> list[ComparedCell]:
        """Cells with another value than printed."""
        return [cell for cell in self.cells if cell.verdict == "different"]

    @property
    def within(self) -> list[ComparedCell]:
        """Cells that count as equal only because their inputs are rounded or resampled."""
        return [cell for cell in self.cells if cell.verdict == "within"]

    @property
    def not_in_logs(self) -> list[ComparedCell]:
        """Cells that the logs at hand do not give."""
        return [cell for cell in self.cells if cell.reason is not None]

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
            "by_source": {kind: count._asdict() for kind, count in self.by_source.items()},
            "different": [_picked(cell, "row", "column", "printed", "computed") for cell in self.different],
            "equal_within_spread": [
                _picked(cell, "row", "column", "printed", "computed", "spread", "source") for cell in self.within
            ],
            "not_in_logs": len(self.not_in_logs),
        }


@dataclass(frozen=True)
class Reproduction:
    """Every table, which directory gave which row, what is odd about the logs, and the differences of Table 13.

    `matched` maps printed rows to directories; `unmatched` holds the best fit of every other directory;
    `coverage` maps directories to sentences about their logs; `absent` names the authors' summaries that are not there.
    """

    tables: dict[str, TableResult]
    matched: dict[str, Fit]
    unmatched: dict[str, Fit]
    coverage: dict[str, tuple[str, ...]]
    near_ties: tuple[NearTie, ...] = ()
    absent: tuple[str, ...] = ()

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
            "absent": list(self.absent),
        }


def _picked(cell: ComparedCell, *names: str) -> dict[str, Any]:
    return {name: getattr(cell, name) for name in names}


def _fit(fit: Fit) -> dict[str, Any]:
    return {"directory": fit.label, "equal": fit.equal, "compared": fit.compared}
