"""Paired differences of every probe's headline between every two runs, and what must be known to read them."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from vehbench_hf.analysis.paired import PAIRED, once_a_task, shared_tasks, why_no_interval
from vehbench_hf.analysis.result_types import CompareResult, Comparison, Moved
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.differences import agreement
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.runlog.sorted_rows import cluster
from vehbench_hf.scoring import SCORERS, Row
from vehbench_hf.scoring.score import headline_estimate
from vehbench_hf.scoring.values import divide
from vehbench_hf.statistics import (
    LEVEL,
    LEVEL_OF_TEST,
    POWER,
    Estimate,
    combined,
    holm_adjusted,
    interval,
    p_value,
    smallest_detectable,
)
from vehbench_hf.types import PROBES, Convention, Probe, Split

COMPARE_SCHEMA = "vehbench-compare-1"
SAME = 1e-9
"""Per-task values closer than this did not move: rounding of equal designs."""


class Side(NamedTuple):
    """A probe of one run over some tasks, each once: the headline, and what each task is worth."""

    headline: Estimate
    worth: dict[str, float]


def compare_runs(
    runs: Sequence[Run],
    *,
    convention: Convention,
    headline_splits: Sequence[Split],
    differing: Sequence[str] = (),
) -> CompareResult:
    """Compare runs, second minus first, over the tasks of `headline_splits` that both have a scored record of.

    A task counts once in each run, however often it was repeated. The p values of all comparisons are adjusted together
    (Holm). `differing` says what the runs do not agree on.
    """
    rows = {
        (place, probe): [row for row in run.scored(probe) if row.task.split in headline_splits]
        for place, run in enumerate(runs)
        for probe in PROBES
    }

    @cache
    def side(place: int, probe: Probe, tasks: frozenset[str]) -> Side:
        return _side(probe, [row for row in rows[place, probe] if row.task.task_id in tasks], convention)

    comparisons = []
    for probe in PROBES:
        for (a, first), (b, second) in combinations(enumerate(runs), 2):
            if first.scored(probe) and second.scored(probe):
                shared = shared_tasks(rows[a, probe], rows[b, probe])
                entry = _entry(probe, first, second, shared, rows[a, probe], rows[b, probe])
                if shared:
                    entry = _compared(entry, side(a, probe, shared), side(b, probe, shared))
                else:
                    entry["undefined"] = f"the runs share no scored task of {', '.join(headline_splits)}"
                comparisons.append(entry)
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
            "level": LEVEL,
            "clusters": PAIRED,
            "p_value": "of the same t, two-sided",
            "adjusted": f"Holm over {len(p_values)} comparisons",
            "detectable": f"true difference that one such test finds with power {POWER:g} at level {LEVEL_OF_TEST:g}",
        },
        "comparisons": comparisons,
        "notes": _notes(runs, comparisons),
    }


def _entry(
    probe: Probe, first: Run, second: Run, shared: frozenset[str], mine: Iterable[Row], theirs: Iterable[Row]
) -> Comparison:
    """Who is compared over what, before any number."""
    left_out = [len({row.task.task_id for row in rows} - shared) for rows in (mine, theirs)]
    return {
        "probe": probe,
        "headline": PROBE_TABLE[probe].headline,
        "first": first.name,
        "second": second.name,
        "n": len(shared),
        "left_out": {"first": left_out[0], "second": left_out[1]},
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


def _side(probe: Probe, rows: Sequence[Row], convention: Convention) -> Side:
    coded = SCORERS[probe].read_rows(rows, convention)
    headline = headline_estimate(probe, coded, [cluster(row.task) for row in rows], once_a_task(rows))
    repeats: dict[str, list[float]] = {}
    for row, value in zip(rows, divide(coded.per_row.total, coded.per_row.count), strict=True):
        if not np.isnan(value):
            repeats.setdefault(row.task.task_id, []).append(float(value))
    return Side(headline, {name: sum(values) / len(values) for name, values in repeats.items()})


def _compared(entry: Comparison, first: Side, second: Side) -> Comparison:
    values = [first.headline.value, second.headline.value]
    if np.isnan(values).any():
        return {**entry, "undefined": f"{entry['headline']} is undefined on the {entry['n']} shared tasks"}
    difference = combined([(1.0, second.headline), (-1.0, first.headline)])
    ends = interval(difference)
    return {
        **entry,
        "clusters": difference.clusters,
        "values": list(values),
        "difference": difference.value,
        "interval": None if ends is None else list(ends),
        "standard_error": difference.standard_error,
        "p_value": p_value(difference),
        "detectable": smallest_detectable(difference),
        "moved": _moved(first.worth, second.worth),
        "undefined": why_no_interval(difference),
    }


def _moved(first: dict[str, float], second: dict[str, float]) -> Moved:
    """How many tasks are worth more, less or the same in the second run, by the mean of their repeats."""
    steps = [second[name] - first[name] for name in first.keys() & second.keys()]
    up, down = sum(step > SAME for step in steps), sum(step < -SAME for step in steps)
    return {"up": up, "down": down, "same": len(steps) - up - down}


def incomplete(run: Run) -> str:
    """What a run with unscored or missing rows leaves out."""
    counts = ", ".join(f"{count} of {probe.upper()}" for probe, count in run.unscored().items())
    return f"{run.name} is incomplete: {counts} have no score and are left out, which may favour any run."


def _notes(runs: Sequence[Run], comparisons: Sequence[Comparison]) -> list[str]:
    """Sentences on run noise, on probes and tasks that are not shared, on unscored rows, and on odd logs."""
    noisy: dict[str, list[str]] = {}
    for run in runs:
        if (why := _run_noise(run)) is not None:
            noisy.setdefault(why, []).append(run.name)
    lacking = {probe: [run.name for run in runs if not run.scored(probe)] for probe in PROBES}
    return [
        *(f"{', '.join(names)}: one epoch {why}" for why, names in noisy.items()),
        *(
            f"{probe.upper()}: {', '.join(names)} has no scored row and is not compared."
            for probe, names in lacking.items()
            if 0 < len(names) < len(runs)
        ),
        *(_not_shared(entry) for entry in comparisons if any(entry["left_out"].values())),
        *(incomplete(run) for run in runs if run.unscored()),
        *(f"{run.name}: {problem}" for run in runs for problem in run.problems),
    ]


def _run_noise(run: Run) -> str | None:
    """A model that samples gives other replies the next time, of which one epoch shows a part."""
    if not run.is_model or run.epochs > 1 or run.temperature == 0:
        return None
    if run.recorded:
        at = "at a temperature that the log does not hold"
    else:
        at = "at the provider's temperature" if run.temperature is None else f"at temperature {run.temperature:g}"
    return (
        f"{at}; the noise of single replies is in intervals and p values, what is common to a whole run (a server, a "
        "version, a day) is not. --epochs 3 or more tells how much of it is noise of replies."
    )


def _not_shared(entry: Comparison) -> str:
    return (
        f"{entry['probe'].upper()}: only the {entry['n']} tasks that both runs have a score for are compared; "
        f"{entry['left_out']['first']} of {entry['first']} and {entry['left_out']['second']} of {entry['second']} "
        "are left out."
    )
