"""Released logs that are another run than the one behind a printed table, told by the authors' own aggregates."""

from math import isclose

from vehbench_hf.paper.reproduce.aggregates import appendix_parts, profile_parts, profile_rows
from vehbench_hf.paper.reproduce.analysis import Analysis
from vehbench_hf.paper.reproduce.computed import OtherRun, ScoredRun
from vehbench_hf.paper.reproduce.sources import Source
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.types import PROBES, Probe

BROKEN_SHARE = 0.1
"""A log is another run when its share of invalid outputs is off by more than this."""


def other_runs(run: ScoredRun, analysis: Analysis, key: str | None) -> dict[Probe, OtherRun]:
    """Probes of a run whose log did not give the tables, by the aggregates under `key`.

    Two things tell: far more cut-off replies than in the aggregates (then no table comes from the log), or a partial
    log that is one of two runs the aggregates know (then only the tables that count every line come from it). A log
    that merely lacks or changes rows is no other run.
    """
    if key is None:
        return {}
    found = {}
    for probe in PROBES:
        reason = _cut_off(run, analysis, key, probe)
        if reason is not None:
            found[probe] = OtherRun(reason, every_line_too=True)
        elif (reason := _partial(run, analysis, key, probe)) is not None:
            found[probe] = OtherRun(reason, every_line_too=False)
    return found


def _cut_off(run: ScoredRun, analysis: Analysis, key: str, probe: Probe) -> str | None:
    rows = run.rows(Source(probe, ""))
    theirs = profile_parts(analysis, key).get(probe, {}).get("invalid")
    if theirs is None or isinstance(rows, str):
        return None
    invalid = sum(row.record.outcome != "ok" for row in rows)
    if abs(invalid / len(rows) - theirs) <= BROKEN_SHARE:
        return None
    return (
        f"the released log is another run: {invalid} of {len(rows)} {probe} rows end in invalid output, "
        f"{theirs:.1%} in the authors' aggregates"
    )


def _partial(run: ScoredRun, analysis: Analysis, key: str, probe: Probe) -> str | None:
    every_line, rows = Source(probe, "", every_line=True), profile_rows(analysis, key, probe)
    lines, part = run.rows(every_line), PROBE_TABLE[probe].headline_part
    appendix = appendix_parts(analysis, key).get(probe, {}).get(part)
    if rows is None or appendix is None or isinstance(lines, str):
        return None
    if len({row.task.task_id for row in lines}) >= rows:
        return None
    ours = run.cell(every_line._replace(part=part)).value
    if ours is None or not isclose(ours, appendix, abs_tol=1e-6):
        return None
    return (
        f"the released log holds {len(lines)} {probe} rows of another run; the aggregates behind this table count "
        f"{rows} rows, and their run is not released"
    )
