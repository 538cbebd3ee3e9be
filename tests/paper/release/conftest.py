"""The release as read once for all tests, and releases made of links under other names."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.paper.release.logs import ReleasedRun, find_runs
from vehbench_hf.paper.release.manifest import task_file
from vehbench_hf.paper.release.references import References, read_references
from vehbench_hf.paper.release.rows import MODEL_OUTPUTS
from vehbench_hf.paper.release.tasks import read_tasks
from vehbench_hf.types import PROBES, Task

LinkedRelease = Callable[[Mapping[str, str]], Path]


@pytest.fixture(scope="session")
def references(release_dir: Path) -> References:
    return read_references(release_dir)


@pytest.fixture(scope="session")
def tasks(release_dir: Path, references: References) -> list[Task]:
    tasks = read_tasks(release_dir, references)
    assert len(tasks) == 763
    return tasks


@pytest.fixture(scope="session")
def runs(release_dir: Path, tasks: list[Task]) -> dict[str, ReleasedRun]:
    runs = {run.label: run for run in find_runs(release_dir, tasks)}
    assert len(runs) >= 9
    return runs


@pytest.fixture
def linked_release(release_dir: Path, tmp_path: Path) -> LinkedRelease:
    """A release with the real data and only some of the model folders, each under a name of the test's choice."""

    def link(names: Mapping[str, str]) -> Path:
        folder = tmp_path / "release"
        (folder / MODEL_OUTPUTS).mkdir(parents=True)
        (folder / "data").symlink_to(release_dir / "data")
        for real, name in names.items():
            shutil.copytree(release_dir / MODEL_OUTPUTS / real, folder / MODEL_OUTPUTS / name)
        return folder

    return link


@pytest.fixture(scope="session")
def released(release_dir: Path) -> dict[str, dict[str, Any]]:
    """The released rows themselves, by task id."""
    files = [release_dir / task_file(probe) for probe in PROBES]
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return {row["task_id"]: row for row in rows}
