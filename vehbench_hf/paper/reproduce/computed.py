"""The printed cells of one run, computed from its logs, or the reason why the logs do not give them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vehbench_hf.analysis.profiles import AXES, indicators, profiles
from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.reproduce.cells import CellName, Computed
from vehbench_hf.paper.reproduce.sources import SOURCES, Source
from vehbench_hf.scoring import MetricValue, Row, score_parts
from vehbench_hf.types import PROBES, Probe, Record, Task

Parts = dict[str, MetricValue]


class OtherRun(NamedTuple):
    """Why a released log is another run than the one behind the tables; `every_line_too` for all tables."""

    reason: str
    every_line_too: bool


class ScoredRun:
    """A run with the parts of its probes in the convention `released`, each set of rows scored once.

    `unusable` are probes whose log is not the run behind the tables.
    """

    def __init__(
        self, run: ReleasedRun, tasks: Sequence[Task], unusable: Mapping[Probe, OtherRun] | None = None
    ) -> None:
        self.run = run
        self._tasks = tasks
        self._unusable = unusable or {}
        self._known: dict[Source, Parts | str] = {}

    def rows(self, source: Source) -> list[Row] | str:
        """The rows of a source, or in words what is missing."""
        other = self._unusable.get(source.probe)
        if other is not None and (other.every_line_too or not source.every_line):
            return other.reason
        wanted = {t.task_id: t for t in self._tasks if t.probe == source.probe and t.split in source.splits}
        records = _records(self.run, source)
        absent = wanted.keys() - {record.task_id for record in records}
        if not records or (absent and not source.every_line):
            where = source.splits[0] if len(source.splits) == 1 else "all splits"
            return f"the log holds {len(wanted) - len(absent)} of {len(wanted)} {source.probe} tasks of {where}"
        return [Row(wanted[record.task_id], record) for record in records]

    def parts(self, source: Source) -> Parts | str:
        """All parts over the rows of a source, or in words what is missing."""
        key = source._replace(part="")
        if key not in self._known:
            rows = self.rows(source)
            self._known[key] = rows if isinstance(rows, str) else score_parts(source.probe, rows, "released")
        return self._known[key]

    def cell(self, source: Source) -> Computed:
        """One part over the rows of a source."""
        parts = self.parts(source)
        return Computed(None, parts) if isinstance(parts, str) else Computed(parts[source.part].value)


def compute_cells(run: ReleasedRun | ScoredRun, tasks: Sequence[Task]) -> dict[CellName, Computed]:
    """Every cell of `SOURCES` for one run, and its profile (Tables 4 and 29), in the convention `released`."""
    scored = run if isinstance(run, ScoredRun) else ScoredRun(run, tasks)
    cells = {
        CellName(table, column): scored.cell(source)
        for table, columns in SOURCES.items()
        for column, source in columns.items()
    }
    return cells | axis_cells(scored)


def axis_cells(scored: ScoredRun, gains: Mapping[str, float] | None = None) -> dict[CellName, Computed]:
    """The profile of a run: Table 29 by axis, and the state-reset score again in Table 4.

    `gains` are the effects of the state-summary intervention, whose rows are not released.
    """
    values: dict[Probe, dict[str, float | None]] = {}
    missing: dict[Probe, str] = {}
    for probe in PROBES:
        parts = scored.parts(Source(probe, ""))
        if isinstance(parts, str):
            missing[probe] = parts
        else:
            values[probe] = {name: part.value for name, part in parts.items()}
    profile = profiles({"": indicators(values, gains=gains)}, "released")[""]
    cells = {}
    for axis, names in AXES.items():
        why = next((missing[probe] for probe in PROBES if probe in missing and _uses(names, probe)), None)
        cells[CellName("29", axis)] = Computed(None, why) if why else Computed(profile[axis].value)
    return cells | {CellName("4", "state_reset"): cells[CellName("29", "state")]}


def _uses(names: Sequence[str], probe: Probe) -> bool:
    return any(name.startswith(f"{probe}.") for name in names)


def _records(run: ReleasedRun, source: Source) -> list[Record]:
    if source.every_line:
        return [record for split in source.splits for record in run.lines.get((source.probe, split), ())]
    merged = [run.merged(source.probe, split) for split in source.splits]
    return [record for by_id in merged for _, record in sorted(by_id.items())]
