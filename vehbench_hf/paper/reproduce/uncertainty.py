"""Table 12: headlines of the best models with intervals, and paired differences.

The authors state neither the seed nor the number of resamples, so that an interval can be met only up to the noise of
theirs. An end counts as equal within twice the standard deviation that ends of `BATCH` resamples have.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vehbench_hf.paper.reproduce.aggregates import Values
from vehbench_hf.paper.reproduce.cells import Cell, Computed
from vehbench_hf.paper.reproduce.computed import ScoredRun
from vehbench_hf.paper.reproduce.published import PrintedTable
from vehbench_hf.paper.reproduce.sources import Source
from vehbench_hf.scoring import SCORERS, Row
from vehbench_hf.statistics import percentile_interval, resample_weights, wilson_interval
from vehbench_hf.types import PROBES, Probe

RESAMPLES = 10_000
BATCH = 1_000
HEADLINE: dict[Probe, str] = {"p1": "comp", "p2": "p2b", "p3": "success", "p4": "tau"}


def interval_cells(table: PrintedTable, runs: Mapping[str, ScoredRun]) -> dict[Cell, Computed]:
    """What the logs of the named models give. `runs` are by printed model; every task counts once."""
    cells: dict[Cell, Computed] = {}
    for probe in PROBES:
        row = probe.upper()
        names = table.labels.get(row, {})
        best = _rows(runs, names.get("best_model"), probe)
        if isinstance(best, str):
            cells |= {Cell("12", row, column): Computed(None, best) for column in ("best", "ci_low", "ci_high")}
        else:
            (value,), interval, noise = _statistics(probe, [best])
            if probe == "p3":
                interval, noise = wilson_interval(round(value * len(best)), len(best)), (0.0, 0.0)
            cells |= _cells(row, ("best", "ci_low", "ci_high"), value, interval, noise)
        pair = [_rows(runs, names.get(name), probe) for name in ("delta_first", "delta_second")]
        lost = next((found for found in pair if isinstance(found, str)), None)
        both = [found for found in pair if not isinstance(found, str)]
        columns = ("delta", "delta_low", "delta_high")
        if lost is not None or [r.task for r in both[0]] != [r.task for r in both[1]]:
            cells |= {Cell("12", row, c): Computed(None, lost or "the two logs hold other tasks") for c in columns}
        else:
            (first, second), interval, noise = _statistics(probe, both)
            cells |= _cells(row, columns, first - second, interval, noise)
    return cells


def aggregate_cells(
    table: PrintedTable, values: Mapping[str, Values], sizes: Mapping[Probe, int]
) -> dict[Cell, Computed]:
    """Values, differences and Wilson's interval from the aggregates; they hold no rows to resample."""
    cells: dict[Cell, Computed] = {}
    for probe in PROBES:
        row, part = probe.upper(), HEADLINE[probe]

        def of(name: Any, probe: Probe = probe, part: str = part) -> float | None:
            return values.get(str(name), {}).get(probe, {}).get(part)

        names = table.labels.get(row, {})
        best, first, second = (of(names.get(key)) for key in ("best_model", "delta_first", "delta_second"))
        if best is not None:
            cells[Cell("12", row, "best")] = Computed(best)
            if probe == "p3" and probe in sizes:
                interval = wilson_interval(round(best * sizes[probe]), sizes[probe])
                cells |= _cells(row, ("best", "ci_low", "ci_high"), best, interval)
        if first is not None and second is not None:
            cells[Cell("12", row, "delta")] = Computed(first - second)
    return cells


def _rows(runs: Mapping[str, ScoredRun], model: Any, probe: Probe) -> list[Row] | str:
    run = runs.get(str(model))
    return f"no directory of the folder is {model}" if run is None else run.rows(Source(probe, ""))


def _statistics(
    probe: Probe, models: Sequence[list[Row]]
) -> tuple[list[float], tuple[float, float] | None, tuple[float, float]]:
    """The headline of each model, and the interval of the first or of first minus second, resampling tasks together.

    Last come twice the standard deviations of the two ends between batches of resamples.
    """
    scorer = SCORERS[probe]
    coded = [scorer.read_rows(rows, "released") for rows in models]
    tasks = [row.task.task_id for row in models[0]]
    values = [float(scorer.headline(of, np.ones(len(tasks)))) for of in coded]
    drawn = []
    for batch in range(RESAMPLES // BATCH):
        weights = resample_weights(tasks, resamples=BATCH, seed=batch)
        found = [scorer.headline(of, weights) for of in coded]
        drawn.append(found[0] - found[1] if len(found) > 1 else found[0])
    ends = [percentile_interval(batch) for batch in drawn]
    spread = 2 * np.std([end for end in ends if end is not None], axis=0, ddof=1)
    return values, percentile_interval(np.concatenate(drawn)), (float(spread[0]), float(spread[1]))


def _cells(
    row: str,
    columns: tuple[str, str, str],
    value: float,
    interval: tuple[float, float] | None,
    noise: tuple[float, float] = (0.0, 0.0),
) -> dict[Cell, Computed]:
    low, high = interval or (None, None)
    found = (Computed(value), Computed(low, spread=noise[0]), Computed(high, spread=noise[1]))
    return {Cell("12", row, column): cell for column, cell in zip(columns, found, strict=True)}
