"""The score of predictions against dataset rows: episodes from predictions, then the scoring of any run."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, get_args

import numpy as np

from vehbench_hf.episodes import Episode
from vehbench_hf.errors import MetricInputError
from vehbench_hf.finish_reasons import ending_of
from vehbench_hf.metrics.predictions import Prediction, read_prediction
from vehbench_hf.metrics.references import NO_SUBTYPE, read_reference
from vehbench_hf.paper.release.tasks import BANK_VERSION as BANK_V1
from vehbench_hf.probes import PROBE_TABLE, probe_of_metric
from vehbench_hf.protocol import Protocol
from vehbench_hf.scoring import score
from vehbench_hf.types import Convention, Outcome, Record, Task
from vehbench_hf.versions import SCORER_VERSION


def compute(
    metric: str,
    predictions: Sequence[object],
    references: Sequence[object],
    *,
    convention: Convention | None = None,
    p2_stop: Literal["feasible", "budget"] = "feasible",
) -> dict[str, Any]:
    """The headline of a metric over rows, its 95 % interval, its parts, and the count of each outcome class.

    Rows of one task count as repeats. `convention` None takes that of the bank; `p2_stop` says which rule ended the
    searches. What the rows do not determine is None, with the reason under `undefined`. Raises MetricInputError naming
    row and field.
    """
    probe = probe_of_metric(metric).probe
    _check_options(convention, p2_stop)
    predictions, references = json_values(predictions, "predictions"), json_values(references, "references")
    if len(predictions) != len(references):
        raise MetricInputError(
            f"{len(predictions)} predictions and {len(references)} references; expected one prediction a reference."
        )
    if not references:
        raise MetricInputError("no rows: expected at least one prediction with its reference.")
    tasks = [read_reference(value, probe, row) for row, value in enumerate(references)]
    given = [
        read_prediction(value, task, row) for row, (value, task) in enumerate(zip(predictions, tasks, strict=True))
    ]
    bank = _one_bank(tasks)
    convention = convention or ("released" if bank == BANK_V1 else "defined")
    protocol = Protocol(p2_stop=p2_stop)
    records: dict[str, list[Record]] = {}
    by_id: dict[str, Task] = {}
    for row, (task, prediction) in enumerate(zip(tasks, given, strict=True)):
        known = by_id.setdefault(task.task_id, task)
        if (known.spec, known.gold) != (task.spec, task.gold):
            raise MetricInputError(
                f"row {row} of references: task {task.task_id!r} stands twice with different content."
            )
        episodes = records.setdefault(task.task_id, [])
        try:
            with np.errstate(all="ignore"):
                episodes.append(_record(task, prediction, protocol, len(episodes), row))
        except MetricInputError:
            raise
        # Columns are checked, but not which of their values may be null together; the dataset's rows never end here.
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MetricInputError(
                f"row {row} of references: its spec is that of no task ({type(error).__name__}: {str(error)[:200]}). "
                "Pass the row as the dataset has it."
            ) from None
    with np.errstate(all="ignore"):  # what overflows is refused below
        scores = score(
            list(by_id.values()),
            records,
            convention=convention,
            bank=bank or "unnamed",
            epochs=max(Counter(task.task_id for task in tasks).values()),
        )["probes"][probe]
    result = _result(metric, scores, PROBE_TABLE[probe].headline_part)
    numbers = (result[metric], *result["parts"].values(), *(result["interval"] or ()))
    if any(value is not None and not math.isfinite(value) for value in numbers):
        raise MetricInputError("references: a number is so small or so large that a score under it is infinite.")
    if any(prediction.final for prediction in given):
        _drop_parts(
            result, set(result["parts"]) - set(PROBE_TABLE[probe].of_final_designs), "predictions are final designs"
        )
    if probe == "p1" and any(task.subtype == NO_SUBTYPE for task in tasks):
        why = "a reference has no subtype; pass the dataset's rows, or add their column subtype"
        _drop_parts(result, {"subtype_f1", "comp"}, why)
        result |= {metric: None, "interval": None}
        result["undefined"][metric] = why
    return {**result, "convention": convention, "bank": bank, "scorer": SCORER_VERSION}


def json_values(values: Any, name: str) -> list[Any]:
    """The entries of a list, array, column or other iterable as values of JSON, numpy's made plain.

    Raises MetricInputError for anything else: what has no order, or columns where rows are expected.
    """
    frame = hasattr(values, "columns")
    if frame or isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        hint = "; pass its rows, for instance frame.to_dict('records')" if frame else ""
        raise MetricInputError(f"{name}: expected a list with one entry a row, got {type(values).__name__}{hint}.")
    plain = []
    for row, value in enumerate(values):
        try:
            plain.append(json.loads(json.dumps(value, default=_plain)))
        except (TypeError, ValueError, RecursionError) as error:
            raise MetricInputError(f"row {row} of {name}: cannot be written as JSON ({error}).") from None
    return plain


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"got {type(value).__name__}")


def _record(task: Task, prediction: Prediction, protocol: Protocol, epoch: int, row: int) -> Record:
    """The episode that a prediction makes. Replies that end before their episode does end it where it stands."""
    episode = Episode(task.task_id, task.probe, task.spec, protocol, epoch)
    for item, reply in enumerate(prediction.replies):
        if episode.outcome is not None:
            hint = " Searches that go on after a feasible design are scored with p2_stop='budget'."
            raise MetricInputError(
                f"row {row} of predictions: {len(prediction.replies)} items, but the episode is over after {item}."
                f"{hint if task.probe == 'p2' and protocol.p2_stop == 'feasible' else ''}"
            )
        episode.receive(reply)
    if episode.outcome is not None:
        return episode.record()
    unread: Outcome = "truncated" if ending_of(prediction.replies[-1].finish_reason) == "cut" else "format_error"
    return Record(
        task_id=task.task_id,
        probe=task.probe,
        outcome="ok" if episode.attempt == 0 else unread,
        steps=episode.steps,
        epoch=epoch,
        calls=episode.calls,
    )


def _result(metric: str, scores: Mapping[str, Any], headline_part: str) -> dict[str, Any]:
    headline = scores["headline"]
    undefined = dict(scores["undefined"])
    if headline["value"] is None:
        undefined[metric] = undefined[headline_part]
    return {
        metric: headline["value"],
        "interval": headline["interval"],
        "n": headline["n"],
        "parts": dict(scores["parts"]),
        "undefined": undefined,
        "outcomes": scores["outcomes"],
        "not_applicable": scores["not_applicable"],
    }


def _drop_parts(result: dict[str, Any], names: set[str], why: str) -> None:
    for name in names & set(result["parts"]):
        result["parts"][name] = None
        result["undefined"][name] = why


def _one_bank(tasks: Sequence[Task]) -> str | None:
    """The bank version of all rows, None where they name none."""
    first = tasks[0].bank_version
    for row, task in enumerate(tasks):
        if task.bank_version != first:
            raise MetricInputError(
                f"row {row} of references, field bank_version: {task.bank_version!r} beside {first!r} in row 0; "
                "scores of different banks do not mix, compute them apart."
            )
    return first or None


def _check_options(convention: object, p2_stop: object) -> None:
    for name, value, right, expected in (
        ("convention", convention, convention in (None, *get_args(Convention)), "'defined' or 'released'"),
        ("p2_stop", p2_stop, p2_stop in ("feasible", "budget"), "'feasible' or 'budget'"),
    ):
        if not right:
            raise MetricInputError(f"option {name}: expected {expected}, got {str(value)[:40]!r}.")
