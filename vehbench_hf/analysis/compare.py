"""Paired differences of every probe's headline between every two runs."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from vehbench_hf.analysis.compare_notes import notes_on
from vehbench_hf.analysis.compared_run import ComparedRun
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.scoring import SCORERS, Row, cluster
from vehbench_hf.scoring.values import Array, divide
from vehbench_hf.statistics import (
    LEVEL,
    LEVEL_OF_TEST,
    PAIRED_RESAMPLES,
    POWER,
    SEED,
    holm_adjusted,
    paired_difference,
    smallest_detectable,
)
from vehbench_hf.types import PROBES, Convention, Probe, Split

COMPARE_SCHEMA = "vehbench-compare-1"
SAME = 1e-9
"""Per-task values closer than this did not move: rounding of equal designs."""


def compare_runs(
    runs: Sequence[ComparedRun],
    *,
    convention: Convention,
    headline_splits: Sequence[Split],
    differing: Sequence[str] = (),
    resamples: int = PAIRED_RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    """Compare runs, second minus first, over the tasks of `headline_splits` that both have a scored record of.

    A task counts once in each run, however often it was repeated. Whole papers are drawn, for both runs together. The
    p values of all comparisons are adjusted together (Holm). `differing` says what the runs do not agree on.
    """
    found = [
        _compare(probe, runs[i], runs[j], convention, headline_splits, resamples, seed)
        for probe in PROBES
        for i, j in combinations(range(len(runs)), 2)
        if probe in runs[i].rows and probe in runs[j].rows
    ]
    defined = [entry for entry in found if entry["p_value"] is not None]
    for entry, adjusted in zip(defined, holm_adjusted([entry["p_value"] for entry in defined]), strict=True):
        entry["p_adjusted"] = adjusted
    return {
        "schema": COMPARE_SCHEMA,
        "convention": convention,
        "headline_splits": list(headline_splits),
        "runs": [
            {
                "run": run.name,
                "model": run.model,
                "agrees": run.agrees,
                "epochs": run.epochs,
                "temperature": run.temperature,
                "unscored": run.unscored,
            }
            for run in runs
        ],
        "differing": list(differing),
        "method": {
            "resamples": resamples,
            "seed": seed,
            "level": LEVEL,
            "drawn": "anchor papers, for both runs together",
            "p_value": "exchange of the two runs in random papers, two-sided",
            "adjusted": f"Holm over {len(defined)} comparisons",
            "detectable": f"true difference found with power {POWER:g} at level {LEVEL_OF_TEST:g}, one two-sided test, "
            "from the standard error of the paired bootstrap",
        },
        "comparisons": found,
        "notes": notes_on(runs, found),
    }


def _compare(
    probe: Probe,
    first: ComparedRun,
    second: ComparedRun,
    convention: Convention,
    splits: Sequence[Split],
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    scorer = SCORERS[probe]
    rows, other = ([row for row in run.rows[probe] if row.task.split in splits] for run in (first, second))
    tasks = {row.task.task_id: row.task for row in rows}
    theirs = {row.task.task_id: row.task for row in other}
    shared = {name for name, task in tasks.items() if theirs.get(name) == task}
    rows, other = ([row for row in kept if row.task.task_id in shared] for kept in (rows, other))
    entry: dict[str, Any] = {
        "probe": probe,
        "headline": PROBE_TABLE[probe].headline,
        "first": first.name,
        "second": second.name,
        "n": len(shared),
        "left_out": {"first": len(tasks) - len(shared), "second": len(theirs) - len(shared)},
        "clusters": 0,
        "values": [None, None],
        "difference": None,
        "interval": None,
        "standard_error": None,
        "p_value": None,
        "p_adjusted": None,
        "detectable": None,
        "moved": None,
        "undefined": None,
    }
    if not shared:
        return {**entry, "undefined": f"the runs share no scored task of {', '.join(splits)}"}
    of = scorer.read_rows([*rows, *other], convention)
    weights = np.concatenate([_once_a_task(rows), np.zeros(len(other))])
    others = np.concatenate([np.zeros(len(rows)), _once_a_task(other)])
    values = [float(scorer.headline(of, w)) for w in (weights, others)]
    if np.isnan(values).any():
        return {**entry, "undefined": f"{PROBE_TABLE[probe].headline} is undefined on the {len(shared)} shared tasks"}
    column = scorer.per_row(of)
    per_task = [_per_task(kept, divide(column.total, column.count)[part]) for kept, part in _halves(rows, other)]
    found = paired_difference(
        lambda w: scorer.headline(of, w),
        weights,
        others,
        [cluster(row.task) for row in [*rows, *other]],
        resamples=resamples,
        seed=seed,
    )
    error = found.standard_error
    return {
        **entry,
        "clusters": found.clusters,
        "values": values,
        "difference": found.value,
        "interval": None if found.interval is None else list(found.interval),
        "standard_error": error,
        "p_value": found.p_value,
        "detectable": smallest_detectable(error) if error else None,
        "moved": _moved(*per_task),
        "undefined": _without_error(found.clusters, error),
    }


def _halves(rows: list[Row], other: list[Row]) -> list[tuple[list[Row], slice]]:
    return [(rows, slice(0, len(rows))), (other, slice(len(rows), None))]


def _without_error(clusters: int, error: float | None) -> str | None:
    """Why there is no smallest detectable difference, or no interval either."""
    if error is None:
        why = "one paper alone has no spread" if clusters < 2 else "the headline is undefined in too many resamples"
        return f"no interval: {why}"
    return (
        None
        if error
        else "no detectable difference: all papers moved alike, or none did, so that there is no spread to judge by"
    )


def _once_a_task(rows: list[Row]) -> Array:
    """A weight for each row, so that the repeats of a task add up to 1."""
    repeats: dict[str, int] = {}
    for row in rows:
        repeats[row.task.task_id] = repeats.get(row.task.task_id, 0) + 1
    return np.array([1.0 / repeats[row.task.task_id] for row in rows])


def _per_task(rows: list[Row], values: Array) -> dict[str, float]:
    """The mean of a task's repeats, over the tasks for which the quantity exists."""
    tries: dict[str, list[float]] = {}
    for row, value in zip(rows, values, strict=True):
        if not np.isnan(value):
            tries.setdefault(row.task.task_id, []).append(float(value))
    return {name: sum(found) / len(found) for name, found in tries.items()}


def _moved(first: dict[str, float], second: dict[str, float]) -> dict[str, int]:
    """How many tasks are worth more, less or the same in the second run."""
    steps = [second[name] - first[name] for name in first.keys() & second.keys()]
    up, down = sum(step > SAME for step in steps), sum(step < -SAME for step in steps)
    return {"up": up, "down": down, "same": len(steps) - up - down}
