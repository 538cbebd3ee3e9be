"""From tasks and records to the numbers of a run: headlines with intervals, parts, outcomes, splits."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.differences import comparability, protocol_label
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.runlog.sorted_rows import Row, SortedRows, cluster, readable, sort_rows
from vehbench_hf.scoring import p1, p2, p3, p4
from vehbench_hf.scoring.repeats import repeats
from vehbench_hf.scoring.scores_type import ProbeScores, Rate, Scores, SplitScores, Usage
from vehbench_hf.scoring.values import Array, MetricValue, PerRow
from vehbench_hf.statistics import LEVEL, RESAMPLES, SEED, percentile_interval, resample_weights, wilson_interval
from vehbench_hf.types import ALL_SPLITS, OUTCOMES, PROBES, Convention, Probe, Record, Split, Task
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION, SCORER_VERSION, __version__
from vehbench_oracle import oracle_fingerprint

SCORE_SCHEMA = "vehbench-score-1"

Drawn = Literal["anchor", "task"]
"""What the bootstrap draws: papers with all their tasks, or single tasks (narrower, as in the paper's Table 12)."""


DRAWN: dict[Drawn, str] = {"anchor": "anchor papers", "task": "tasks"}


class Scorer(Protocol):
    """What the module of a probe offers."""

    def read_rows(self, scored: Sequence[Row], convention: Convention) -> Any:
        """What the other functions need, one entry a row."""

    def headline(self, rows: Any, weights: Array) -> Array:
        """The one formula behind the point value and every resample: weights (..., N) to values (...)."""

    def per_row(self, rows: Any) -> PerRow:
        """What each row by itself is worth: the ratio, the success, tau, and in P1 whether the action is right."""

    def successes(self, rows: Any) -> PerRow | None:
        """Whether each row succeeded; None for a probe where success is not what is measured."""

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
    return {**scores, "problems": run.problems}


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
    resamples: int = RESAMPLES,
    seed: int = SEED,
    drawn: Drawn = "anchor",
) -> Scores:
    """Score the records of a run on the tasks it was to cover.

    `records` maps task ids to one record an epoch; all `epochs` count as further rows of the same task.
    `bank` is a bank version such as "veh-v1". Headline, parts and interval are taken over `headline_splits`,
    `all` over everything. Equal input gives equal output, in any order of the records. `rates` has numerator and
    denominator of every part that is a mean or a rate, with Wilson's interval where events are counted; `parsed` the
    same parts over the rows whose reply could be read; `repeats` the headline of each epoch and pass^k.

    Raises RunError for a record whose task is not among `tasks`.
    """
    rows = sort_rows(tasks, records, epochs=epochs)
    return {
        "schema": SCORE_SCHEMA,
        "versions": {
            "vehbench": __version__,
            "prompts": prompts,
            "protocol": protocol,
            "scorer": SCORER_VERSION,
            "oracle": oracle_fingerprint(),
        },
        "bank": bank,
        "convention": convention,
        "comparability": comparability(bank, convention, prompts=prompts, protocol=protocol),
        "model": model,
        "complete": rows.complete,
        "headline_splits": list(headline_splits),
        "bootstrap": {"resamples": resamples, "seed": seed, "level": LEVEL, "drawn": DRAWN[drawn]},
        "usage": _usage([record for listed in records.values() for record in listed]),
        "probes": {
            probe: _score_probe(
                probe, rows, convention, headline_splits, epochs=epochs, resamples=resamples, seed=seed, drawn=drawn
            )
            for probe in PROBES
            if any(task.probe == probe for task in tasks)
        },
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
    *,
    epochs: int,
    resamples: int,
    seed: int,
    drawn: Drawn,
) -> ProbeScores:
    everything, counted = every_row.select(probe, ALL_SPLITS), every_row.select(probe, headline_splits)
    scorer, info = SCORERS[probe], PROBE_TABLE[probe]
    rows = scorer.read_rows(counted.scored, convention)
    parts = {name: _without_rows(part, counted) for name, part in scorer.parts(rows).items()}
    top = parts[info.headline_part]
    interval = None
    if top.value is not None:
        clusters = [cluster(row.task) if drawn == "anchor" else row.task.task_id for row in counted.scored]
        if len(set(clusters)) > 1:
            weights = resample_weights(clusters, resamples=resamples, seed=seed)
            interval = percentile_interval(scorer.headline(rows, weights))
    overall = score_parts(probe, everything.scored, convention)[info.headline_part]
    read = [row for row in counted.scored if readable(row)]
    among = parts if len(read) == len(counted.scored) else score_parts(probe, read, convention)
    return {
        "headline": {
            "name": info.headline,
            "value": top.value,
            "interval": None if interval is None else list(interval),
            "bounds": _bounds(scorer, rows, top, counted, convention),
            "n": top.n,
            "undefined": top.reason,
        },
        "all": {"value": overall.value, "n": overall.n},
        "parts": {name: part.value for name, part in parts.items()},
        "parts_n": {name: part.n for name, part in parts.items()},
        "undefined": {name: part.reason for name, part in parts.items() if part.value is None},
        "rates": {name: _rate(part) for name, part in parts.items() if part.denominator},
        "parsed": {"n": len(read), "parts": {name: part.value for name, part in among.items()}},
        "repeats": repeats(
            counted.scored, lambda weights: scorer.headline(rows, weights), epochs, scorer.successes(rows)
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


def _rate(part: MetricValue) -> Rate:
    """What a part divides, and Wilson's interval where both numbers count events."""
    interval = None
    if part.counted and part.numerator is not None and part.denominator is not None:
        interval = wilson_interval(part.numerator, part.denominator)
    return {"numerator": part.numerator, "of": part.denominator, "wilson": None if interval is None else list(interval)}


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
