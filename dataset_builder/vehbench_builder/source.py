"""A hash of the source text from which a task follows, so that no kept result outlives a change of the code."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

import vehbench_builder
import vehbench_oracle
from vehbench_hf import types
from vehbench_hf.bank import canonical, schema

SHARED = (canonical, schema, types)
"""What the builder takes from `vehbench_hf` when it makes and stores a task. One that moves must be named anew here."""
SOURCE = (".py", ".yaml")


@cache
def source_fingerprint() -> str:
    """SHA-256 over builder and oracle, and over the modules for rows and verdicts; the audit is no part of it.

    Source, not behaviour: a changed comment changes it too. That costs a second build and never a wrong task.
    """
    files: dict[str, Path] = {}
    for module in (vehbench_builder, vehbench_oracle, *SHARED):
        files |= source_files(module)
    return fingerprint_of_files({name: file for name, file in files.items() if "/audit/" not in name})


def fingerprint_of_files(files: Mapping[str, Path]) -> str:
    """SHA-256 over names and contents of files, in the order of their names."""
    digest = hashlib.sha256()
    for name, file in sorted(files.items()):
        digest.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def source_files(module: ModuleType) -> dict[str, Path]:
    """The files of a module by name, for instance `vehbench_builder/veh/p2.py`.

    Of a package the Python and YAML files, its sub-folders included.
    """
    file, path = Path(str(module.__file__)), module.__name__.replace(".", "/")
    if file.name != "__init__.py":
        return {f"{path}.py": file}
    home = file.parent
    return {f"{path}/{part.relative_to(home).as_posix()}": part for part in home.rglob("*") if part.suffix in SOURCE}
