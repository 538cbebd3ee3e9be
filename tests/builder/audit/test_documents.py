"""Files beside the data that tell of other data must not pass."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from vehbench_builder.audit.rows import row_checks
from vehbench_builder.documents.card import own_text, with_header
from vehbench_builder.documents.croissant import croissant_text
from vehbench_hf.bank.bank import Bank, open_bank, write_bank


@pytest.fixture
def folder(small_bank: Bank, tmp_path: Path) -> Path:
    """Two P1 files in a bank that calls itself built here, with the documents that belong to them."""
    tasks = [replace(task, bank_version="veh-fresh-9") for task in small_bank.select(("p1",), ("dev", "test_id"))]
    write_bank(tmp_path, tasks, version="veh-fresh-9", convention="defined", card="A card.\n")
    bank = open_bank(tmp_path)
    for name, text in (("README.md", with_header(bank, own_text(bank))), ("croissant.json", croissant_text(bank))):
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


def faults(folder: Path) -> dict[str, tuple[str, ...]]:
    return {check.name: check.faults for check in row_checks(open_bank(folder)) if check.faults}


def other_sum(folder: Path) -> None:
    sha256 = open_bank(folder).data_files[0].sha256
    text = (folder / "croissant.json").read_text(encoding="utf-8")
    (folder / "croissant.json").write_text(text.replace(sha256, "0" * 64), encoding="utf-8")


def other_path(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    text = text.replace("path: data/p1/dev.parquet", "path: data/p1/test_id.parquet")
    (folder / "README.md").write_text(text, encoding="utf-8")


def no_croissant(folder: Path) -> None:
    (folder / "croissant.json").unlink()


def stray(folder: Path) -> None:
    shutil.copy(folder / "data/p1/dev.parquet", folder / "data/p1/train.parquet")


@pytest.mark.parametrize(
    ("change", "check", "said"),
    [
        (other_sum, "documents_tell_of_the_data", "croissant.json"),
        (no_croissant, "documents_tell_of_the_data", "croissant.json"),
        (other_path, "documents_tell_of_the_data", "README.md"),
        (stray, "data_files_are_listed", "data/p1/train.parquet"),
    ],
)
def test_a_file_beside_the_data_that_tells_of_others_is_named(
    folder: Path, change: Callable[[Path], None], check: str, said: str
) -> None:
    assert faults(folder) == {}
    change(folder)
    (fault,) = faults(folder)[check]
    assert said in fault
