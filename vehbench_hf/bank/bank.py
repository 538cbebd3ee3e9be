"""Task banks on disk: one Parquet file a config and split, and a manifest that vouches for files and rows."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, cast

from vehbench_hf.bank.files import check_sizes, fingerprint_of, read_rows, write_rows
from vehbench_hf.bank.row_types import faults, faults_of
from vehbench_hf.domains import DEFAULT_DOMAIN, DOMAINS, config_of
from vehbench_hf.errors import BankError
from vehbench_hf.isomorphic.types import ISOMORPHIC, IsomorphicTask
from vehbench_hf.paths import cache_dir, shipped
from vehbench_hf.safe_files import parse_json, read_plain
from vehbench_hf.types import ALL_SPLITS, PROBES, SPLITS, Convention, Probe, Split, Task

MANIFEST = "manifest.json"
MANIFEST_SCHEMA = "vehbench-bank-1"
DEFAULT_BANK = "v2"
"""The bank of every command and of `vehbench_hf.load` unless another is named."""
_SHIPPED = {"v2": "bank_v2"}
_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,63}", re.ASCII)
"""A version becomes part of folder names and of what a terminal shows."""
_TASK_ID = re.compile(r"[\w:./@+-]{1,200}")


class DataFile(NamedTuple):
    """A Parquet file of a bank: its config and split, its path in the folder, its rows and its SHA-256."""

    config: str
    split: str
    path: str
    rows: int
    sha256: str


class _File(TypedDict):
    split: Split
    path: str
    rows: int
    sha256: str
    row_sha256: dict[str, str]


class _TaskFile(_File):
    probe: Probe
    domain: str | None


class IsomorphicPart(TypedDict):
    """The config `isomorphic` in a manifest."""

    groups: int
    rows: int
    files: list[_File]
    fingerprint: str


class Manifest(TypedDict):
    """What is read of a manifest; None also stands for an entry that is not there."""

    schema: str
    version: str
    convention: Convention | None
    headline_splits: list[Split] | None
    fingerprint: str
    files: list[_TaskFile]
    isomorphic: IsomorphicPart | None
    oracle: str | None
    build: dict[str, Any] | None
    built_with: dict[str, str] | None
    subsets: dict[str, list[str]] | None


@dataclass(frozen=True)
class Bank:
    """A bank as read: its tasks in file order, and the manifest that was checked against the files."""

    path: Path
    manifest: Manifest
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
        return tuple(split for split in ALL_SPLITS if split in (self.manifest.get("headline_splits") or ALL_SPLITS))

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the checksums of all rows: equal for equal tasks, wherever the bank lies."""
        return str(self.manifest["fingerprint"])

    @property
    def data_files(self) -> tuple[DataFile, ...]:
        """All Parquet files that the manifest lists: those of the tasks, then those of the isomorphic probes."""
        part = self.manifest.get(ISOMORPHIC)
        listed: list[tuple[str, _File]] = [(_config(entry), entry) for entry in self.manifest["files"]]
        listed += [(ISOMORPHIC, entry) for entry in part["files"]] if part else []
        return tuple(DataFile(config, e["split"], e["path"], e["rows"], e["sha256"]) for config, e in listed)

    def fingerprint_of(self, config: str) -> str:
        """The fingerprint of the rows a config belongs to: that of the tasks, or of the isomorphic probes."""
        part = self.manifest.get(ISOMORPHIC) if config == ISOMORPHIC else None
        return self.fingerprint if part is None else part["fingerprint"]

    @cached_property
    def by_id(self) -> dict[str, Task]:
        """Tasks by `task_id`."""
        return {task.task_id: task for task in self.tasks}

    def select(self, probes: Sequence[Probe] = PROBES, splits: Sequence[Split] = ALL_SPLITS) -> list[Task]:
        """The tasks of some probes and splits, in file order."""
        return [task for task in self.tasks if task.probe in probes and task.split in splits]


