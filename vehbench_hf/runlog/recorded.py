"""Runs that were not made by us: the authors' logs as run folders, with recorded actions and verdicts.

A line of such a `turns.jsonl` has the usual place (task, epoch, index, attempt) and the reply's text where the release
holds it, and below `recorded` the step as logged. Scoring reads the steps; nothing is judged again.
"""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from vehbench_hf.errors import RunError
from vehbench_hf.runlog.run_json import write_run_json
from vehbench_hf.safe_files import read_lines
from vehbench_hf.types import OUTCOMES, Outcome, Record, Step, Task
from vehbench_oracle import Verdict, Violation


def write_recorded_run(
    folder: Path,
    *,
    model: str,
    bank_version: str,
    bank_fingerprint: str,
    bank_path: str,
    records: Iterable[Record],
    replies: dict[str, str | None],
    notes: list[str],
    reference_generation: str | None,
) -> None:
    """Write records as a run folder; the same records give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "turns.jsonl").open("w", encoding="ascii", newline="\n") as stream:
        for record in records:
            for index, step in enumerate(record.steps):
                body = {
                    "task": record.task_id,
                    "epoch": record.epoch,
                    "index": index,
                    "attempt": 0,
                    "text": replies.get(record.task_id) if index == len(record.steps) - 1 else None,
                    "recorded": {
                        **asdict(step),
                        "outcome": record.outcome,
                        "reference_power_uw": record.reference_value,
                    },
                }
                stream.write(json.dumps(body, allow_nan=False) + "\n")
    write_run_json(
        folder,
        {
            "kind": "recorded",
            "settings": {"model": model, "bank_version": bank_version, "bank_fingerprint": bank_fingerprint},
            "bank": bank_path,
            "harness": "authors' harness, prompts unreleased",
            "reference_generation": reference_generation,
            "notes": notes,
        },
    )


class _Line(NamedTuple):
    """One step of a recorded run with what is known of its whole episode."""

    step: Step
    outcome: Outcome
    reference_value: float | None


def read_recorded(folder: Path, tasks: Iterable[Task]) -> tuple[dict[str, list[Record]], list[str]]:
    """Records of `tasks` from a recorded run, and a sentence for everything that could not be read.

    An episode of which a step is lost is left out whole: scoring a part of it would be another episode's score.
    """
    wanted = {task.task_id: task for task in tasks}
    episodes: dict[str, dict[int, _Line]] = {}
    broken: set[str] = set()
    problems = []
    try:
        lines = [line or b"" for line in read_lines(folder / "turns.jsonl")]
    except OSError as error:
        raise RunError(f"{folder / 'turns.jsonl'} cannot be read: {error.strerror}.") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
            task_id, index = body["task"], body["index"]
            if not isinstance(index, int):
                raise TypeError("the place of a step is a whole number")
            if task_id in wanted and index in episodes.get(task_id, {}):
                problems.append(f"turns.jsonl:{number} repeats a step; the first one counts")
            elif task_id in wanted:
                episodes.setdefault(task_id, {})[index] = _line(body["recorded"])
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            problems.append(f"turns.jsonl:{number} is not a recorded step ({type(error).__name__}); it is left out")
    records = {}
    for task_id, steps in episodes.items():
        if sorted(steps) != list(range(len(steps))):
            broken.add(task_id)
            continue
        last = steps[len(steps) - 1]
        records[task_id] = [
            Record(
                task_id=task_id,
                probe=wanted[task_id].probe,
                outcome=last.outcome,
                steps=tuple(steps[index].step for index in range(len(steps))),
                recorded=True,
                reference_value=last.reference_value,
                calls=len(steps),
            )
        ]
    problems += [f"{task_id}: a step is missing; the episode is left out" for task_id in sorted(broken)]
    return records, problems


def _line(body: dict[str, Any]) -> _Line:
    """A recorded line. Raises ValueError, KeyError or TypeError when a value is not of its kind."""
    if body["outcome"] not in OUTCOMES:
        raise ValueError(f"unknown outcome {body['outcome']!r}")
    step = Step(
        action=str(body["action"]),
        design=None if body["design"] is None else _numbers(body["design"]),
        verdict=None if body["verdict"] is None else _verdict(body["verdict"]),
        ranking=tuple(str(name) for name in body["ranking"]),
        missing_fields=tuple(str(name) for name in body["missing_fields"]),
        repairs=tuple(str(text) for text in body["repairs"]),
        harness_action=body["harness_action"],
    )
    reference = body["reference_power_uw"]
    return _Line(step, body["outcome"], None if reference is None else _number(reference))


def _verdict(body: dict[str, Any]) -> Verdict:
    if not isinstance(body["feasible"], bool):
        raise TypeError("feasible must be true or false")
    return Verdict(
        feasible=body["feasible"],
        objective=None if body["objective"] is None else _number(body["objective"]),
        metrics=_numbers(body["metrics"]),
        slack=_numbers(body["slack"]),
        violations=tuple(Violation(**v) for v in body["violations"]),
        total_violation=_number(body["total_violation"]),
        message=str(body["message"]),
    )


def _numbers(body: dict[str, Any]) -> dict[str, float]:
    return {str(name): _number(value) for name, value in body.items()}


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a finite number, got {str(value)[:20]!r}")
    return float(value)
