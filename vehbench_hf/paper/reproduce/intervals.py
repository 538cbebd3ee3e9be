"""Table 12, the best models with intervals and paired differences; and the differences that Table 13 does not print.

The authors state neither the seed nor the number of resamples, so that an interval can be met only up to the noise of
theirs. An end counts as equal within twice the standard deviation that ends of `BATCH` resamples have.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from vehbench_hf.paper.reproduce.aggregates import Values
from vehbench_hf.paper.reproduce.cells import Cell, Computed, PrintedTable, SourceKind
from vehbench_hf.paper.reproduce.row_logs import ScoredRun
from vehbench_hf.paper.reproduce.sources import Source
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.scoring import SCORERS, Row
from vehbench_hf.scoring.values import Array, row_mean
from vehbench_hf.statistics import (
    RESAMPLES,
    paired_difference,
    percentile_interval,
    resample_weights,
    wilson_interval,
)
from vehbench_hf.types import PROBES, Probe

RESAMPLES_12 = 10_000
BATCH = 1_000
BEST = ("best", "ci_low", "ci_high")
DELTA = ("delta", "delta_low", "delta_high")
MODELS = ("best_model", "delta_first", "delta_second")
"""Labels of a row of Table 12 that name models."""

Interval = tuple[float, float]


class Compared(NamedTuple):
    """An object of Table 13: the part of a probe, and its value for coded rows and row weights (..., N)."""

    probe: Probe
    part: str
    statistic: Callable[[Any, Array], Array]


OBJECTS: dict[str, Compared] = {
    "P1-Composite": Compared("p1", "comp", SCORERS["p1"].headline),
    "P2 headline": Compared("p2", "p2b", SCORERS["p2"].headline),
    "P3-Success": Compared("p3", "success", SCORERS["p3"].headline),
    "RecoveryQuality": Compared("p3", "recq", lambda coded, w: row_mean(r.quality for r in coded.recoveries).mean(w)),
    "P4 Full Tau": Compared("p4", "tau", SCORERS["p4"].headline),
    "Exact": Compared("p4", "exact", lambda coded, w: row_mean(r.exact for r in coded.ranked).mean(w)),
}


class NearTie(NamedTuple):
    """First minus second of a pair, as a fraction, in the convention `released`.

    `interval` comes from a paired bootstrap over tasks, `RESAMPLES` times; None where only the aggregates give the
    difference, which hold no rows. `source` None: neither gives it. `why` says what the logs lack.
    """

    pair: str
    object: str
    difference: float | None
    interval: Interval | None
    source: SourceKind | None
    why: str | None


def interval_cells(table: PrintedTable, runs: Mapping[str, ScoredRun]) -> dict[Cell, Computed]:
    """What the logs of the named models give. `runs` are by printed model; every task counts once."""
    cells: dict[Cell, Computed] = {}
    for probe in PROBES:
        row = probe.upper()
        models = table.labels.get(row, {})
        best, first, second = (_rows(runs, models.get(name), Source(probe, "")) for name in MODELS)
        if isinstance(best, str):
            cells |= _absent(row, BEST, best)
        else:
            (value,), interval, noise = _statistics(probe, [best])
            if probe == "p3":
                interval, noise = wilson_interval(round(value * len(best)), len(best)), (0.0, 0.0)
            cells |= _cells(row, BEST, value, interval, noise)
        if isinstance(first, str) or isinstance(second, str):
            cells |= _absent(row, DELTA, first if isinstance(first, str) else str(second))
        elif [r.task for r in first] != [r.task for r in second]:
            cells |= _absent(row, DELTA, "the two logs hold other tasks")
        else:
            values, interval, noise = _statistics(probe, [first, second])
            cells |= _cells(row, DELTA, values[0] - values[1], interval, noise)
    return cells


def aggregate_cells(
    table: PrintedTable, values: Mapping[str, Values], sizes: Mapping[Probe, int]
) -> dict[Cell, Computed]:
    """Values, differences and Wilson's interval from the aggregates; they hold no rows to resample."""
    cells: dict[Cell, Computed] = {}
    for probe in PROBES:
        row, part = probe.upper(), PROBE_TABLE[probe].headline_part
        models = table.labels.get(row, {})
        best, first, second = (values.get(str(models.get(name)), {}).get(probe, {}).get(part) for name in MODELS)
        if best is not None:
            cells[Cell("12", row, "best")] = Computed(best)
            if probe == "p3" and probe in sizes:
                cells |= _cells(row, BEST, best, wilson_interval(round(best * sizes[probe]), sizes[probe]))
        if first is not None and second is not None:
            cells[Cell("12", row, "delta")] = Computed(first - second)
    return cells


