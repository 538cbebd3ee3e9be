"""What tables are computed from: logs, task bank, the authors' own summaries, and facts beside them."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.logs import ReleasedRun, find_runs
from vehbench_hf.paper.release.manifest import verify_release
from vehbench_hf.paper.release.references import read_references
from vehbench_hf.paper.release.rows import model_folders
from vehbench_hf.paper.release.tasks import read_tasks
from vehbench_hf.paper.reproduce.sources import CSV_FILES, JSON_FILES
from vehbench_hf.safe_files import lies_within, read_plain
from vehbench_hf.types import PROBES, Probe, Task

SUMMARIES = "results/analysis"
GENERATED = "paper_generated"
"""A folder below it, in which the artifact has files that the reduced copy has one level higher."""
THINKING = {"disabled": False, "enabled": True}

MAX_SUMMARY = 100_000_000
CsvRow = dict[str, str]


@dataclass(frozen=True)
class Analysis:
    """The authors' summaries that are there, by short name: JSON objects, and rows of CSV files; the names of those
    that are absent."""

    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: dict[str, list[CsvRow]] = field(default_factory=dict)
    absent: tuple[str, ...] = field(default=(), compare=False)

    def entry(self, name: str, *path: str) -> dict[str, Any]:
        """An object inside a JSON file; empty where the file or the object is absent."""
        value: Any = self.objects.get(name, {})
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Inputs:
    """What is read of a release. `thinking` is by directory; `circuit_sizes` the number of circuit tasks by probe."""

    runs: Sequence[ReleasedRun]
    tasks: Sequence[Task]
    analysis: Analysis = field(default_factory=Analysis)
    thinking: Mapping[str, bool | None] = field(default_factory=dict)
    circuit_sizes: Mapping[Probe, int] = field(default_factory=dict)


def read_inputs(release_dir: Path) -> Inputs:
    """Read all of a release that tables are computed from.

    Raises ReleaseError for a folder without task bank, with a changed one, or without the logs of any model.
    """
    verify_release(release_dir)
    tasks = read_tasks(release_dir, read_references(release_dir))
    runs = find_runs(release_dir, tasks)
    if not runs:
        raise ReleaseError(
            f"{release_dir} holds the task bank but the logs of no model; expected result files such as "
            "results/model_outputs/<model>/.../main_results.jsonl."
        )
    return Inputs(runs, tasks, read_analysis(release_dir), thinking_modes(release_dir), _circuit_sizes(release_dir))


def read_analysis(release_dir: Path) -> Analysis:
    """Read the summaries of a release; files that are absent are left out. Raises ReleaseError for a damaged one."""
    objects = {name: _summary(release_dir, file) for name, file in JSON_FILES.items()}
    rows = {name: _summary(release_dir, entry.file) for name, entry in CSV_FILES.items()}
    absent = [JSON_FILES[name] for name, file in objects.items() if file is None]
    absent += [CSV_FILES[name].file for name, file in rows.items() if file is None]
    return Analysis(
        {name: _read_object(file) for name, file in objects.items() if file is not None},
        {name: _read_rows(file) for name, file in rows.items() if file is not None},
        tuple(absent),
    )


def _summary(release_dir: Path, name: str) -> Path | None:
    """A summary of the authors: where the reduced copy of their artifact has it, or where the artifact itself does."""
    folder = release_dir / SUMMARIES
    places = (folder / name, folder / GENERATED / name)
    return next((place for place in places if place.is_file() and lies_within(place, release_dir)), None)


def number(entry: Mapping[str, Any], name: str) -> float | None:
    """A number of a CSV row or a JSON object; None where it is empty, absent or no number."""
    value = entry.get(name)
    if isinstance(value, bool):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def thinking_modes(release_dir: Path) -> dict[str, bool | None]:
    """By folder name whether thinking was on; None where no manifest says, or two manifests disagree (Table 27).

    Most manifests of the release record no such setting, so that nothing follows from them.
    """
    modes = {}
    for folder in model_folders(release_dir):
        files = (file for file in folder.rglob("run_manifest.json") if lies_within(file, folder))
        recorded = {_thinking(file) for file in files} - {None}
        modes[folder.name] = recorded.pop() if len(recorded) == 1 else None
    return modes


def _thinking(manifest: Path) -> bool | None:
    try:
        config = json.loads(read_plain(manifest)).get("model_config") or {}
        return THINKING.get(str(config.get("thinking")))
    except (OSError, ValueError, AttributeError, TypeError):
        return None  # a manifest that cannot be read says nothing


def _circuit_sizes(release_dir: Path) -> dict[Probe, int]:
    """The circuit tasks of the bank by probe; probes without a file are left out."""
    files: dict[Probe, Path] = {probe: release_dir / "data/circuit" / f"{probe}_tasks.jsonl" for probe in PROBES}
    return {
        probe: sum(bool(line.strip()) for line in read_plain(file, MAX_SUMMARY).splitlines())
        for probe, file in files.items()
        if file.is_file()
    }


def _read_rows(path: Path) -> list[CsvRow]:
    try:
        return list(csv.DictReader(io.StringIO(read_plain(path, MAX_SUMMARY).decode("utf-8"), newline="")))
    except (ValueError, OSError, csv.Error) as error:
        raise _damaged(path, error) from None


def _read_object(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(read_plain(path, MAX_SUMMARY))
    except (ValueError, OSError, RecursionError) as error:
        raise _damaged(path, error) from None
    if not isinstance(body, dict):
        raise ReleaseError(f"{path}: expected a JSON object, got {type(body).__name__}.")
    return body


def _damaged(path: Path, error: Exception) -> ReleaseError:
    return ReleaseError(f"{path} cannot be read: {error}. Take the file from the release again.")
