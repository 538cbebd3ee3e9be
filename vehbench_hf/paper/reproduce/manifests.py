"""What the manifests of a model's runs say about thinking mode (Table 27)."""

import json
from pathlib import Path

from vehbench_hf.paper.release.rows import model_folders

SAID = {"disabled": False, "enabled": True}


def thinking_modes(release_dir: Path) -> dict[str, bool | None]:
    """By folder name whether thinking was on; None where no manifest says, or two manifests disagree.

    Most manifests of the release record no such setting, so that nothing follows from them.
    """
    return {folder.name: _of_folder(folder) for folder in model_folders(release_dir)}


def _of_folder(folder: Path) -> bool | None:
    found = {_read(file) for file in folder.rglob("run_manifest.json")} - {None}
    return found.pop() if len(found) == 1 else None


def _read(file: Path) -> bool | None:
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
        config = body.get("model_config") or {}
        return SAID.get(str(config.get("thinking")))
    except (OSError, ValueError, AttributeError, TypeError):
        return None  # a manifest that cannot be read says nothing
