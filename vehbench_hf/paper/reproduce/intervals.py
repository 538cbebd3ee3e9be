"""Table 12, the best models with intervals and paired differences; and the differences that Table 13 does not print.

The authors state neither the seed nor the number of resamples, so that an interval can be met only up to the noise of
theirs. An end counts as equal within twice the standard deviation that ends of `BATCH` resamples have.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from vehbench_hf.paper.reproduce.aggregates import Values
from vehbench_hf.paper.reproduce.bootstrap import BATCH, paired_interval, percentile_interval, resample_weights
from vehbench_hf.paper.reproduce.cells import Cell, Computed, PrintedTable, SourceKind
from vehbench_hf.paper.reproduce.row_logs import ScoredRun
from vehbench_hf.paper.reproduce.sources import Source
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.scoring import SCORERS, Row
from vehbench_hf.scoring.values import Array, row_mean
from vehbench_hf.statistics import Interval, wilson_interval
from vehbench_hf.types import PROBES, Probe

RESAMPLES_12 = 10_000
BEST = ("best", "ci_low", "ci_high")
DELTA = ("delta", "delta_low", "delta_high")
MODELS = ("best_model", "delta_first", "delta_second")
"""Labels of a row of Table 12 that name models."""


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
        labels = table.labels.get(probe.upper(), {})
        best, first, second = (_rows(runs, labels.get(name), Source(probe, "")) for name in MODELS)
        for columns, models in ((BEST, [best]), (DELTA, [first, second])):
            rows = [each for each in models if not isinstance(each, str)]
            missing = next((each for each in models if isinstance(each, str)), None)
            if missing is None and any([r.task for r in each] != [r.task for r in rows[0]] for each in rows):
                missing = "the two logs hold other tasks"
            if missing is None:
                cells |= _cells(probe.upper(), columns, *_statistics(probe, rows))
            else:
                cells |= {Cell("12", probe.upper(), column): Computed(None, missing) for column in columns}
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
            difference = float(statistic(coded, in_first) - statistic(coded, 1 - in_first))
            ends = paired_interval(lambda w: statistic(coded, w), 1 - in_first, in_first, tasks)
            return NearTie(pair, name, difference, ends, "row_logs", None)
        why = f"{part} is undefined for one of the two"
    a, b = (values.get(model, {}).get(probe, {}).get(part) for model in models)
    if a is None or b is None:
        return NearTie(pair, name, None, None, None, why)
    return NearTie(pair, name, a - b, None, "aggregates", why)


def _rows(runs: Mapping[str, ScoredRun], model: object, source: Source) -> list[Row] | str:
    """The rows of a printed model, or in words what is missing."""
    run = runs.get(str(model))
    return f"no directory of the folder is {model}" if run is None else run.rows(source)


def _statistics(probe: Probe, models: Sequence[list[Row]]) -> tuple[float, Interval | None, Interval]:
    """The headline of one model, or of the first minus the second, and its interval, resampling tasks together.

    Last come twice the standard deviations of the two ends between batches of resamples; a single success rate has
    Wilson's interval, without any.
    """
    scorer = SCORERS[probe]
    coded = [scorer.read_rows(rows, "released") for rows in models]
    tasks = [row.task.task_id for row in models[0]]

    def statistic(weights: Array) -> Array:
        first, *second = (scorer.headline(rows, weights) for rows in coded)
        return first - second[0] if second else first

    value = float(statistic(np.ones(len(tasks))))
    if probe == "p3" and len(models) == 1:
        return value, wilson_interval(round(value * len(tasks)), len(tasks)), (0.0, 0.0)
    seeds = range(RESAMPLES_12 // BATCH)
    batches = [statistic(resample_weights(tasks, resamples=BATCH, seed=seed)) for seed in seeds]
    ends = [end for batch in batches if (end := percentile_interval(batch)) is not None]
    spread = 2 * np.std(ends, axis=0, ddof=1)
    return value, percentile_interval(np.concatenate(batches)), (float(spread[0]), float(spread[1]))


def _cells(
    row: str, columns: Sequence[str], value: float, interval: Interval | None, noise: Interval = (0.0, 0.0)
) -> dict[Cell, Computed]:
    low, high = interval or (None, None)
    computed = (Computed(value), Computed(low, spread=noise[0]), Computed(high, spread=noise[1]))
    return {Cell("12", row, column): cell for column, cell in zip(columns, computed, strict=True)}
