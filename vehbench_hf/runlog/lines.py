"""Turns as lines of JSON, and reading a log back whatever state it was left in."""

import json
import math
import re
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from vehbench_hf.errors import RunError
from vehbench_hf.safe_files import read_lines
from vehbench_hf.types import Reply, Turn, Usage

T = TypeVar("T")

TURN_FILE = re.compile(r"turns[\w-]{0,60}\.jsonl", re.ASCII)
MAX_COUNT = 2**53
"""Of tokens, repeats and calls: whole numbers up to here are floats as well."""
NAMED = 20
"""Of so many broken lines of a file the numbers are told."""


class ReadTurns(NamedTuple):
    """The turns that could be read, and a sentence for every line that could not."""

    turns: list[Turn]
    problems: list[str]


def turn_to_line(turn: Turn) -> str:
    """One line without its line break. Pure ASCII, so that lone surrogates and control characters survive."""
    body = {
        "task": turn.task_id,
        "epoch": turn.epoch,
        "index": turn.index,
        "attempt": turn.attempt,
        "time": turn.time,
        "request_hash": turn.request_hash,
        **_without_nulls({**vars(turn.reply), "usage": vars(turn.reply.usage)}),
    }
    return json.dumps(body, ensure_ascii=True, allow_nan=False)


def line_to_turn(line: str) -> Turn:
    """The turn of a line. Raises ValueError (also KeyError, TypeError) when it is not one."""
    body = _object(json.loads(line))
    usage = _object(body.get("usage", {}))
    return Turn(
        task_id=_a(str, body["task"]),
        epoch=_a(int, body["epoch"]),
        index=_a(int, body["index"]),
        attempt=_a(int, body["attempt"]),
        time=_maybe(str, body.get("time")),
        request_hash=_maybe(str, body.get("request_hash")),
        reply=Reply(
            **{name: _maybe(str, body.get(name)) for name in _REPLY_TEXTS},
            usage=Usage(**{name: _maybe(int, usage.get(name)) for name in _COUNTS}),
            latency_s=None if body.get("latency_s") is None else _seconds(body["latency_s"]),
        ),
    )


def turn_files(folder: Path) -> list[Path]:
    """The turn files of a run, shards included, in a fixed order."""
    return sorted(file for file in folder.glob("turns*.jsonl") if TURN_FILE.fullmatch(file.name))


def read_turns(folder: Path) -> ReadTurns:
    """All turns of a run, merged over its shards.

    A half-written last line is dropped silently: the call behind it is simply made again. Any other line that is not a
    turn is left out and named, so that the rest stays readable; of very many, only the first are named. Raises RunError
    for a file that cannot be read.
    """
    turns, problems = [], []
    for file in turn_files(folder):
        broken = 0
        try:
            for number, line in enumerate(read_lines(file), start=1):
                try:
                    turns.append(line_to_turn((line or b"").decode("utf-8")))
                except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
                    broken += 1
                    if broken <= NAMED:
                        problems.append(f"{file.name}:{number} is not a turn ({type(error).__name__}); it is left out")
        except OSError as error:
            raise RunError(f"{file} cannot be read: {error.strerror}.") from None
        if broken > NAMED:
            problems.append(f"{file.name}: {broken - NAMED} more lines are no turns; they are left out")
    return ReadTurns(turns, problems)


def _without_nulls(body: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in body.items() if value is not None}
    kept["usage"] = {name: value for name, value in kept["usage"].items() if value is not None}
    return {name: value for name, value in kept.items() if value != {}}


def _object(value: object) -> dict[str, Any]:
    return _a(dict, value)


def _a(kind: type[T], value: object) -> T:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    if isinstance(value, int) and abs(value) > MAX_COUNT:
        raise ValueError("a number is larger than any count")
    return value


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError("latency_s is no number of seconds")
    return float(value)


def _maybe(kind: type[T], value: object) -> T | None:
    return None if value is None else _a(kind, value)


_REPLY_TEXTS = (
    "text",
    "reasoning",
    "finish_reason",
    "error",
    "served_model",
    "system_fingerprint",
    "request_id",
    "note",
)
_COUNTS = ("input", "cached", "output", "reasoning")
