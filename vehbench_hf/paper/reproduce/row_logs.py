"""The printed cells of one run, computed from its logs, or the reason why the logs do not give them."""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import NamedTuple

from vehbench_hf.analysis.profiles import AXES, indicators, profiles
from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.reproduce.aggregates import appendix_parts, profile_parts, profile_rows
from vehbench_hf.paper.reproduce.cells import CellName, Computed
from vehbench_hf.paper.reproduce.inputs import Analysis
from vehbench_hf.paper.reproduce.sources import SOURCES, Source
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.scoring import MetricValue, Row, score_parts
from vehbench_hf.types import PROBES, Probe, Record, Task

BROKEN_SHARE = 0.1
"""A log is another run when its share of invalid outputs is off by more than this."""

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


def compute_cells(run: ScoredRun) -> dict[CellName, Computed]:
    """Every cell of `SOURCES` for one run, and its profile (Tables 4 and 29), in the convention `released`."""
    cells = {
        CellName(table, column): run.cell(source)
        for table, columns in SOURCES.items()
        for column, source in columns.items()
    }
    return cells | axis_cells(run)


def axis_cells(run: ScoredRun, gains: Mapping[str, float] | None = None) -> dict[CellName, Computed]:
    """The profile of a run: Table 29 by axis, and the state-reset score again in Table 4.

    `gains` are the effects of the state-summary intervention, whose rows are not released.
    """
    values: dict[Probe, dict[str, float | None]] = {}
    missing: dict[Probe, str] = {}
    for probe in PROBES:
        parts = run.parts(Source(probe, ""))
        if isinstance(parts, str):
            missing[probe] = parts
        else:
            values[probe] = {name: part.value for name, part in parts.items()}
    profile = profiles({"": indicators(values, gains=gains)}, "released")[""]
    cells = {}
    for axis, names in AXES.items():
        why = next((missing[probe] for probe in missing if any(n.startswith(f"{probe}.") for n in names)), None)
        cells[CellName("29", axis)] = Computed(None, why) if why else Computed(profile[axis].value)
    return cells | {CellName("4", "state_reset"): cells[CellName("29", "state")]}


def other_runs(run: ScoredRun, analysis: Analysis, key: str | None) -> dict[Probe, OtherRun]:
    """Probes of a run whose log did not give the tables, by the aggregates under `key`.

    Two things tell: far more cut-off replies than in the aggregates (then no table comes from the log), or a partial
    log that is one of two runs the aggregates know (then only the tables that count every line come from it). A log
    that merely lacks or changes rows is no other run.
    """
    others: dict[Probe, OtherRun] = {}
    for probe in PROBES if key is not None else ():
        other = _cut_off(run, analysis, key or "", probe) or _partial(run, analysis, key or "", probe)
        if other is not None:
            others[probe] = other
    return others


def _cut_off(run: ScoredRun, analysis: Analysis, key: str, probe: Probe) -> OtherRun | None:
    rows = run.rows(Source(probe, ""))
    theirs = profile_parts(analysis, key).get(probe, {}).get("invalid")
    if theirs is None or isinstance(rows, str):
        return None
    invalid = sum(row.record.outcome != "ok" for row in rows)
    if abs(invalid / len(rows) - theirs) <= BROKEN_SHARE:
        return None
    reason = (
        f"the released log is another run: {invalid} of {len(rows)} {probe} rows end in invalid output, "
        f"{theirs:.1%} in the authors' aggregates"
    )
    return OtherRun(reason, every_line_too=True)


def _partial(run: ScoredRun, analysis: Analysis, key: str, probe: Probe) -> OtherRun | None:
    every_line = Source(probe, PROBE_TABLE[probe].headline_part, every_line=True)
    lines, rows = run.rows(every_line), profile_rows(analysis, key, probe)
    theirs = appendix_parts(analysis, key).get(probe, {}).get(every_line.part)
    if rows is None or theirs is None or isinstance(lines, str):
        return None
    if len({row.task.task_id for row in lines}) >= rows:
        return None
    ours = run.cell(every_line).value
    if ours is None or not isclose(ours, theirs, abs_tol=1e-6):
        return None
    reason = (
        f"the released log holds {len(lines)} {probe} rows of another run; the aggregates behind this table count "
        f"{rows} rows, and their run is not released"
    )
    return OtherRun(reason, every_line_too=False)


def _records(run: ReleasedRun, source: Source) -> list[Record]:
    if source.every_line:
        return [record for split in source.splits for record in run.lines.get((source.probe, split), ())]
    merged = [run.merged(source.probe, split) for split in source.splits]
    return [record for by_id in merged for _, record in sorted(by_id.items())]
