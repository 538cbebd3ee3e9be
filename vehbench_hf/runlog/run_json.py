"""`run.json`, what a run folder says about itself, and JSON files written in one step."""

import json
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from vehbench_hf.bank.row_types import faults
from vehbench_hf.domains import DEFAULT_DOMAIN
from vehbench_hf.errors import RunError, UserError
from vehbench_hf.runlog.settings import setting_faults
from vehbench_hf.safe_files import MAX_JSON_BYTES, parse_json, printable, read_plain, replace_file

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
    try:
        replace_file(file, text.encode("utf-8"))
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from None


def write_scores(folder: Path, scores: Any) -> None:
    """Write `scores.json` beside a log; where the disk takes no more, a line under `problems` of `scores` says so."""
    try:
        write_json(folder / "scores.json", scores)
    except RunError as error:
        scores["problems"].append(f"{error} The scores are only shown here.")


def read_json_object(file: Path, most: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """The object in a JSON file of a run. Raises FileNotFoundError, and RunError for anything else that it is not."""
    try:
        body = parse_json(read_plain(file, most))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        why = str(error) if isinstance(error, UserError) else f"{file} cannot be read: {error}"
        raise RunError(printable(why)) from None
    if not isinstance(body, dict):
        raise RunError(f"{file} holds a {type(body).__name__}; expected a JSON object.")
    return body


def read_run_json(folder: Path) -> RunJson:
    """The content of `run.json`. Raises RunError when it is absent or not one of ours."""
    file = folder / "run.json"
    try:
        body = read_json_object(file)
    except FileNotFoundError:
        raise RunError(f"{folder} is not a run: {file} is missing. Give the folder that `vehbench run` made.") from None
    if body.get("schema") != RUN_SCHEMA or not isinstance(body.get("settings"), dict):
        raise RunError(f"{file}: expected a run of schema {RUN_SCHEMA!r}.")
    settings = body["settings"]
    if not (isinstance(body.get("bank"), str) and isinstance(settings.get("bank_fingerprint"), str)):
        raise RunError(f"{file} does not name the bank of the run; it was damaged.")
    parts = [fault for name, kind in _KINDS.items() if name in body for fault in _faults(body[name], kind, name)]
    for fault in (*parts, *setting_faults(settings)):
        raise RunError(printable(f"{file}: {fault}; it was damaged or written by something else."))
    return cast("RunJson", body)


_KINDS: dict[str, Any] = {
    "kind": str,
    "versions": dict[str, str],
    "begun": str,
    "prompts": dict[str, str],
    "backends": list[dict[str, Any]],
    "harness": str,
    "reference_generation": str | None,
    "notes": list[str],
}


def _faults(value: object, kind: Any, name: str) -> list[str]:
    return list(faults(value, kind, name, DEFAULT_DOMAIN))
