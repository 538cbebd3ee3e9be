"""Paired differences of every probe's headline between every two runs, and what must be known to read them."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from vehbench_hf.analysis.paired import PairedRows, pair_rows
from vehbench_hf.analysis.result_types import CompareResult, Comparison
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.differences import agreement
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.scoring import SCORERS
from vehbench_hf.scoring.values import Array, divide
from vehbench_hf.statistics import (
    LEVEL,
    LEVEL_OF_TEST,
    PAIRED_RESAMPLES,
    POWER,
    SEED,
    holm_adjusted,
    smallest_detectable,
)
from vehbench_hf.types import PROBES, Convention, Probe, Split

COMPARE_SCHEMA = "vehbench-compare-1"
SAME = 1e-9
"""Per-task values closer than this did not move: rounding of equal designs."""


def compare_runs(
    runs: Sequence[Run],
    *,
    convention: Convention,
    headline_splits: Sequence[Split],
    differing: Sequence[str] = (),
    resamples: int = PAIRED_RESAMPLES,
    seed: int = SEED,
) -> CompareResult:
    """Compare runs, second minus first, over the tasks of `headline_splits` that both have a scored record of.

    A task counts once in each run, however often it was repeated. Whole papers are drawn, for both runs together. The
    p values of all comparisons are adjusted together (Holm). `differing` says what the runs do not agree on.
    """
    comparisons = [
        _compare(probe, first, second, convention, headline_splits, resamples, seed)
        for probe in PROBES
        for first, second in combinations(runs, 2)
        if first.scored(probe) and second.scored(probe)
    ]
    p_values = [entry["p_value"] for entry in comparisons if entry["p_value"] is not None]
    adjusted = iter(holm_adjusted(p_values))
    for entry in comparisons:
        entry["p_adjusted"] = None if entry["p_value"] is None else next(adjusted)
    return {
        "schema": COMPARE_SCHEMA,
        "convention": convention,
        "headline_splits": list(headline_splits),
        "runs": [
            {
                "run": run.name,
                "model": run.model,
                "agrees": agreement(run),
                "epochs": run.epochs,
                "temperature": run.temperature,
                "unscored": run.unscored(),
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
            "adjusted": f"Holm over {len(p_values)} comparisons",
            "detectable": f"true difference found with power {POWER:g} at level {LEVEL_OF_TEST:g}, one two-sided test, "
            "from the standard error of the paired bootstrap",
        },
        "comparisons": comparisons,
        "notes": _notes(runs, comparisons),
    }


def _compare(
    probe: Probe,
    first: Run,
    second: Run,
    convention: Convention,
    splits: Sequence[Split],
    resamples: int,
    seed: int,
) -> Comparison:
    scorer, headline = SCORERS[probe], PROBE_TABLE[probe].headline
    pairs = pair_rows(*([row for row in run.scored(probe) if row.task.split in splits] for run in (first, second)))
    entry: Comparison = {
        "probe": probe,
        "headline": headline,
        "first": first.name,
        "second": second.name,
        "n": pairs.tasks,
        "left_out": {"first": pairs.left_out[0], "second": pairs.left_out[1]},
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
    if not pairs.tasks:
        return {**entry, "undefined": f"the runs share no scored task of {', '.join(splits)}"}
    rows = scorer.read_rows(pairs.rows, convention)

    def statistic(weights: Array) -> Array:
        return scorer.headline(rows, weights)

    values = pairs.values(statistic)
    if np.isnan(values).any():
        return {**entry, "undefined": f"{headline} is undefined on the {pairs.tasks} shared tasks"}
    per_row = scorer.per_row(rows)
    difference = pairs.difference(statistic, resamples=resamples, seed=seed)
    error = difference.standard_error
    return {
        **entry,
        "clusters": difference.clusters,
        "values": list(values),
        "difference": difference.value,
        "interval": None if difference.interval is None else list(difference.interval),
        "standard_error": error,
        "p_value": difference.p_value,
        "detectable": smallest_detectable(error) if error else None,
        "moved": _moved(pairs, divide(per_row.total, per_row.count)),
        "undefined": _without_error(difference.clusters, error),
    }


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


def _moved(pairs: PairedRows, values: Array) -> dict[str, int]:
    """How many tasks are worth more, less or the same in the second run, by the mean of their repeats."""
    first, second = (_per_task(pairs, values, weights > 0) for weights in (pairs.first, pairs.second))
    steps = [second[name] - first[name] for name in first.keys() & second.keys()]
    up, down = sum(step > SAME for step in steps), sum(step < -SAME for step in steps)
    return {"up": up, "down": down, "same": len(steps) - up - down}


def _per_task(pairs: PairedRows, values: Array, inside: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> dict[str, float]:
    """The mean of a task's repeats in one run, over the tasks for which the quantity exists."""
    repeats: dict[str, list[float]] = {}
    for row, value, counted in zip(pairs.rows, values, inside, strict=True):
        if counted and not np.isnan(value):
            repeats.setdefault(row.task.task_id, []).append(float(value))
    return {name: sum(listed) / len(listed) for name, listed in repeats.items()}


def incomplete(run: Run) -> str:
    """What a run with unscored or missing rows leaves out."""
    counts = ", ".join(f"{count} of {probe.upper()}" for probe, count in run.unscored().items())
    return f"{run.name} is incomplete: {counts} have no score and are left out, which may favour any run."


def _notes(runs: Sequence[Run], comparisons: Sequence[Comparison]) -> list[str]:
    """Sentences on run noise, on tasks that are not shared, on unscored rows, and on what cannot be read in a log."""
    noisy: dict[str, list[str]] = {}
    for run in runs:
        if (why := _run_noise(run)) is not None:
            noisy.setdefault(why, []).append(run.name)
    return [
        *(f"{', '.join(names)}: one epoch {why}" for why, names in noisy.items()),
        *(_not_shared(entry) for entry in comparisons if any(entry["left_out"].values())),
        *(incomplete(run) for run in runs if run.unscored()),
        *(f"{run.name}: {problem}" for run in runs for problem in run.problems),
    ]


def _run_noise(run: Run) -> str | None:
    """A model that samples gives other replies the next time; one epoch cannot show how different."""
    if not run.is_model or run.epochs > 1 or run.temperature == 0:
        return None
    if run.recorded:
        return (
            "at a temperature that the log does not hold; if replies were sampled, intervals and p values leave out "
            "the noise between runs."
        )
    at = "the provider's temperature" if run.temperature is None else f"temperature {run.temperature:g}"
    return f"at {at}; intervals and p values leave out the noise between runs. --epochs 3 or more would bring it in."


def _not_shared(entry: Comparison) -> str:
    return (
        f"{entry['probe'].upper()}: only the {entry['n']} tasks that both runs have a score for are compared; "
        f"{entry['left_out']['first']} of {entry['first']} and {entry['left_out']['second']} of {entry['second']} "
        "are left out."
    )