def near_ties(table: PrintedTable, runs: Mapping[str, ScoredRun], values: Mapping[str, Values]) -> list[NearTie]:
    """Every object of every pair that Table 13 names. `runs` and `values` are by printed model."""
    return [
        _near_tie(pair, name, runs, values)
        for pair, label in table.labels.items()
        for name in label.get("objects", ())
        if name in OBJECTS and " vs " in pair
    ]


def _near_tie(pair: str, name: str, runs: Mapping[str, ScoredRun], values: Mapping[str, Values]) -> NearTie:
    probe, part, statistic = OBJECTS[name]
    models = pair.split(" vs ", 1)
    first, second = (_rows(runs, model, Source(probe, part)) for model in models)
    if isinstance(first, str) or isinstance(second, str):
        why = first if isinstance(first, str) else str(second)
    else:
        coded = SCORERS[probe].read_rows([*first, *second], "released")
        in_first = np.concatenate([np.ones(len(first)), np.zeros(len(second))])
        if not np.isnan([statistic(coded, weights) for weights in (in_first, 1 - in_first)]).any():
            tasks = [row.task.task_id for row in (*first, *second)]
            gap = paired_difference(lambda w: statistic(coded, w), 1 - in_first, in_first, tasks, resamples=RESAMPLES)
            return NearTie(pair, name, gap.value, gap.interval, "row_logs", None)
        why = f"{part} is undefined for one of the two"
    a, b = (values.get(model, {}).get(probe, {}).get(part) for model in models)
    if a is None or b is None:
        return NearTie(pair, name, None, None, None, why)
    return NearTie(pair, name, a - b, None, "aggregates", why)


def _rows(runs: Mapping[str, ScoredRun], model: object, source: Source) -> list[Row] | str:
    """The rows of a printed model, or in words what is missing."""
    run = runs.get(str(model))
    return f"no directory of the folder is {model}" if run is None else run.rows(source)


def _statistics(probe: Probe, models: Sequence[list[Row]]) -> tuple[list[float], Interval | None, Interval]:
    """The headline of each model, and the interval of the first or of first minus second, resampling tasks together.

    Last come twice the standard deviations of the two ends between batches of resamples.
    """
    scorer = SCORERS[probe]
    coded = [scorer.read_rows(rows, "released") for rows in models]
    tasks = [row.task.task_id for row in models[0]]
    values = [float(scorer.headline(rows, np.ones(len(tasks)))) for rows in coded]
    batches = []
    for seed in range(RESAMPLES_12 // BATCH):
        weights = resample_weights(tasks, resamples=BATCH, seed=seed)
        headlines = [scorer.headline(rows, weights) for rows in coded]
        batches.append(headlines[0] - headlines[1] if len(headlines) > 1 else headlines[0])
    ends = [percentile_interval(batch) for batch in batches]
    spread = 2 * np.std([end for end in ends if end is not None], axis=0, ddof=1)
    return values, percentile_interval(np.concatenate(batches)), (float(spread[0]), float(spread[1]))


def _cells(
    row: str, columns: Sequence[str], value: float, interval: Interval | None, noise: Interval = (0.0, 0.0)
) -> dict[Cell, Computed]:
    low, high = interval or (None, None)
    computed = (Computed(value), Computed(low, spread=noise[0]), Computed(high, spread=noise[1]))
    return {Cell("12", row, column): cell for column, cell in zip(columns, computed, strict=True)}


def _absent(row: str, columns: Sequence[str], why: str) -> dict[Cell, Computed]:
    return {Cell("12", row, column): Computed(None, why) for column in columns}
