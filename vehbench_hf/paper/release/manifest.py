"""Is this the authors' release, and are its VEH task files what its own manifests say?"""

import hashlib
import json
from pathlib import Path
from typing import Any

from vehbench_hf.errors import ReleaseError
from vehbench_hf.safe_files import read_plain
from vehbench_hf.types import PROBES, SPLITS, Probe, Split

MAX_TASK_BYTES = 100_000_000
RELEASE_MANIFEST = "data/manifests/release_manifest.json"


def task_file(probe: Probe) -> str:
    """Path of a probe's task file inside the release."""
    return f"data/veh/{probe}_tasks.jsonl"


def split_file(probe: Probe, split: Split) -> str:
    """Path of the file with one split of a probe inside the release."""
    return f"data/veh/splits/{probe}_{split}.jsonl"


def verify_release(folder: Path) -> dict[str, str]:
    """Check the VEH task and split files of a release; return their SHA-256 by path inside the folder.

    Byte size (where the manifest gives it), SHA-256 and the number of records are compared. A path in a
    manifest only selects its entry; the paths looked at are ours. Run logs and circuit files are not looked
    at; the release has no checksums for its logs.

    Raises ReleaseError naming the first file that is absent or differs, or when the folder is no release.
    """
    if not (folder / RELEASE_MANIFEST).is_file():
        what = "has no" if folder.is_dir() else "is not a folder with"
        raise ReleaseError(
            f"{folder} {what} {RELEASE_MANIFEST}, so it is not the authors' release. "
            "Give the folder that holds their `data` and `results`."
        )
    entries = _entries(folder / RELEASE_MANIFEST)
    sums = {task_file(probe): _check(folder, task_file(probe), entries, RELEASE_MANIFEST) for probe in PROBES}
    for probe in PROBES:
        name = f"data/veh/splits/{probe}_manifest.json"
        entries = _entries(folder / name)
        for split in SPLITS:
            sums[split_file(probe, split)] = _check(folder, split_file(probe, split), entries, name)
    return sums


def _entries(file: Path) -> dict[str, dict[str, Any]]:
    """The entries of a release or split manifest by their path."""
    try:
        manifest = json.loads(read_plain(file))
        listed = manifest["splits"].values() if "splits" in manifest else manifest["task_banks"]
        return {entry["path"]: entry for entry in listed}
    except FileNotFoundError:
        raise ReleaseError(f"{file} is missing; the release is incomplete, fetch it again.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ReleaseError(f"{file} cannot be read as a manifest of the release: {error!r}") from None


def _check(folder: Path, name: str, entries: dict[str, dict[str, Any]], manifest: str) -> str:
    """SHA-256 of a file that agrees with its entry, else ReleaseError."""
    entry, file = entries.get(name), folder / name
    if entry is None:
        raise ReleaseError(f"{folder / manifest} does not list {name}; expected an entry with its SHA-256.")
    if not file.is_file():
        raise ReleaseError(f"{file} is missing, though {manifest} lists it; fetch the release again.")
    body = read_plain(file, MAX_TASK_BYTES)
    actual = {
        "bytes": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "records": sum(1 for line in body.split(b"\n") if line.strip()),
    }
    for key, value in actual.items():
        if key == "bytes" and key not in entry:
            continue
        if entry.get(key) != value:
            raise ReleaseError(
                f"{file} is not the file that {manifest} lists: {key} {entry.get(key)!r} expected, "
                f"{value!r} found. Fetch the release again."
            )
    return str(actual["sha256"])
