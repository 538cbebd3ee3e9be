"""A hash of the source text from which a task follows, so that no kept result outlives a change of the code."""

import hashlib
from functools import cache
from pathlib import Path

import vehbench_builder
import vehbench_hf
import vehbench_oracle

SHARED = ("canonical.py", "schema.py", "types.py", "episodes/judging.py")
"""What the builder takes from `vehbench_hf` when it makes and stores a task."""


@cache
def source_fingerprint() -> str:
    """SHA-256 over builder and oracle, and over the modules for rows and verdicts; the audit is no part of it.

    Source, not behaviour: a changed comment changes it too. That costs a second build and never a wrong task.
    """
    return fingerprint_of_files([*_modules(vehbench_builder), *_modules(vehbench_oracle), *_shared()])


def fingerprint_of_files(files: list[Path]) -> str:
    """SHA-256 over names and contents of files, in the order of their paths."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.parent.name}/{file.name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _modules(package: object) -> list[Path]:
    return list(_home(package).glob("*.py"))


def _shared() -> list[Path]:
    return [_home(vehbench_hf) / name for name in SHARED]


def _home(package: object) -> Path:
    return Path(str(getattr(package, "__file__", ""))).parent
