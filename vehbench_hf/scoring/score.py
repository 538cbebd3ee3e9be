"""From tasks and records to the numbers of a run: headlines with intervals, parts, outcomes, splits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np

from vehbench_hf.domains import DEFAULT_DOMAIN, domain_of
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.differences import comparability, protocol_label
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.runlog.sorted_rows import Row, SortedRows, cluster, readable, sort_rows
from vehbench_hf.scoring import p1, p2, p3, p4
from vehbench_hf.scoring.repeats import repeats
from vehbench_hf.scoring.scores_type import ProbeScores, Rate, Scores, SplitScores, Usage
from vehbench_hf.scoring.values import Array, MetricValue, PerRow
from vehbench_hf.statistics import LEVEL, Estimate, estimate, interval
from vehbench_hf.types import ALL_SPLITS, OUTCOMES, PROBES, Convention, Probe, Record, Split, Task
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION, SCORER_VERSION, __version__

SCORE_SCHEMA = "vehbench-score-1"

METHOD = "linearised over clusters, Student's t, Wilson's form between the ends of the scale"

SCORING_FAILURES = (ArithmeticError, LookupError, TypeError, ValueError)
"""What a scorer may raise over a record that it was not made for."""

Clusters = Literal["anchor papers", "tasks"]
"""What counts as one observation: papers with all their tasks, or single tasks, as in the paper's Table 12."""


class CodedRows(Protocol):
    """What the formulas of a probe need of N rows."""

    @property
    def per_row(self) -> PerRow:
        """What each row by itself is worth: the ratio, the success, tau, and in P1 whether the action is right."""


class Scorer(Protocol):
    """What the module of a probe offers; `rows` are those of its own `read_rows`."""

    def read_rows(self, scored: Sequence[Row], convention: Convention) -> Any:
        """`CodedRows` of the probe's own kind."""

    def headline(self, rows: Any, weights: Array) -> Array:
        """The one formula behind the point value and its error: weights (..., N) to values (...)."""

    def parts(self, rows: Any) -> dict[str, MetricValue]:
        """Every number of the probe, every row counted once."""

    def bounds(self, rows: Any, lost: Sequence[Task], convention: Convention) -> tuple[float, float] | None:
        """Between what the headline lies whatever became of the tasks without a score; None where that is open."""


SCORERS: dict[Probe, Scorer] = {"p1": p1, "p2": p2, "p3": p3, "p4": p4}


def score_run(run: Run, convention: Convention | None = None) -> Scores:
    """The scores of a run over the tasks it was to cover, with what is odd about its log under `problems`.

    `convention` None means that of the run's bank. Equal logs give equal scores, whenever they are scored.
    """
    scores = score(
        run.tasks,
        run.records,
        convention=convention or run.bank.convention,
        bank=run.bank.version,
        headline_splits=run.bank.headline_splits,
        model=run.settings.get("model"),
        epochs=run.epochs,
        prompts=run.prompts,
        protocol=protocol_label(run.settings),
    )
    return {**scores, "problems": [*run.problems, *scores["problems"]]}


