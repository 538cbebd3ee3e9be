"""P1, credible triage: one action per brief, scored by class. Paper: (A-23) to (A-27), (A-36) to (A-40).

Everything but the accuracy is a function of the confusion counts by subtype, so that a resample is a weighted
count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.sorted_rows import Row
from vehbench_hf.scoring.values import Array, MetricValue, PerRow, complement, divide, marked, metric_value, row_mean
from vehbench_hf.types import Convention, Record, Task

ACTIONS = PROBE_TABLE["p1"].actions
PROPOSE, INFEASIBLE, REQUEST = range(3)
NO_CLASS = 3
"""Predicted column of everything that is none of the three actions: unreadable replies, replan."""


@dataclass(frozen=True)
class Rows:
    """`cells` (N, S * 3 * 4) marks the subtype, gold class and predicted column of each row, S as in `names`.

    `per_row` is whether the action is right: the composite has no value of its own for one brief.
    """

    cells: Array
    names: tuple[str, ...]
    per_row: PerRow


class Measures(NamedTuple):
    """What follows from confusion counts (..., S, 3, 4); class arrays are (..., 3) in the order of `ACTIONS`.

    NaN where a gold class that the measure needs does not occur.
    """

    recall: Array
    spurious: Array
    discipline: Array
    macro_f1: Array
    subtype_f1: Array
    composite: Array


def read_rows(scored: Sequence[Row], convention: Convention) -> Rows:
    """Codes of all rows. The accuracy alone depends on the convention, see `_judged_action`."""
    subtypes = sorted({row.task.subtype for row in scored})
    cells = np.zeros((len(scored), len(subtypes), 3, 4))
    for i, (task, record) in enumerate(scored):
        action = effective_action(record)
        predicted = ACTIONS.index(action) if action in ACTIONS else NO_CLASS
        cells[i, subtypes.index(task.subtype), ACTIONS.index(_gold(task)), predicted] = 1
    correct = row_mean(_judged_action(row.record, convention) == _gold(row.task) for row in scored)
    return Rows(cells.reshape(len(scored), len(subtypes) * 12), tuple(subtypes), correct)


def effective_action(record: Record) -> str | None:
    """The action the model took; None when no action could be read."""
    return record.steps[-1].action if record.outcome == "ok" and record.steps else None


def confusion(rows: Rows, weights: Array) -> Array:
    """Weighted confusion counts (..., S, 3, 4) for weights (..., N)."""
    counts: Array = (weights @ rows.cells).reshape(*weights.shape[:-1], len(rows.names), 3, 4)
    return counts


def measure(counts: Array) -> Measures:
    """All class measures of confusion counts (..., S, 3, 4): subtype, gold class, predicted column."""
    return _measures(*_margins(counts))


def _measures(hits_inside: Array, gold_inside: Array, predicted_inside: Array) -> Measures:
    """The same from hits, gold and predicted counts by class inside each subtype, (..., S, 3) each."""
    hits, gold, predicted = (counts.sum(axis=-2) for counts in (hits_inside, gold_inside, predicted_inside))
    recall = divide(hits, gold)
    spurious = divide(predicted - hits, gold.sum(axis=-1, keepdims=True) - gold)
    discipline = recall * (1 - spurious)  # to, (A-38) to
    macro_f1 = _macro_f1(hits, gold, predicted)
    by_subtype = _macro_f1(hits_inside, gold_inside, predicted_inside)
    present = ~np.isnan(by_subtype)
    subtype_f1 = divide(np.where(present, by_subtype, 0.0).sum(axis=-1), present.sum(axis=-1).astype(np.float64))
    composite = (  # in twentieths, so that full marks are exactly 1
        8 * macro_f1
        + 4 * discipline[..., PROPOSE]
        + 3 * discipline[..., REQUEST]
        + 3 * discipline[..., INFEASIBLE]
        + 2 * subtype_f1
    ) / 20
    return Measures(recall, spurious, discipline, macro_f1, subtype_f1, composite)


def headline(rows: Rows, weights: Array) -> Array:
    """P1-Composite, in [0, 1], for weights (..., N); NaN where a gold class has no weight."""
    return measure(confusion(rows, weights)).composite


def parts(rows: Rows) -> dict[str, MetricValue]:
    """The columns of Table 18, recalls, the three error families (rates, lower is better), and what Table 15 adds.

    `action_alignment` compares how often each action was taken with how often it is right, whatever the brief.
    """
    everyone = np.ones(len(rows.cells))
    counts = confusion(rows, everyone)
    measures, n = measure(counts), len(rows.cells)
    _, gold, predicted = _margins(counts.sum(axis=0))
    support = [f"no scored brief has the gold action {name}" for name in ACTIONS]
    only = [f"every scored brief has the gold action {name}" for name in ACTIONS]
    a_class_is_missing = next((support[c] for c in range(3) if gold[c] == 0), "no brief was scored")

    def of_class(values: Array, c: int) -> MetricValue:
        return metric_value(values[c], n, support[c] if gold[c] == 0 else only[c])

    hit, is_gold, taken = _margins(rows.cells.reshape(n, len(rows.names), 3, 4).sum(axis=1))  # 0 or 1, (N, 3) each
    recall = [marked(hit[:, c], is_gold[:, c]).average(support[c]) for c in range(3)]
    spurious = [marked(taken[:, c] - hit[:, c], 1 - is_gold[:, c]).average(only[c]) for c in range(3)]
    precision = [marked(hit[:, c], taken[:, c]).average(f"no reply takes the action {ACTIONS[c]}") for c in range(3)]
    refusals = np.minimum(1.0, measures.spurious[REQUEST] + measures.spurious[INFEASIBLE])
    apart = np.abs(predicted - gold).sum() / 2
    return {
        "acc": rows.per_row.average("no brief was scored"),
        "f1": metric_value(measures.macro_f1, n, "no brief was scored"),
        "acs": of_class(measures.discipline, PROPOSE),
        "mds": of_class(measures.discipline, REQUEST),
        "ids": of_class(measures.discipline, INFEASIBLE),
        "subtype_f1": metric_value(measures.subtype_f1, n, "no brief was scored"),
        "comp": metric_value(headline(rows, everyone), n, a_class_is_missing),
        "recall_propose": recall[PROPOSE],
        "recall_request": recall[REQUEST],
        "recall_infeasible": recall[INFEASIBLE],
        "over_action": spurious[PROPOSE],
        "over_refusal": metric_value(refusals, n, "every scored brief calls for the same refusal"),
        "missing_info_miss": complement(recall[REQUEST]),
        "spurious_request": spurious[REQUEST],
        "spurious_infeasible": spurious[INFEASIBLE],
        "precision_propose": precision[PROPOSE],
        "precision_request": precision[REQUEST],
        "precision_infeasible": precision[INFEASIBLE],
        "non_invalid": marked(taken.sum(axis=1), everyone).average("no brief was scored"),
        "action_alignment": metric_value(1.0 - apart / n if n else np.nan, n, "no brief was scored"),
    }


def bounds(rows: Rows, lost: Sequence[Task], convention: Convention) -> tuple[float, float] | None:
    """Between what the composite lies whatever the briefs without a score were answered.

    The upper end is the composite with all of them right. The lower end counts each of them as every wrong action at
    once, so that no answers give less, and mostly none give as little. None when a gold class does not occur.
    """
    names = sorted({*rows.names, *(task.subtype for task in lost)})
    counts, more = np.zeros((len(names), 3, 4)), np.zeros((len(names), 3))
    counts[[names.index(name) for name in rows.names]] = confusion(rows, np.ones(len(rows.cells)))
    for task in lost:
        more[names.index(task.subtype), ACTIONS.index(_gold(task))] += 1
    hits, gold, predicted = _margins(counts)
    wrong = more.sum(axis=-1, keepdims=True) - more
    low = _measures(hits, gold + more, predicted + wrong).composite
    high = _measures(hits + more, gold + more, predicted + more).composite
    return None if np.isnan(low) else (float(low), float(high))


def _gold(task: Task) -> str:
    action = task.gold["action"]
    if action not in ACTIONS:
        raise ValueError(f"{task.task_id}: the gold action must be one of {', '.join(ACTIONS)}, got {action!r}")
    return action


def _judged_action(record: Record, convention: Convention) -> str | None:
    """The action that the accuracy looks at.

    The authors' accuracy looks at the action after their harness tried to evaluate the design, which fails
    for briefs that withhold a number; all their other P1 measures, and the paper's text, look at the model's
    action.
    """
    action = effective_action(record)
    if convention == "released" and action is not None and record.steps[-1].harness_action is not None:
        return record.steps[-1].harness_action
    return action


def _margins(table: Array) -> tuple[Array, Array, Array]:
    """Hits, gold counts and predicted counts by class (..., 3) of a table (..., 3, 4)."""
    return np.diagonal(table, axis1=-2, axis2=-1), table.sum(axis=-1), table[..., :3].sum(axis=-2)


def _macro_f1(hits: Array, gold: Array, predicted: Array) -> Array:
    """Unweighted mean of F1 = 2 hits / (gold + predicted) over classes with gold support; NaN if none."""
    supported = gold > 0
    f1 = np.where(supported, divide(2 * hits, gold + predicted), 0.0)
    return divide(f1.sum(axis=-1), supported.sum(axis=-1).astype(np.float64))
