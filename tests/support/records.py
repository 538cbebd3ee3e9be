"""Changing a submitted record and its log as a forger would: in one place, or so that everything fits again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.fetch import fetch
from vehbench_hf.hub.submitted_record import log_hashes, public_run_json, record_id, rows_text, run_json_hash
from vehbench_hf.hub.verification import check_record
from vehbench_hf.runlog import load_run
from vehbench_hf.runlog.differences import deviations
from vehbench_hf.scoring import score_run

Change = Callable[[Any], Any]


def log_of(file: Path) -> Path:
    """The folder of the log of a record file."""
    return file.parent.parent / "logs" / file.stem


def rows_of(file: Path) -> Path:
    """The file of rows of a record file."""
    return file.parent.parent / "rows" / f"{file.stem}.jsonl"


def differences(file: Path, bank: Bank) -> list[str]:
    """What a check of a record file finds."""
    record, log, _ = fetch(str(file), file.parent)
    return check_record(record, log, bank).differences


def change_json(file: Path, change: Change) -> None:
    """Change the object in a JSON file in place."""
    body = json.loads(file.read_text())
    change(body)
    file.write_text(json.dumps(body))


def change_lines(file: Path, change: Change) -> None:
    """Change the list of objects in a file of JSON lines in place, or to what `change` gives."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines = change(lines) or lines
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def refit(file: Path, bank: Bank | None = None, change: Change = lambda record: None) -> Path:
    """Make every hash and setting of a record fit its log again, with a bank its scores and rows too; its new place.

    `change` is made last, before the id is computed.
    """
    log = log_of(file)
    info = json.loads((log / "run.json").read_text())
    record = json.loads(file.read_text())
    record |= {
        "log": log_hashes(log),
        "settings": info["settings"],
        "deviations": deviations(info["settings"]),
        "run_json": run_json_hash(public_run_json(info)),
    }
    if bank is not None:
        scores = score_run(load_run(log, bank, tasks=bank.tasks))
        record["comparability"] = scores["comparability"]
        record["scores"] = {name: value for name, value in scores.items() if name not in ("versions", "problems")}
    change(record)
    record["id"] = record_id(record)
    moved = file.with_name(f"{record['id']}.json")
    file.unlink()
    moved.write_text(json.dumps(record))
    if moved != file:
        shutil.move(log, log_of(moved))
        rows_of(file).unlink()
    try:
        rows_of(moved).write_text(rows_text(record))
    except (KeyError, TypeError, AttributeError):
        rows_of(moved).write_text("")  # of a record that says too little for rows
    return moved