def score(
    tasks: Sequence[Task],
    records: Mapping[str, Sequence[Record]],
    *,
    convention: Convention,
    bank: str,
    headline_splits: Sequence[Split] = ALL_SPLITS,
    model: str | None = None,
    epochs: int = 1,
    prompts: str = PROMPTS_VERSION,
    protocol: str = PROTOCOL_VERSION,
    clusters: Clusters = "anchor papers",
) -> Scores:
    """Score the records of a run on the tasks it was to cover.

    `records` maps task ids to one record an epoch; all `epochs` count as further rows of the same task.
    `bank` is a bank version such as "veh-v1". Headline, parts and interval are taken over `headline_splits`,
    `all` over everything. Equal input gives equal output, in any order of the records. `rates` has numerator and
    denominator of every part that is a mean or a rate, with an interval where events are counted; `parsed` the same
    parts over the rows whose reply could be read; `repeats` the headline of each epoch and pass^k. A record that cannot
    be scored is unscored, and `problems` says why.

    Raises RunError for a record whose task is not among `tasks`.
    """
    rows, problems = sort_rows(tasks, records, epochs=epochs), list[str]()
    covered = [probe for probe in PROBES if any(task.probe == probe for task in tasks)]
    try:
        probes = {p: _score_probe(p, rows, convention, headline_splits, epochs, clusters) for p in covered}
    except SCORING_FAILURES:
        rows, problems = _without_failures(rows, convention)
        probes = {p: _score_probe(p, rows, convention, headline_splits, epochs, clusters) for p in covered}
    return {
        "schema": SCORE_SCHEMA,
        "versions": {
            "vehbench": __version__,
            "prompts": prompts,
            "protocol": protocol,
            "scorer": SCORER_VERSION,
            "oracle": domain_of(tasks[0].domain if tasks else DEFAULT_DOMAIN).fingerprint(),
        },
        "bank": bank,
        "convention": convention,
        "comparability": comparability(bank, convention, prompts=prompts, protocol=protocol),
        "model": model,
        "complete": rows.complete,
        "headline_splits": list(headline_splits),
        "intervals": {"level": LEVEL, "clusters": clusters, "method": METHOD},
        "usage": _usage([record for listed in records.values() for record in listed]),
        "probes": probes,
        "problems": problems,
    }


def score_parts(probe: Probe, scored: Sequence[Row], convention: Convention) -> dict[str, MetricValue]:
    """Every number of one probe over some rows."""
    scorer = SCORERS[probe]
    return scorer.parts(scorer.read_rows(scored, convention))


def _score_probe(
    probe: Probe,
    every_row: SortedRows,
    convention: Convention,
    headline_splits: Sequence[Split],
    epochs: int,
    clusters: Clusters,
) -> ProbeScores:
    everything, counted = every_row.select(probe, ALL_SPLITS), every_row.select(probe, headline_splits)
    scorer, info = SCORERS[probe], PROBE_TABLE[probe]
    rows = scorer.read_rows(counted.scored, convention)
    parts = {name: _without_rows(part, counted) for name, part in scorer.parts(rows).items()}
    undefined = {name: part.reason for name, part in parts.items() if part.value is None}
    top = parts[info.headline_part]
    names = [cluster(row.task) if clusters == "anchor papers" else row.task.task_id for row in counted.scored]
    ends = interval(headline_estimate(probe, rows, names))
    if ends is None:
        undefined["interval"] = top.reason or f"the rows have one cluster ({clusters}), which shows no spread"
    bounds = _bounds(scorer, rows, top, counted, convention)
    if bounds is None:
        undefined["bounds"] = top.reason or "what a task without a score could be worth is not known"
    overall = score_parts(probe, everything.scored, convention)[info.headline_part]
    read = [row for row in counted.scored if readable(row)]
    among = parts if len(read) == len(counted.scored) else score_parts(probe, read, convention)
    return {
        "headline": {
            "name": info.headline,
            "value": top.value,
            "interval": None if ends is None else list(ends),
            "bounds": bounds,
            "n": top.n,
            "undefined": top.reason,
        },
        "all": {"value": overall.value, "n": overall.n},
        "parts": {name: part.value for name, part in parts.items()},
        "parts_n": {name: part.n for name, part in parts.items()},
        "undefined": undefined,
        "rates": {name: _rate(part.column, names) for name, part in parts.items() if part.denominator and part.column},
        "parsed": {"n": len(read), "parts": {name: part.value for name, part in among.items()}},
        "repeats": repeats(
            counted.scored,
            partial(scorer.headline, rows),
            epochs,
            None if info.passes is None else parts[info.passes].column,
        ),
        "outcomes": _outcomes([*everything.scored, *everything.unscored]),
        "unscored": len(everything.unscored),
        "missing": len(everything.missing),
        "not_applicable": len(everything.not_applicable),
        "splits": {
            split: _score_split(probe, every_row.select(probe, [split]), convention)
            for split in ALL_SPLITS
            if any(task.split == split for task in everything.tasks)
        },
    }