def locate_bank(name: str) -> Path:
    """The folder of a bank given as a path or by name.

    An existing folder with a manifest wins over a name. Names: `v2` (shipped, the benchmark) and `v1` (the
    authors' release, once `vehbench import` has written it into the cache).
    """
    folder = Path(name)
    if os.path.isfile(folder / MANIFEST):  # unlike the method of a path False for a name that is too long
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
    raise BankError(f"no bank at {name[:200]!r}: expected a folder with {MANIFEST}, or one of the names v2, v1.")


def bank_with(fingerprint: str, places: Sequence[str | os.PathLike[str]] = ()) -> Bank:
    """The bank with this fingerprint: the one that ships, bank v1, or one of `places`. Raises BankError for none."""
    named = [DEFAULT_BANK, "v1", *(os.fspath(place) for place in places)]
    for name in named:
        try:
            found = _read_manifest(locate_bank(name) / MANIFEST)["fingerprint"]
        except (BankError, OSError, ValueError):  # what a run names as its bank may be no path at all
            continue
        if found == fingerprint:
            return open_bank(name)
    raise BankError(f"no bank with the fingerprint {ascii(fingerprint)[1:13]} among {', '.join(named)}.")


def open_bank(name: str | os.PathLike[str]) -> Bank:
    """Read a bank and check every file and row against the manifest.

    Raises BankError when the folder, the manifest, a file or a row is missing or not what the manifest says.
    """
    from vehbench_hf.bank.schema import arrow_schema, row_to_task

    path = locate_bank(os.fspath(name))
    manifest = _read_manifest(path / MANIFEST)
    tasks: list[Task] = []
    sums: dict[str, str] = {}
    check_sizes(path, manifest["files"])
    for entry in manifest["files"]:
        columns = arrow_schema(entry["probe"], entry.get("domain") or DEFAULT_DOMAIN)
        for row in read_rows(path, entry, columns, _config(entry)):
            if row["task_id"] in sums:
                raise BankError(f"{path / entry['path']}: task {row['task_id']!r} occurs twice in the bank.")
            tasks.append(_fitting(row_to_task(row), entry, path))
            sums[row["task_id"]] = row["checksum"]
    if fingerprint_of(sums.values()) != manifest["fingerprint"]:
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
    isomorphic: Sequence[IsomorphicTask] = (),
) -> dict[str, Any]:
    """Write `data/<config>/<split>.parquet`, README.md and, last of all, the manifest; return the manifest.

    The README header lists the configs, so that `datasets.load_dataset(out, "p2")` works. `card` is its text. The
    manifest holds counts, SHA-256 of each file and each row, and `extra`. Equal tasks give equal bytes. The rows of
    `isomorphic` are a config of their own with an entry of that name in the manifest: they are no tasks of the bank,
    and its counts and fingerprint are those of the tasks alone.
    """
    from vehbench_hf.bank.schema import arrow_schema, task_to_row

    groups: dict[tuple[str, Probe, Split], list[dict[str, Any]]] = {}
    for task in tasks:
        groups.setdefault((task.domain, task.probe, task.split), []).append(task_to_row(task))
    files: list[dict[str, Any]] = []
    for domain, probe, split in [key for key in product(DOMAINS, PROBES, ALL_SPLITS) if key in groups]:
        name = f"data/{config_of(probe, domain)}/{split}.parquet"
        written = write_rows(out, name, groups[domain, probe, split], arrow_schema(probe, domain))
        beyond = {} if domain == DEFAULT_DOMAIN else {"domain": domain}
        files.append({"probe": probe, **beyond, "split": split, **written})
    if not files:
        raise BankError("a bank needs at least one task")
    beside = _write_isomorphic(out, isomorphic) if isomorphic else {}
    manifest = {
        "schema": MANIFEST_SCHEMA,
        "version": version,
        "convention": convention,
        "headline_splits": list(headline_splits),
        "counts": {p: sum(f["rows"] for f in files if f["probe"] == p) for p in PROBES},
        "fingerprint": fingerprint_of(c for f in files for c in f["row_sha256"].values()),
        "files": files,
        **beside,
        **(extra or {}),
    }
    (out / "README.md").write_text(_card_header(Bank(out, cast("Manifest", manifest), ())) + card, encoding="utf-8")
    (out / MANIFEST).write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return manifest


