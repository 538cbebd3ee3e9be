"""Predictions of a metric: what a person has of a model's answer, made into the replies that an episode reads.

| probe | a prediction is |
|---|---|
| P1 | an action, or a reply text |
| P2, P3 | the final design, or a trajectory: a list of designs or reply texts in order |
| P4 | a ranking (a list of candidate ids, best first), or a reply text |

A reply may also be a mapping `{"text", "finish_reason", "error"}`, so that cut, refused and failed calls keep their
class; a list of such mappings is an episode call by call, retries included. A line of `turns.jsonl` is such a mapping.
Where one says its place, it must be that of the reference: a run logs its calls as they end, not as the rows stand.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from vehbench_hf.errors import MetricInputError
from vehbench_hf.metrics.references import UNNAMED
from vehbench_hf.parsing import ACTIONS
from vehbench_hf.types import Probe, Reply, Task

_REPLY_FIELDS = ("text", "finish_reason", "error", "note")
_ANSWER_FIELDS = ("action", "design", "ranking")
_EXPECTED: dict[Probe, str] = {
    "p1": f"an action ({', '.join(ACTIONS['p1'])}) or a reply text",
    "p2": "a design (a mapping of the variables), a reply text, or a list of either",
    "p3": "a design (a mapping of the variables), a reply text, or a list of either",
    "p4": "a ranking (a list of candidate ids, best first) or a reply text",
}


class Prediction(NamedTuple):
    """The replies of one episode in order; `final` says that a single P2 or P3 design stands for the whole of it."""

    replies: tuple[Reply, ...]
    final: bool


def read_prediction(value: object, task: Task, row: int) -> Prediction:
    """The replies that a prediction for a task stands for.

    Raises MetricInputError for what cannot be one, and for one that says to be of another task; a text that cannot be
    read as an answer is none of those and scores as a format error.
    """
    where, expected = f"row {row} of predictions", _EXPECTED[task.probe]
    if value is None:
        raise MetricInputError(
            f"{where}: nothing there; leave the row out of both lists, or pass '' for an empty reply."
        )
    if not isinstance(value, list):
        return Prediction((_reply(value, task, where),), task.probe in ("p2", "p3"))
    if not value:
        raise MetricInputError(f"{where}: an empty list; expected {expected}.")
    if task.probe == "p4" and not all(isinstance(item, Mapping) for item in value):
        return Prediction((_ranking(value, where),), False)
    _check_order(value, where)
    return Prediction(tuple(_reply(item, task, f"{where}, item {i}") for i, item in enumerate(value)), False)


def _reply(value: object, task: Task, where: str) -> Reply:
    probe = task.probe
    if isinstance(value, str):
        named = value.strip() in ACTIONS[probe] and probe != "p4"
        return Reply(json.dumps({"action": value.strip()}) if named else value)
    if not isinstance(value, Mapping):
        kind = f"{type(value).__name__} {str(value)[:40]!r}"
        raise MetricInputError(f"{where}: expected {_EXPECTED[probe]}, got {kind}.")
    _check_task(value, task, where)
    if "text" in value or "error" in value:
        return _logged(value, where)
    if probe in ("p2", "p3") and any(name in value for name in task.problem.variables):
        return Reply(json.dumps({"action": "propose_design", "design": value}))
    if any(name in value for name in _ANSWER_FIELDS):
        return Reply(json.dumps(value))
    keys = ", ".join(key[:20] for key in list(value)[:8])
    raise MetricInputError(f"{where}: expected {_EXPECTED[probe]}, got a mapping with the keys {keys or 'none'}.")


def _check_task(value: Mapping[str, Any], task: Task, where: str) -> None:
    """Raise MetricInputError for a prediction that names another task than the reference beside it."""
    for name in ("task", "task_id"):
        if value.get(name, task.task_id) != task.task_id:
            other = "names no task" if task.task_id.startswith(UNNAMED) else f"is task {task.task_id!r}"
            raise MetricInputError(
                f"{where}, field {name}: {str(value[name])[:80]!r}, but the reference beside it {other}. "
                "Bring predictions and references into one order."
            )


def _check_order(items: list[Any], where: str) -> None:
    """Raise MetricInputError for lines of a log that are not those of one episode in the order of its calls."""
    places = [[item.get(n) for n in ("epoch", "index", "attempt")] for item in items if isinstance(item, Mapping)]
    logged = [place for place in places if all(isinstance(number, int) for number in place)]
    for before, after in pairwise(logged):
        if before[0] != after[0] or before >= after:
            raise MetricInputError(
                f"{where}: epoch, index and attempt go from {before} to {after}; expected the calls of one episode in "
                "their order."
            )


def _logged(value: Mapping[str, Any], where: str) -> Reply:
    """A reply with its finish reason."""
    for name in _REPLY_FIELDS:
        if not isinstance(value.get(name), str | None):
            raise MetricInputError(f"{where}, field {name}: expected a text or null, got {str(value[name])[:40]!r}.")
    return Reply(
        text=value.get("text"),
        finish_reason=value.get("finish_reason", "stop"),
        error=value.get("error"),
        note=value.get("note"),
    )


def _ranking(value: list[object], where: str) -> Reply:
    for item in value:
        if not isinstance(item, str):
            raise MetricInputError(
                f"{where}: a ranking holds candidate ids as texts, best first; got {type(item).__name__} "
                f"{str(item)[:40]!r}."
            )
    return Reply(json.dumps({"ranking": value}))
