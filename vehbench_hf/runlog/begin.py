"""Beginning a run: its folder, and the one place that writes the `run.json` of a run of ours."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import RunError
from vehbench_hf.prompts import prompt_texts
from vehbench_hf.runlog.answering import answering
from vehbench_hf.runlog.differences import setting_differences
from vehbench_hf.runlog.lines import turn_files
from vehbench_hf.runlog.run_json import RunJson, read_run_json, write_run_json
from vehbench_hf.runlog.settings import RunSettings
from vehbench_hf.safe_files import printable
from vehbench_hf.versions import __version__


def make_folder(folder: Path) -> None:
    """Make the run folder; one that is there must be empty or a run, or what is left of one that was just begun."""
    try:
        names = [file.name for file in folder.iterdir()] if folder.exists() else []
        if "run.json" not in names and not all(name.startswith(("run.json.", "turns")) for name in names):
            raise RunError(f"{folder} is not empty and not a run; give another --out.")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the run folder {folder}: {error.strerror}") from None


def begin_run(folder: Path, settings: RunSettings, bank: Bank, writing: Path, *, begun: str | None = None) -> RunJson:
    """Write `run.json`, or check that the one there was made with the same settings. Raises RunError if it was not.

    `writing` is the turn file that this process holds. While it is the only one and empty, nobody has made a call in
    this folder, so that a first attempt with refused settings does not bind the next one. `begun` is the time that is
    stored, now unless given. Returns what `run.json` holds then, so that the caller sees with which version it began.
    """
    with _locked(folder):
        stored = read_run_json(folder) if (folder / "run.json").exists() else None
        unused = turn_files(folder) == [writing] and writing.stat().st_size == 0
        if stored is None or (unused and stored.get("kind") == "model"):
            body: RunJson = {
                "kind": "model",
                "settings": settings.flat(),
                "bank": os.path.relpath(bank.path.resolve(), folder.resolve()),
                "versions": {"vehbench": __version__, "python": sys.version.split()[0]},
                "begun": begun or datetime.now(UTC).isoformat(timespec="seconds"),
                "prompts": prompt_texts(),
            }
            write_run_json(folder, body)
            return body
    kind = [] if stored.get("kind") == "model" else [f"kind: the run has {stored.get('kind')!r}, now 'model'"]
    differing = kind + setting_differences(stored["settings"], settings.flat())
    if differing:
        raise RunError(
            f"{folder} holds a run with other settings; give another --out, or these settings again:\n  "
            + "\n  ".join(differing)
        )
    return stored


def note_backend(folder: Path, used: dict[str, Any], *, same_model: bool = True) -> None:
    """Add what a session really used to `run.json`, if an earlier session did not use the very same.

    Raises RunError where earlier sessions asked another server or other weights, unless the user says by `same_model`
    that the same model answers there.
    """
    with _locked(folder):
        body = read_run_json(folder)
        known = body.get("backends")
        known = known if isinstance(known, list) else []
        answered = [answering(each) for each in known]
        if answered and answering(used) not in answered and not same_model:
            raise RunError(
                f"{folder} was answered by {'; '.join(map(printable, answered))}, and now "
                f"{printable(answering(used))} would go on. Give --same-model if the same model answers there, or "
                "another --out."
            )
        if used not in known:
            write_run_json(folder, {**body, "backends": [*known, used]})


def _locked(folder: Path) -> FileLock:
    # Shards of one run claim the same folder; each has its own turn file, so this file needs a lock of its own.
    return FileLock(folder / "run.json.lock")
