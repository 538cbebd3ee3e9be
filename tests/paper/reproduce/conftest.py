"""The reproduction of the release at hand, and releases made of links to parts of it."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from vehbench_hf.paper.reproduce import Inputs, PrintedTable, Reproduction, compare, read_inputs, read_published

MODELS = "results/model_outputs"
PartOf = Callable[..., Path]


@pytest.fixture(scope="session")
def inputs(release_dir: Path) -> Inputs:
    return read_inputs(release_dir)


@pytest.fixture(scope="session")
def printed() -> dict[str, PrintedTable]:
    return read_published()


@pytest.fixture(scope="session")
def found(inputs: Inputs, printed: dict[str, PrintedTable]) -> Reproduction:
    found = compare(inputs, printed)
    assert found.matched
    return found


@pytest.fixture
def part_of_release(release_dir: Path, tmp_path: Path) -> PartOf:
    """A release with the real task bank and some model folders, each under a name of the test's choice.

    The folders are copies, which a test may damage; with `analysis`, the authors' summaries are there.
    """

    def make(names: Mapping[str, str], *, analysis: bool = False) -> Path:
        folder = tmp_path / "release"
        (folder / MODELS).mkdir(parents=True)
        (folder / "data").symlink_to(release_dir / "data")
        if analysis:
            shutil.copytree(release_dir / "results/analysis", folder / "results/analysis")
        for real, name in names.items():
            shutil.copytree(release_dir / MODELS / real, folder / MODELS / name, copy_function=shutil.copyfile)
        return folder

    return make