def headline_estimate(probe: Probe, rows: CodedRows, clusters: Sequence[str], weights: Array | float = 1.0) -> Estimate:
    """The headline over the coded rows of a probe, with its error over clusters and the ends of its scale.

    Rows that the headline leaves out have no part in the error. The upper end of a ratio is 1, or its largest value.
    """
    info, column = PROBE_TABLE[probe], rows.per_row
    most = float(column.total.max(initial=1.0)) if info.most is None else info.most / 100
    entering = weights * np.minimum(1.0, column.count)
    return estimate(partial(SCORERS[probe].headline, rows), entering, clusters, limits=(info.least / 100, most))


def _rate(column: PerRow, clusters: Sequence[str]) -> Rate:
    """What a part divides, and an interval where both numbers count events."""
    ends = None
    if column.counted:
        ends = interval(estimate(column.mean, np.minimum(1.0, column.count), clusters, limits=(0.0, 1.0)))
    return {
        "numerator": float(column.total.sum()),
        "of": float(column.count.sum()),
        "wilson": None if ends is None else list(ends),
    }


def _without_failures(rows: SortedRows, convention: Convention) -> tuple[SortedRows, list[str]]:
    """The rows with those unscored that a scorer cannot read, and a sentence for each: one record costs one score."""
    scored, unscored, problems = [], list(rows.unscored), []
    for row in rows.scored:
        try:
            SCORERS[row.task.probe].read_rows([row], convention)
            scored.append(row)
        except SCORING_FAILURES as error:
            unscored.append(row)
            problems.append(f"{row.task.task_id}: cannot be scored ({type(error).__name__}: {str(error)[:200]})")
    return replace(rows, scored=scored, unscored=unscored), problems


def _score_split(probe: Probe, inside: SortedRows, convention: Convention) -> SplitScores:
    parts = score_parts(probe, inside.scored, convention)
    top = parts[PROBE_TABLE[probe].headline_part]
    return {"value": top.value, "n": top.n, "parts": {name: part.value for name, part in parts.items()}}


def _without_rows(part: MetricValue, counted: SortedRows) -> MetricValue:
    """Where no row was scored at all, say what became of the rows instead of what the part lacks."""
    if part.value is not None or counted.scored:
        return part
    if not counted.tasks:
        return MetricValue(None, part.n, "the run has no task of the headline splits")
    why = (
        f"{len(counted.unscored)} failed outside the model, {len(counted.missing)} have no record, "
        f"{len(counted.not_applicable)} are not applicable"
    )
    return MetricValue(None, part.n, f"no row of the headline splits could be scored: {why}")


def _bounds(
    scorer: Scorer, rows: Any, top: MetricValue, counted: SortedRows, convention: Convention
) -> list[float] | None:
    """The headline if every unscored and missing row were as bad, or as good, as it can be."""
    if not counted.lost:
        return None if top.value is None else [top.value, top.value]
    ends = scorer.bounds(rows, counted.lost, convention)
    return None if ends is None else list(ends)


def _outcomes(rows: Sequence[Row]) -> dict[str, int]:
    return {outcome: sum(row.record.outcome == outcome for row in rows) for outcome in OUTCOMES}


def _usage(records: Sequence[Record]) -> Usage:
    """Model calls and tokens of all records; None for a count that no call reports."""

    def total(values: Sequence[int | None]) -> int | None:
        reported = [value for value in values if value is not None]
        return sum(reported) if reported else None

    return {
        "calls": sum(record.calls for record in records),
        "input": total([record.usage.input for record in records]),
        "cached": total([record.usage.cached for record in records]),
        "output": total([record.usage.output for record in records]),
        "reasoning": total([record.usage.reasoning for record in records]),
    }
