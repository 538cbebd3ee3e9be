"""Runs that were not made by us: the authors' logs as run folders, with recorded actions and verdicts.

A line of such a `turns.jsonl` has the usual place (task, epoch, index, attempt) and the reply's text where the release
holds it, and below `recorded` the step as logged. Scoring reads the steps; nothing is judged again.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vehbench_hf.runlog.settings import write_run_json
from vehbench_hf.types import Record, Step, Task
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
                        "reference_power_uw": record.reference_power_uw,
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


def read_recorded(folder: Path, tasks: Iterable[Task]) -> tuple[dict[str, list[Record]], list[str]]:
    """Records of `tasks` from a recorded run, and a sentence for every line that could not be read."""
    wanted = {task.task_id: task for task in tasks}
    steps: dict[str, list[Step]] = {}
    last: dict[str, dict[str, Any]] = {}
    problems = []
    lines = (folder / "turns.jsonl").read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
            task_id, recorded = body["task"], body["recorded"]
            if task_id in wanted:
                steps.setdefault(task_id, []).append(_step(recorded))
                last[task_id] = recorded
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            problems.append(f"turns.jsonl:{number} is not a recorded step ({type(error).__name__}); it is left out")
    records = {
        task_id: [
            Record(
                task_id=task_id,
                probe=wanted[task_id].probe,
                outcome=last[task_id]["outcome"],
                steps=tuple(found),
                recorded=True,
                reference_power_uw=last[task_id]["reference_power_uw"],
                calls=len(found),
            )
        ]
        for task_id, found in steps.items()
    }
    return records, problems


def _step(body: dict[str, Any]) -> Step:
    verdict = body["verdict"]
    return Step(
        action=body["action"],
        design=body["design"],
        verdict=None
        if verdict is None
        else Verdict(**{**verdict, "violations": tuple(Violation(**v) for v in verdict["violations"])}),
        ranking=tuple(body["ranking"]),
        missing_fields=tuple(body["missing_fields"]),
        repairs=tuple(body["repairs"]),
        harness_action=body["harness_action"],
    )
