"""A bank as a folder named `vehbench`, so that the literal calls work from the folder above it.

    vehbench/  README.md  manifest.json  croissant.json  LICENSE-DATA  DATASHEET.md (where the bank has one)
               export.json  data/<config>/<split>.parquet  <metric>/<metric>.py

There `load_dataset("vehbench", "p2")` gives the tasks and `evaluate.load("vehbench/p4_tau")` a metric.

`export.json` lists the files with their SHA-256. It is how a later export knows what it may replace. The folder must
never hold a `vehbench.py`: `datasets` takes a script of that name for a loading script and refuses the folder.
"""

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from vehbench_builder.documents.card import CROISSANT, DATASHEET, README, own_text, with_header
from vehbench_builder.documents.croissant import croissant_text
from vehbench_hf.bank.bank import MANIFEST, Bank
from vehbench_hf.bank.loading import TEST_SPLIT, headline_configs_of
from vehbench_hf.errors import BankError
from vehbench_hf.metrics import METRICS
from vehbench_hf.paths import shipped

DEFAULT_FOLDER = Path("vehbench")
MARK = "export.json"
MARK_SCHEMA = "vehbench-export-1"
LICENCE = "LICENSE-DATA"
DEFAULT_CONFIG = "p2"
"""What `load_dataset` gives of a bank without the name of a config."""
_PATTERNS = ("*", "?", "[", "]", "::")
"""In a path, `datasets` finds nothing under them, or the files of other folders."""


@dataclass(frozen=True)
class Exported:
    """The folder that was written, its files relative to it, and whether an earlier export was replaced."""

    folder: Path
    files: tuple[str, ...]
    replaced: bool


def export_bank(bank: Bank, out: Path = DEFAULT_FOLDER) -> Exported:
    """Write a bank and the metric modules to `out`, complete or not at all.

    An earlier export in `out` is replaced if nobody has changed it since. Raises BankError when `out` is anything
    else, or cannot be written.
    """
    out = Path(os.path.abspath(out))
    replaced = _may_replace(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
        try:
            stage = beside / "new"
            files = _write(bank, stage)
            if out.exists():
                out.rename(beside / "old")
            stage.rename(out)
        finally:
            if (beside / "old").exists() and not out.exists():
                (beside / "old").rename(out)
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise BankError(
            f"cannot write the export to {out}: {error.strerror or error}. Choose another folder."
        ) from error
    return Exported(out, tuple(files), replaced)


def write_dataset(bank: Bank, stage: Path) -> None:
    """Write what belongs to the dataset itself into a new folder: data, manifest, card, Croissant file and licence."""
    for file in bank.data_files:
        (stage / file.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bank.path / file.path, stage / file.path)
    for name in (MANIFEST, DATASHEET):
        if (bank.path / name).is_file():
            shutil.copyfile(bank.path / name, stage / name)
    shutil.copyfile(shipped(LICENCE), stage / LICENCE)
    card = with_headline_configs(with_header(bank, own_text(bank)), bank)
    (stage / README).write_text(card, encoding="utf-8", newline="")
    (stage / CROISSANT).write_text(croissant_text(bank), encoding="utf-8", newline="")


def with_headline_configs(card: str, bank: Bank) -> str:
    """A card with the headline configs added behind those that its header lists."""
    _, front, text = card.split("---\n", 2)
    header = yaml.safe_load(front)
    default = next((config for config in header["configs"] if config["config_name"] == DEFAULT_CONFIG), None)
    (default or header["configs"][0])["default"] = True
    header["configs"] += headline_configs(bank)
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=120)}---\n{text}"


def headline_configs(bank: Bank) -> list[dict[str, Any]]:
    """The headline configs of the probes that have a row in the headline splits."""
    configs = []
    for name, probe in headline_configs_of(bank).items():
        paths = [file.path for file in bank.data_files if file.config == probe and file.split in bank.headline_splits]
        about = f"the rows of {probe} that its headline is taken over; rows {bank.fingerprint[:16]}"
        files = [{"split": TEST_SPLIT, "path": paths}]
        configs.append({"config_name": name, "description": about, "data_files": files})
    return configs


def _write(bank: Bank, stage: Path) -> list[str]:
    write_dataset(bank, stage)
    for name in METRICS:
        (stage / name).mkdir()
        shutil.copyfile(shipped(f"metrics/{name}/{name}.py"), stage / name / f"{name}.py")
    sums = {name: _sha256(stage / name) for name in _files_in(stage)}
    mark = {"schema": MARK_SCHEMA, "bank": bank.version, "fingerprint": bank.fingerprint, "files": sums}
    (stage / MARK).write_text(json.dumps(mark, indent=1) + "\n", encoding="utf-8")
    return _files_in(stage)


def _may_replace(out: Path) -> bool:
    """Whether `out` is an earlier export and untouched. Raises BankError when it is in the way."""
    if any(mark in str(out) for mark in _PATTERNS):
        raise BankError(
            f"{out} holds one of {' '.join(_PATTERNS)}, which `datasets` reads as a pattern. Choose another."
        )
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise BankError(f"{out} is no folder; expected a new folder or an earlier export. Choose another one.")
    if not out.exists() or not any(out.iterdir()):
        return False
    sums = _mark(out)
    if sums is None:
        raise BankError(
            f"{out} is not empty and no earlier export: expected {MARK} of schema {MARK_SCHEMA!r} in it. "
            "Choose another folder, or move this one away."
        )
    present = {name for name in _files_in(out) if name != MARK}
    touched = sorted(present - sums.keys()) + sorted(
        name for name in present & sums.keys() if _sha256(out / name) != sums[name]
    )
    if touched:
        raise BankError(
            f"{out} is an earlier export, but was changed since: {', '.join(touched[:5])}"
            f"{f' and {len(touched) - 5} more' if len(touched) > 5 else ''}. Move those away, or choose another folder."
        )
    return True


def _mark(out: Path) -> dict[str, str] | None:
    """The files of an earlier export with their sums; None when the folder is none."""
    try:
        mark: Any = json.loads((out / MARK).read_text(encoding="utf-8"))
        return dict(mark["files"]) if mark["schema"] == MARK_SCHEMA else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _files_in(folder: Path) -> list[str]:
    """Everything in a folder that is no folder itself, relative to it, links included."""
    files = (Path(top) / name for top, _, names in os.walk(folder) for name in names)
    return sorted(path.relative_to(folder).as_posix() for path in files)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
