"""The settings of a run: what is stored in `run.json`, what makes two runs different, and the name of the folder."""

import contextlib
import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from vehbench_hf.errors import RunError
from vehbench_hf.prompts import prompts_fingerprint
from vehbench_hf.protocol import Protocol
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Probe, Split
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION
from vehbench_oracle import oracle_fingerprint

RUN_SCHEMA = "vehbench-run-1"


@dataclass(frozen=True)
class RunSettings:
    """Everything that a score depends on. Equal settings mean the same run, which can be taken up again.

    `isomorphic` is the fingerprint of the bank's isomorphic rows in an isomorphism audit, else None.
    """

    model: str
    bank_version: str
    bank_fingerprint: str
    probes: tuple[Probe, ...]
    splits: tuple[Split, ...]
    limit: int | None
    epochs: int
    protocol: Protocol
    sampling: Sampling = Sampling()
    weights: Weights = Weights()
    subset: str | None = None
    isomorphic: str | None = None
    prompts_version: str = PROMPTS_VERSION
    prompts_fingerprint: str = field(default_factory=prompts_fingerprint)
    protocol_version: str = PROTOCOL_VERSION
    oracle_fingerprint: str = field(default_factory=oracle_fingerprint)

    def flat(self) -> dict[str, Any]:
        """Settings as one level of JSON values, nested names joined with a dot."""
        body = asdict(self)
        nested = {group: body.pop(group) for group in ("protocol", "sampling", "weights")}
        flat = {**body, **{f"{group}.{name}": nested[group][name] for group in nested for name in nested[group]}}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in flat.items()}

    @property
    def hash8(self) -> str:
        """Eight hexadecimal digits that stand for the settings."""
        return hashlib.sha256(json.dumps(self.flat(), sort_keys=True).encode()).hexdigest()[:8]


def run_folder_name(settings: RunSettings) -> str:
    """`<model>-<bank>-<hash8>`; characters of the model's name that are not plain become hyphens."""
    model = re.sub(r"[^A-Za-z0-9.]+", "-", settings.model).strip("-.")[:60] or "model"
    return f"{model}-{settings.bank_version}-{settings.hash8}"


def write_run_json(folder: Path, body: dict[str, Any]) -> None:
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


def read_run_json(folder: Path) -> dict[str, Any]:
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
    return body


def differences(stored: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Settings that differ, a sentence each; empty when the run can be taken up again."""
    names = sorted(stored.keys() | wanted.keys())
    return [
        f"{name}: the run has {json.dumps(stored.get(name))}, now {json.dumps(wanted.get(name))}"
        for name in names
        if stored.get(name) != wanted.get(name)
    ]
