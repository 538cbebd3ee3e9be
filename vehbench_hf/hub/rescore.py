"""Scores of a log, computed again in a place of its own, and what in a run differs from the default."""

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import BankError
from vehbench_hf.hub.errors import HubError
from vehbench_hf.runlog import read_run_json
from vehbench_hf.runlog.lines import turn_files
from vehbench_hf.runlog.settings import RunSettings
from vehbench_hf.sampling import Sampling
from vehbench_hf.scoring.folder import score_folder
from vehbench_hf.types import PROBES, SPLITS, Convention

_NAMED = ("probes", "splits", "limit", "epochs", "protocol.", "sampling.", "weights.")
"""Settings that belong to how a model was asked or loaded, and not to which model, tasks or prompts."""
_NOT_A_DEVIATION = ("sampling.seed", "weights.revision")


def rescore(log: Path, bank: Bank, convention: Convention | None = None) -> dict[str, Any]:
    """The scores of a log on a bank, as `vehbench score` gives them. Nothing is written beside the log.

    Raises RunError for a folder that is no run, BankError for another bank than the run's.
    """
    info = read_run_json(log)
    if info["settings"]["bank_fingerprint"] != bank.fingerprint:
        raise BankError(
            f"{bank.path} ({bank.version}) is not the bank of {log}: its tasks differ. Give it with --bank."
        )
    with tempfile.TemporaryDirectory(prefix="vehbench-rescore-") as place:
        for file in [log / "run.json", *turn_files(log)]:
            shutil.copyfile(file, Path(place) / file.name)
        return score_folder(Path(place), bank, convention=convention)


def log_hashes(log: Path) -> dict[str, str]:
    """SHA-256 of the turn files of a log by name."""
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in turn_files(log)}
    if not found:
        raise HubError(f"{log} holds no turns: expected turns.jsonl.")
    return found


def deviations(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings in which a run differs from `vehbench run` without options, apart from model, tasks and seed."""
    from vehbench_hf.protocol import Protocol

    plain = RunSettings("", "", "", PROBES, SPLITS, None, 1, Protocol(), Sampling()).flat()
    named = {
        name for name in settings.keys() | plain.keys() if name.startswith(_NAMED) and name not in _NOT_A_DEVIATION
    }
    return {name: settings.get(name) for name in sorted(named) if not _equal(name, settings.get(name), plain.get(name))}


def _equal(name: str, given: Any, plain: Any) -> bool:
    if name == "splits" and isinstance(given, list):
        return set(given) - {"train"} == set(plain)
    return bool(given == plain)
