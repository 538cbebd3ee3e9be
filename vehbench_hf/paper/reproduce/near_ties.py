"""Table 13 names pairs of models and what is compared between them, but prints no number; here are the differences."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from vehbench_hf.paper.reproduce.aggregates import Values
from vehbench_hf.paper.reproduce.cells import SourceKind
from vehbench_hf.paper.reproduce.computed import ScoredRun
from vehbench_hf.paper.reproduce.published import PrintedTable
from vehbench_hf.paper.reproduce.sources import Source
from vehbench_hf.scoring import SCORERS
from vehbench_hf.scoring.values import Array, row_mean
from vehbench_hf.statistics import RESAMPLES, paired_difference
from vehbench_hf.types import Probe


class Compared(NamedTuple):
    """An object of Table 13: the part of a probe, and its value for coded rows and row weights (..., N)."""

    probe: Probe
    part: str
    statistic: Callable[[Any, Array], Array]


OBJECTS: dict[str, Compared] = {
    "P1-Composite": Compared("p1", "comp", SCORERS["p1"].headline),
    "P2 headline": Compared("p2", "p2b", SCORERS["p2"].headline),
    "P3-Success": Compared("p3", "success", SCORERS["p3"].headline),
    "RecoveryQuality": Compared("p3", "recq", lambda of, w: row_mean(r.quality for r in of.recoveries).mean(w)),
    "P4 Full Tau": Compared("p4", "tau", SCORERS["p4"].headline),
    "Exact": Compared("p4", "exact", lambda of, w: row_mean(r.exact for r in of.ranked).mean(w)),
}


class NearTie(NamedTuple):
    """First minus second of a pair, as a fraction, in the convention `released`.

    `interval` comes from a paired bootstrap over tasks, `RESAMPLES` times; None where only the aggregates give the
    difference, which hold no rows. `source` None: neither gives it. `why` says what the logs lack.
    """

    pair: str
    object: str
    difference: float | None
    interval: tuple[float, float] | None
    source: SourceKind | None
    why: str | None


def near_ties(table: PrintedTable, runs: Mapping[str, ScoredRun], values: Mapping[str, Values]) -> list[NearTie]:
    """Every object of every pair that the table names. `runs` and `values` are by printed model."""
    return [
        _near_tie(pair, name, OBJECTS[name], runs, values)
        for pair, label in table.labels.items()
        for name in label.get("objects", ())
        if name in OBJECTS and " vs " in pair
    ]


def _near_tie(
    pair: str, name: str, of: Compared, runs: Mapping[str, ScoredRun], values: Mapping[str, Values]
) -> NearTie:
    first, second = pair.split(" vs ", 1)
    found = _from_rows([runs.get(first), runs.get(second)], (first, second), of)
    if not isinstance(found, str):
        return NearTie(pair, name, *found, "row_logs", None)
    one, two = (values.get(model, {}).get(of.probe, {}).get(of.part) for model in (first, second))
    if one is None or two is None:
        return NearTie(pair, name, None, None, None, found)
    return NearTie(pair, name, one - two, None, "aggregates", found)


def _from_rows(
    runs: list[ScoredRun | None], models: tuple[str, str], of: Compared
) -> tuple[float, tuple[float, float] | None] | str:
    """Difference and interval, or in words what is missing."""
    both = []
    for run, model in zip(runs, models, strict=True):
        rows = f"no directory of the folder is {model}" if run is None else run.rows(Source(of.probe, of.part))
        if isinstance(rows, str):
            return rows
        both.append(rows)
    coded = SCORERS[of.probe].read_rows([*both[0], *both[1]], "released")
    one = np.concatenate([np.ones(len(both[0])), np.zeros(len(both[1]))])
    if np.isnan([of.statistic(coded, weights) for weights in (one, 1 - one)]).any():
        return f"{of.part} is undefined for one of the two"
    tasks = [row.task.task_id for rows in both for row in rows]
    found = paired_difference(lambda w: of.statistic(coded, w), 1 - one, one, tasks, resamples=RESAMPLES)
    return found.value, found.interval
