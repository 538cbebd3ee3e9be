"""`run.json`, what a run folder says about itself, and JSON files written in one step."""

import contextlib
import json
import os
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from vehbench_hf.errors import RunError

RUN_SCHEMA = "vehbench-run-1"


class RunJson(TypedDict):
    """The content of `run.json`.

    `kind` is "model" for a run of ours and "recorded" for one imported from the authors' logs. `settings` are those of
    `RunSettings.flat`; an imported run has model and bank alone. `bank` is the path of the bank, from the run folder.
    The rest is there for the reader: `versions` of vehbench and Python, when the run was `begun`, the texts of its
    `prompts`, what each session really used (`backends`); of an imported run its `harness`, the
    `reference_generation` its ratios divide by, and `notes`.
    """

    schema: NotRequired[str]
    kind: NotRequired[str]
    settings: dict[str, Any]
    bank: str
    versions: NotRequired[dict[str, str]]
    begun: NotRequired[str]
    prompts: NotRequired[dict[str, str]]
    backends: NotRequired[list[dict[str, Any]]]
    harness: NotRequired[str]
    reference_generation: NotRequired[str | None]
    notes: NotRequired[list[str]]


def write_run_json(folder: Path, body: RunJson) -> None:
    """Write `run.json` in one step, so that a killed process leaves the old file or the new one."""
    write_json(folder / "run.json", {"schema": RUN_SCHEMA, **body})


def write_json(file: Path, body: Any) -> None:
    """Write a JSON file by way of a temporary neighbour. Raises RunError when the disk takes no more."""
    text = json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    beside = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise RunError(f"cannot write {file}: {error.strerror}") from None


def write_scores(folder: Path, scores: Any) -> None:
    """Write `scores.json` beside a log; where the disk takes no more, a line under `problems` of `scores` says so."""
    try:
        write_json(folder / "scores.json", scores)
    except RunError as error:
        scores["problems"].append(f"{error} The scores are only shown here.")


def read_run_json(folder: Path) -> RunJson:
    """The content of `run.json`. Raises RunError when it is absent or not one of ours."""
    file = folder / "run.json"
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{folder} is not a run: {file} is missing. Give the folder that `vehbench run` made.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{file} cannot be read: {error}") from None
    if not isinstance(body, dict) or body.get("schema") != RUN_SCHEMA or not isinstance(body.get("settings"), dict):
        raise RunError(f"{file}: expected a run of schema {RUN_SCHEMA!r}.")
    settings = body["settings"]
    epochs = settings.get("epochs", 1)
    if not (isinstance(body.get("bank"), str) and isinstance(settings.get("bank_fingerprint"), str)):
        raise RunError(f"{file} does not name the bank of the run; it was damaged.")
    if isinstance(epochs, bool) or not isinstance(epochs, int) or not 1 <= epochs <= 10_000:
        raise RunError(f"{file}: epochs must be a whole number from 1, got {str(epochs)[:40]!r}.")
    return cast("RunJson", body)
