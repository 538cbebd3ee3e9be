"""Predictions of a metric: what a person has of a model's answer, made into the replies that an episode reads.

| probe | a prediction is |
|---|---|
| P1 | an action, or a reply text |
| P2, P3 | the final design, or a trajectory: a list of designs or reply texts in order |
| P4 | a ranking (a list of candidate ids, best first), or a reply text |

A reply may also be a mapping `{"text", "finish_reason", "error"}`, so that cut, refused and failed calls keep their
class; a list of such mappings is an episode call by call, retries included.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from vehbench_hf.domains import DOMAINS
from vehbench_hf.errors import MetricInputError
from vehbench_hf.parsing import ACTIONS
from vehbench_hf.types import Probe, Reply

_REPLY_FIELDS = ("text", "finish_reason", "error", "note")
_ANSWER_FIELDS = ("action", "design", "ranking")


class Prediction(NamedTuple):
    """The replies of one episode in order; `final` says that a single P2 or P3 design stands for the whole of it."""

    replies: tuple[Reply, ...]
    final: bool


def read_prediction(value: object, probe: Probe, row: int) -> Prediction:
    """The replies behind one prediction. What a model may get wrong is left to the episode.

    Raises MetricInputError with the row for what is no prediction at all: nothing, a number, an unknown mapping.
    """
    where = f"row {row} of predictions"
    if value is None:
        raise MetricInputError(
            f"{where}: nothing there; leave the row out of both lists, or pass '' for an empty reply."
        )
    if isinstance(value, list | tuple):
        if not value:
            raise MetricInputError(f"{where}: an empty list; expected {_expected(probe)}.")
        if probe == "p4" and not all(isinstance(item, Mapping) for item in value):
            return Prediction((_ranking(list(value), where),), False)
        replies = [_reply(item, probe, f"{where}, item {i}") for i, item in enumerate(value)]
        return Prediction(tuple(replies), False)
    return Prediction((_reply(value, probe, where),), probe in ("p2", "p3"))


def _reply(value: object, probe: Probe, where: str) -> Reply:
    if isinstance(value, str):
        named = value.strip() in ACTIONS[probe] and probe != "p4"
        return Reply(json.dumps({"action": value.strip()}) if named else value)
    if not isinstance(value, Mapping):
        raise MetricInputError(f"{where}: expected {_expected(probe)}, got {type(value).__name__} {str(value)[:40]!r}.")
    if "text" in value or "error" in value:
        return _logged(value, where)
    if probe in ("p2", "p3") and any(name in value for domain in DOMAINS.values() for name in domain.variables):
        return Reply(_json({"action": "propose_design", "design": value}, where))
    if any(name in value for name in _ANSWER_FIELDS):
        return Reply(_json(value, where))
    keys = ", ".join(str(key)[:20] for key in list(value)[:8])
    raise MetricInputError(f"{where}: expected {_expected(probe)}, got a mapping with the keys {keys or 'none'}.")


def _logged(value: Mapping[str, Any], where: str) -> Reply:
    """A reply with its finish reason. Other fields of a log line, such as its place, are of no use here."""
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
    return Reply(_json({"ranking": value}, where))


def _json(value: object, where: str) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise MetricInputError(f"{where}: cannot be written as JSON ({error}).") from None


def _expected(probe: Probe) -> str:
    return {
        "p1": f"an action ({', '.join(ACTIONS['p1'])}) or a reply text",
        "p2": "a design (a mapping of the six variables), a reply text, or a list of either",
        "p3": "a design (a mapping of the six variables), a reply text, or a list of either",
        "p4": "a ranking (a list of candidate ids, best first) or a reply text",
    }[probe]
