"""P1, credible triage: one action per brief, scored by class. Paper: (A-23) to (A-27), (A-36) to (A-40).

Everything but the accuracy is a function of the confusion counts by subtype, so that a resample is a weighted
count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vehbench_hf.scoring.parts import Array, Column, Part, complement, divide, part, row_mean
from vehbench_hf.scoring.rows import Row
from vehbench_hf.types import Convention, Record, Task

HEADLINE = "p1_composite"
HEADLINE_PART = "comp"

ACTIONS = ("propose_design", "declare_infeasible", "request_missing_info")
PROPOSE, INFEASIBLE, REQUEST = range(3)
NO_CLASS = 3
"""Predicted column of everything that is none of the three actions: unreadable replies, replan."""


@dataclass(frozen=True)
class Rows:
    """`cells` (N, S * 3 * 4) marks the subtype, gold class and predicted column of each row."""

    cells: Array
    subtypes: int
    correct: Column


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


def rows(scored: Sequence[Row], convention: Convention) -> Rows:
    """Codes of all rows. The accuracy alone depends on the convention, see `_judged_action`."""
    subtypes = sorted({row.task.subtype for row in scored})
    cells = np.zeros((len(scored), len(subtypes), 3, 4))
    for i, (task, record) in enumerate(scored):
        action = effective_action(record)
        predicted = ACTIONS.index(action) if action in ACTIONS else NO_CLASS
        cells[i, subtypes.index(task.subtype), ACTIONS.index(_gold(task)), predicted] = 1
    correct = row_mean(_judged_action(row.record, convention) == _gold(row.task) for row in scored)
    return Rows(cells.reshape(len(scored), len(subtypes) * 12), len(subtypes), correct)


def effective_action(record: Record) -> str | None:
    """The action the model took; None when no action could be read."""
    return record.steps[-1].action if record.outcome == "ok" and record.steps else None


def confusion(of: Rows, weights: Array) -> Array:
    """Weighted confusion counts (..., S, 3, 4) for weights (..., N)."""
    counts: Array = (weights @ of.cells).reshape(*weights.shape[:-1], of.subtypes, 3, 4)
    return counts


def measure(counts: Array) -> Measures:
    """All class measures of confusion counts (..., S, 3, 4): subtype, gold class, predicted column."""
    table = counts.sum(axis=-3)
    hits, gold, predicted = _margins(table)
    recall = divide(hits, gold)
    spurious = divide(predicted - hits, gold.sum(axis=-1, keepdims=True) - gold)
    discipline = recall * (1 - spurious)  # to, (A-38) to
    macro_f1 = _macro_f1(table)
    by_subtype = _macro_f1(counts)
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


def headline(of: Rows, weights: Array) -> Array:
    """P1-Composite, in [0, 1], for weights (..., N); NaN where a gold class has no weight."""
    return measure(confusion(of, weights)).composite


def parts(of: Rows) -> dict[str, Part]:
    """The columns of Table 18, the recalls, and the three error families (rates, lower is better)."""
    everyone = np.ones(len(of.cells))
    counts = confusion(of, everyone)
    found, gold = measure(counts), counts.sum(axis=(0, 2))
    n = len(of.cells)
    support = [f"no scored brief has the gold action {name}" for name in ACTIONS]
    a_class_is_missing = next((support[c] for c in range(3) if gold[c] == 0), "no brief was scored")

    def of_class(values: Array, c: int) -> Part:
        return part(
            values[c],
            n,
            support[c] if gold[c] == 0 else f"every scored brief has the gold action {ACTIONS[c]}",
        )

    recall = [part(found.recall[c], int(gold[c]), support[c]) for c in range(3)]
    refusals = np.minimum(1.0, found.spurious[REQUEST] + found.spurious[INFEASIBLE])
    return {
        "acc": of.correct.part("no brief was scored"),
        "f1": part(found.macro_f1, n, "no brief was scored"),
        "acs": of_class(found.discipline, PROPOSE),
        "mds": of_class(found.discipline, REQUEST),
        "ids": of_class(found.discipline, INFEASIBLE),
        "subtype_f1": part(found.subtype_f1, n, "no brief was scored"),
        "comp": part(headline(of, everyone), n, a_class_is_missing),
        "recall_propose": recall[PROPOSE],
        "recall_request": recall[REQUEST],
        "recall_infeasible": recall[INFEASIBLE],
        "over_action": part(found.spurious[PROPOSE], n - int(gold[PROPOSE]), "every scored brief calls for a design"),
        "over_refusal": part(refusals, n, "every scored brief calls for the same refusal"),
        "missing_info_miss": complement(recall[REQUEST]),
    }


def extremes(task: Task, convention: Convention) -> None:
    """None: what the worst answer to one brief does to the composite depends on all the others."""
    return None


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


def _macro_f1(table: Array) -> Array:
    """Unweighted mean of F1 = 2 hits / (gold + predicted) over classes with gold support; NaN if none."""
    hits, gold, predicted = _margins(table)
    supported = gold > 0
    f1 = np.where(supported, divide(2 * hits, gold + predicted), 0.0)
    return divide(f1.sum(axis=-1), supported.sum(axis=-1).astype(np.float64))
