"""Task banks on disk: one Parquet file a config and split, and a manifest that vouches for files and rows."""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from vehbench_hf.errors import BankError
from vehbench_hf.paths import cache_dir, shipped
from vehbench_hf.types import ALL_SPLITS, PROBES, SPLITS, Convention, Probe, Split, Task

MANIFEST = "manifest.json"
MANIFEST_SCHEMA = "vehbench-bank-1"
DEFAULT_BANK = "v2"
"""The bank of every command and of `vehbench_hf.load` unless another is named."""
_SHIPPED = {"v2": "bank_v2", "sample": "sample_bank"}


@dataclass(frozen=True)
class Bank:
    """A bank as read: its tasks in file order, and the manifest that was checked against the files."""

    path: Path
    manifest: dict[str, Any]
    tasks: tuple[Task, ...]

    @property
    def version(self) -> str:
        """For instance "veh-v1"; the first word of the comparability tuple."""
        return str(self.manifest["version"])

    @property
    def convention(self) -> Convention:
        """The metric convention that fits this bank unless the user asks for the other."""
        return "released" if self.manifest.get("convention") == "released" else "defined"

    @property
    def headline_splits(self) -> tuple[Split, ...]:
        """The splits over which the headline is taken."""
        return tuple(split for split in ALL_SPLITS if split in self.manifest.get("headline_splits", ALL_SPLITS))

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the checksums of all rows: equal for equal tasks, wherever the bank lies."""
        return str(self.manifest["fingerprint"])

    @cached_property
    def by_id(self) -> dict[str, Task]:
        """Tasks by `task_id`."""
        return {task.task_id: task for task in self.tasks}

    def select(self, probes: Sequence[Probe] = PROBES, splits: Sequence[Split] = ALL_SPLITS) -> list[Task]:
        """The tasks of some probes and splits, in file order."""
        return [task for task in self.tasks if task.probe in probes and task.split in splits]


def locate_bank(name: str) -> Path:
    """The folder of a bank given as a path or by name.

    An existing folder with a manifest wins over a name. Names: `v2` (shipped, the benchmark), `sample` (shipped, twenty
    tasks for trying the tool) and `v1` (the authors' release, once `vehbench import` has written it into the cache).
    """
    folder = Path(name)
    if (folder / MANIFEST).is_file():
        return folder.resolve()
    if name in _SHIPPED:
        return shipped(_SHIPPED[name])
    if name == "v1" and (cache_dir() / "v1" / MANIFEST).is_file():
        return cache_dir() / "v1"
    if name == "v1":
        raise BankError(
            f"bank v1 is not here: neither ./v1 nor {cache_dir() / 'v1'} holds a {MANIFEST}. "
            "It is the authors' release and not shipped; make it with `vehbench import RELEASE_DIR`."
        )
    raise BankError(f"no bank at {name!r}: expected a folder with {MANIFEST}, or one of the names v2, v1, sample.")


def open_bank(name: str | os.PathLike[str]) -> Bank:
    """Read a bank and check every file and row against the manifest.

    Raises BankError when the folder, the manifest, a file or a row is missing or not what the manifest says.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from vehbench_hf.schema import arrow_schema, row_checksum, row_to_task

    path = locate_bank(os.fspath(name))
    manifest = _read_manifest(path / MANIFEST)
    tasks: list[Task] = []
    sums: dict[str, str] = {}
    for entry in manifest["files"]:
        file = _inside(path, entry["path"])
        if not file.is_file() or _sha256(file) != entry["sha256"]:
            state = "differs from the manifest" if file.is_file() else "is missing"
            raise BankError(f"{file} {state}; the bank is damaged, write it again.")
        try:
            table = pq.read_table(file)
        except (OSError, pa.ArrowException) as error:
            raise BankError(f"{file} is no readable Parquet file: {error}") from None
        if not table.schema.equals(arrow_schema(entry["probe"])):
            raise BankError(f"{file} has another schema than config {entry['probe']} of this version.")
        rows = table.to_pylist()
        for row in rows:
            if row_checksum(row) != row["checksum"]:
                raise BankError(f"{file}: row {row['task_id']!r} does not match its checksum.")
            if row["task_id"] in sums:
                raise BankError(f"{file}: task {row['task_id']!r} occurs twice in the bank.")
            tasks.append(row_to_task(row))
            sums[row["task_id"]] = row["checksum"]
        if {row["task_id"]: row["checksum"] for row in rows} != entry["row_sha256"]:
            raise BankError(f"{file}: the rows are not those that {MANIFEST} lists.")
    if _fingerprint(sums.values()) != manifest["fingerprint"]:
        raise BankError(f"{path}: the rows do not add up to the fingerprint of {MANIFEST}.")
    return Bank(path, manifest, tuple(tasks))


def write_bank(
    out: Path,
    tasks: Iterable[Task],
    *,
    version: str,
    convention: Convention,
    headline_splits: Sequence[Split] = SPLITS,
    card: str,
    extra: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Write `data/<probe>/<split>.parquet`, README.md and, last of all, the manifest; return the manifest.

    The README header lists the configs, so that `datasets.load_dataset(out, "p2")` works. `card` is its text. The
    manifest holds counts, SHA-256 of each file and each row, and `extra`. Equal tasks give equal bytes.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from vehbench_hf.schema import CANARY, arrow_schema, task_to_row

    groups: dict[tuple[Probe, Split], list[dict[str, Any]]] = {}
    for task in tasks:
        groups.setdefault((task.probe, task.split), []).append(task_to_row(task))
    files: list[dict[str, Any]] = []
    for probe, split in [(p, s) for p in PROBES for s in ALL_SPLITS if (p, s) in groups]:
        rows = groups[probe, split]
        file = out / "data" / probe / f"{split}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        # Few rows in hundreds of columns: dictionaries, statistics and a second copy of the schema would be most
        # of the file. Without that copy the canary does not get in by itself.
        lean: dict[str, Any] = {"use_dictionary": False, "write_statistics": False, "store_schema": False}
        with pq.ParquetWriter(file, arrow_schema(probe), compression="zstd", **lean) as writer:
            writer.add_key_value_metadata({"canary": CANARY})
            writer.write_table(pa.Table.from_pylist(rows, schema=arrow_schema(probe)))
        files.append(
            {
                "path": file.relative_to(out).as_posix(),
                "probe": probe,
                "split": split,
                "rows": len(rows),
                "sha256": _sha256(file),
                "row_sha256": {row["task_id"]: row["checksum"] for row in rows},
            }
        )
    if not files:
        raise BankError("a bank needs at least one task")
    fingerprint = _fingerprint([c for f in files for c in f["row_sha256"].values()])
    (out / "README.md").write_text(_card_header(files, fingerprint) + card, encoding="utf-8")
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "version": version,
        "convention": convention,
        "headline_splits": list(headline_splits),
        "counts": {p: sum(f["rows"] for f in files if f["probe"] == p) for p in PROBES},
        "fingerprint": fingerprint,
        "files": files,
        **(extra or {}),
    }
    (out / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return manifest


def _card_header(files: list[dict[str, Any]], fingerprint: str) -> str:
    # `datasets` keeps a folder in its cache under a hash of this header and of the paths, not of the files. Without the
    # fingerprint in it, new files under an equal header would load as the old rows.
    lines = ["---", "license: cc-by-4.0", "configs:"]
    for probe in [p for p in PROBES if any(f["probe"] == p for f in files)]:
        lines += [f"- config_name: {probe}", f"  description: rows {fingerprint[:16]}", "  data_files:"]
        for f in files:
            if f["probe"] == probe:
                lines += [f"  - split: {f['split']}", f"    path: {f['path']}"]
    return "\n".join([*lines, "---", ""])


def _read_manifest(file: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        if manifest["schema"] != MANIFEST_SCHEMA:
            raise BankError(f"{file}: expected schema {MANIFEST_SCHEMA!r}, got {manifest['schema']!r}.")
        known = all(
            entry["probe"] in PROBES and all(isinstance(entry[name], str) for name in ("path", "sha256", "split"))
            for entry in manifest["files"]
        )
        if not (known and isinstance(manifest["version"], str) and isinstance(manifest["fingerprint"], str)):
            raise BankError(f"{file}: a version, a fingerprint or an entry of its files is not what it must be.")
        return dict(manifest)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, BankError):
            raise
        raise BankError(f"{file} cannot be read as a bank manifest: {error!r}") from None


def _inside(folder: Path, name: str) -> Path:
    """`folder/name`, unless the name leads out of the folder. The file may be a link, as in a Hub snapshot."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts or "\0" in name or "\\" in name:
        raise BankError(f"{folder / MANIFEST}: the file name {name!r} leads out of the bank.")
    return folder.joinpath(*parts)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _fingerprint(checksums: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(checksums)).encode()).hexdigest()
