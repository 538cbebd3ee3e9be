"""From tasks and records to the numbers of a run: headlines with intervals, parts, outcomes, splits."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from vehbench_hf import PROMPTS_VERSION, PROTOCOL_VERSION, SCORER_VERSION, __version__
from vehbench_hf.scoring import p1, p2, p3, p4
from vehbench_hf.scoring.bootstrap import LEVEL, RESAMPLES, SEED, percentile_interval, resample_weights
from vehbench_hf.scoring.parts import Array, Part
from vehbench_hf.scoring.rows import Row, Sorted, cluster, sort_rows
from vehbench_hf.types import ALL_SPLITS, OUTCOMES, PROBES, Convention, Probe, Record, Split, Task
from vehbench_oracle import oracle_fingerprint

SCORE_SCHEMA = "vehbench-score-1"


class Scorer(Protocol):
    """What the module of a probe offers."""

    HEADLINE: str
    HEADLINE_PART: str

    def rows(self, scored: Sequence[Row], convention: Convention) -> Any:
        """What the other functions need, one entry a row."""

    def headline(self, of: Any, weights: Array) -> Array:
        """The one formula behind the point value and every resample: weights (..., N) to values (...)."""

    def parts(self, of: Any) -> dict[str, Part]:
        """Every number of the probe, every row counted once."""

    def extremes(self, task: Task, convention: Convention) -> tuple[float, float] | None:
        """The lowest and highest value one row can add to the headline; None where that is not simple."""


SCORERS: dict[Probe, Scorer] = {"p1": p1, "p2": p2, "p3": p3, "p4": p4}


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
) -> dict[str, Any]:
    """Score the records of a run on the tasks it was to cover.

    `records` maps task ids to one record an epoch; all `epochs` count as further rows of the same task.
    `bank` is a bank version such as "veh-v1". Headline, parts and interval are taken over `headline_splits`,
    `all` over everything. Equal input gives equal output, in any order of the records.

    Raises RunError for a record whose task is not among `tasks`.
    """
    found = sort_rows(tasks, records, epochs=epochs)
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
        "complete": found.complete,
        "headline_splits": list(headline_splits),
        "bootstrap": {"resamples": resamples, "seed": seed, "level": LEVEL, "drawn": "anchor papers"},
        "usage": _usage([record for listed in records.values() for record in listed]),
        "probes": {
            probe: _score_probe(probe, found, convention, headline_splits, resamples, seed)
            for probe in PROBES
            if any(task.probe == probe for task in tasks)
        },
    }


def comparability(
    bank: str, convention: Convention, *, prompts: str = PROMPTS_VERSION, protocol: str = PROTOCOL_VERSION
) -> str:
    """The tuple that must be equal before two scores may be compared, as one line."""
    return f"{bank} | prompts {prompts} | protocol {protocol} | scorer {SCORER_VERSION} | {convention}"


def score_parts(probe: Probe, scored: Sequence[Row], convention: Convention) -> dict[str, Part]:
    """Every number of one probe over some rows."""
    scorer = SCORERS[probe]
    return scorer.parts(scorer.rows(scored, convention))


def _score_probe(
    probe: Probe,
    found: Sorted,
    convention: Convention,
    headline_splits: Sequence[Split],
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    everything, counted = found.select(probe, ALL_SPLITS), found.select(probe, headline_splits)
    scorer = SCORERS[probe]
    of = scorer.rows(counted.scored, convention)
    parts = {name: _without_rows(part, counted) for name, part in scorer.parts(of).items()}
    top = parts[scorer.HEADLINE_PART]
    interval = None
    if top.value is not None:
        clusters = [cluster(row.task) for row in counted.scored]
        if len(set(clusters)) > 1:
            weights = resample_weights(clusters, resamples=resamples, seed=seed)
            interval = percentile_interval(scorer.headline(of, weights))
    overall = score_parts(probe, everything.scored, convention)[scorer.HEADLINE_PART]
    return {
        "headline": {
            "name": scorer.HEADLINE,
            "value": top.value,
            "interval": None if interval is None else list(interval),
            "bounds": _bounds(scorer, top, counted, convention),
            "n": top.n,
            "undefined": top.reason,
        },
        "all": {"value": overall.value, "n": overall.n},
        "parts": {name: part.value for name, part in parts.items()},
        "parts_n": {name: part.n for name, part in parts.items()},
        "undefined": {name: part.reason for name, part in parts.items() if part.value is None},
        "outcomes": _outcomes([*everything.scored, *everything.unscored]),
        "unscored": len(everything.unscored),
        "missing": len(everything.missing),
        "not_applicable": len(everything.not_applicable),
        "splits": {
            split: _score_split(probe, found.select(probe, [split]), convention)
            for split in ALL_SPLITS
            if any(task.split == split for task in _tasks(everything))
        },
    }


def _score_split(probe: Probe, inside: Sorted, convention: Convention) -> dict[str, Any]:
    parts = score_parts(probe, inside.scored, convention)
    top = parts[SCORERS[probe].HEADLINE_PART]
    return {"value": top.value, "n": top.n, "parts": {name: part.value for name, part in parts.items()}}


def _without_rows(part: Part, counted: Sorted) -> Part:
    """Where no row was scored at all, say what became of the rows instead of what the part lacks."""
    if part.value is not None or counted.scored:
        return part
    why = (
        f"{len(counted.unscored)} failed outside the model, {len(counted.missing)} have no record, "
        f"{len(counted.not_applicable)} are not applicable"
    )
    return Part(None, part.n, f"no row of the headline splits could be scored: {why}")


def _bounds(scorer: Scorer, top: Part, counted: Sorted, convention: Convention) -> list[float] | None:
    """The headline if every unscored and missing row were as bad, or as good, as it can be."""
    lost = [*(row.task for row in counted.unscored), *counted.missing]
    if not lost:
        return None if top.value is None else [top.value, top.value]
    reach = [scorer.extremes(task, convention) for task in lost]
    known = [pair for pair in reach if pair is not None]
    if len(known) < len(lost):
        return None
    total, n = (top.value or 0.0) * top.n, top.n + len(lost)
    return [(total + sum(pair[end] for pair in known)) / n for end in (0, 1)]


def _outcomes(rows: Sequence[Row]) -> dict[str, int]:
    return {outcome: sum(row.record.outcome == outcome for row in rows) for outcome in OUTCOMES}


def _tasks(found: Sorted) -> list[Task]:
    return [*(row.task for row in [*found.scored, *found.unscored, *found.not_applicable]), *found.missing]


def _usage(records: Sequence[Record]) -> dict[str, int | None]:
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