def _write_isomorphic(out: Path, tasks: Sequence[IsomorphicTask]) -> dict[str, Any]:
    """Write the config `isomorphic`; returns its entry in the manifest."""
    from vehbench_hf.bank.schema import arrow_schema, task_to_row

    files = []
    for split in ALL_SPLITS:
        rows = [task_to_row(task) for task in tasks if task.split == split]
        if rows:
            name = f"data/{ISOMORPHIC}/{split}.parquet"
            files.append({"split": split, **write_rows(out, name, rows, arrow_schema(ISOMORPHIC))})
    return {
        ISOMORPHIC: {
            "groups": len({task.group for task in tasks}),
            "rows": len(tasks),
            "fingerprint": fingerprint_of(c for f in files for c in f["row_sha256"].values()),
            "files": files,
        }
    }


def _config(entry: Mapping[str, Any]) -> str:
    return config_of(entry["probe"], entry.get("domain") or DEFAULT_DOMAIN)


def _card_header(bank: Bank) -> str:
    # `datasets` keeps a folder in its cache under a hash of this header and of the paths, not of the files. Without the
    # fingerprint in it, new files under an equal header would load as the old rows.
    lines = ["---", "license: cc-by-4.0", "configs:"]
    for config in dict.fromkeys(file.config for file in bank.data_files):
        lines += [f"- config_name: {config}", f"  description: rows {bank.fingerprint_of(config)[:16]}"]
        lines += ["  data_files:"]
        for file in bank.data_files:
            if file.config == config:
                lines += [f"  - split: {file.split}", f"    path: {file.path}"]
    return "\n".join([*lines, "---", ""])


def _fitting(task: Task, entry: _TaskFile, path: Path) -> Task:
    """The task of a row. Raises BankError when it is not what `types` and the entry of its file say."""
    wrong = list(faults_of(task))
    wrong += [] if _TASK_ID.fullmatch(task.task_id or "") else ["task_id is no short name without spaces"]
    listed = {"probe": entry["probe"], "split": entry["split"], "domain": entry.get("domain") or DEFAULT_DOMAIN}
    own = {name: getattr(task, name) for name in listed}
    wrong += [f"{name} is {own[name]!r}, listed as {listed[name]!r}" for name in listed if own[name] != listed[name]]
    if wrong:
        raise BankError(f"{path / entry['path']}: task {str(task.task_id)[:80]!r}: {'; '.join(wrong[:3])}.")
    return task


def _read_manifest(file: Path) -> Manifest:
    try:
        manifest = parse_json(read_plain(file))
    except (OSError, ValueError) as error:
        raise BankError(f"{file} cannot be read as a bank manifest: {ascii(str(error))[:300]}") from None
    if not isinstance(manifest, dict) or manifest.get("schema") != MANIFEST_SCHEMA:
        got = manifest.get("schema") if isinstance(manifest, dict) else manifest
        raise BankError(f"{file}: expected schema {MANIFEST_SCHEMA!r}, got {str(got)[:60]!r}.")
    wrong = list(faults(manifest, Manifest, "manifest", DEFAULT_DOMAIN))
    if not wrong and not _NAME.fullmatch(manifest["version"]):
        wrong = [f"version {manifest['version'][:60]!r} is no short name"]
    if wrong:
        raise BankError(f"{file} is not what a manifest must be: {'; '.join(wrong[:3])}.")
    return cast("Manifest", manifest)
