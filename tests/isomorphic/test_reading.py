"""The isomorphic probes come back as they were written, only when asked for, and never among the tasks."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import vehbench_hf
from judged import judge_for
from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.bank.loading import configs_of, features_of, splits_of
from vehbench_hf.bank.schema import CANARY, task_to_row
from vehbench_hf.errors import BankError
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.isomorphic.types import FORMS, IsomorphicTask

FILE = "data/isomorphic/dev.parquet"


@pytest.fixture(scope="module")
def shipped() -> Bank:
    return open_bank("v2")


@pytest.fixture(scope="module")
def rows(shipped: Bank) -> tuple[IsomorphicTask, ...]:
    return open_isomorphic(shipped)


@pytest.fixture
def small(small_bank: Bank, rows: tuple[IsomorphicTask, ...], tmp_path: Path) -> Bank:
    """The small bank with two groups of every split beside it."""
    of_split = {row.group: row.split for row in rows}
    groups = {g for split in splits_of(small_bank, "p2") for g in [g for g, s in of_split.items() if s == split][:2]}
    write_bank(
        tmp_path / "bank",
        small_bank.tasks,
        version="veh-small-1",
        convention="defined",
        card="\n# A bank\n",
        isomorphic=[row for row in rows if row.group in groups],
    )
    return open_bank(tmp_path / "bank")


def test_a_row_comes_back_unchanged_from_a_bank(small: Bank, rows: tuple[IsomorphicTask, ...]) -> None:
    back = open_isomorphic(small)
    assert len(back) == 18
    assert all(row in rows for row in back)
    assert [row.form for row in back] == list(FORMS) * 6
    assert [row.group for row in back] == sorted(row.group for row in back)
    assert pq.read_schema(small.path / FILE).metadata[b"canary"] == CANARY.encode()


def test_isomorphic_rows_change_neither_tasks_nor_counts_nor_fingerprint(small: Bank, small_bank: Bank) -> None:
    assert small.tasks == small_bank.tasks
    assert small.fingerprint == small_bank.fingerprint
    assert small.manifest["counts"] == small_bank.manifest["counts"]
    assert (small.manifest["isomorphic"]["groups"], small.manifest["isomorphic"]["rows"]) == (6, 18)
    assert configs_of(small) == [*configs_of(small_bank), "isomorphic"]


def test_a_damaged_file_is_noticed_and_the_tasks_can_still_be_read(small: Bank) -> None:
    data = bytearray((small.path / FILE).read_bytes())
    data[len(data) // 2] ^= 1
    (small.path / FILE).write_bytes(data)
    assert open_bank(small.path).tasks == small.tasks
    with pytest.raises(BankError, match=rf"{FILE} differs from the manifest"):
        open_isomorphic(open_bank(small.path))


def test_a_left_out_file_is_noticed(small: Bank) -> None:
    part = small.manifest["isomorphic"]
    other = Bank(small.path, {**small.manifest, "isomorphic": {**part, "files": part["files"][:-1]}}, small.tasks)
    with pytest.raises(BankError, match="do not add up to their fingerprint"):
        open_isomorphic(other)


def test_a_bank_without_them_is_refused_by_name(small_bank: Bank) -> None:
    with pytest.raises(BankError, match=r"veh-small-1 .* no isomorphic probes; bank v2 has"):
        open_isomorphic(small_bank)


def test_load_gives_the_rows_of_the_reader(small: Bank) -> None:
    loaded = vehbench_hf.load("isomorphic", bank=small)
    assert list(loaded) == splits_of(small, "isomorphic") == ["dev", "test_id", "test_ood"]
    for split, dataset in loaded.items():
        expected = [task_to_row(row) for row in open_isomorphic(small) if row.split == split]
        assert dataset.to_list() == expected != []
        assert dataset.features == features_of("isomorphic")


def test_the_brief_of_a_row_can_be_judged(rows: tuple[IsomorphicTask, ...]) -> None:
    for row in rows[:9]:
        assert judge_for(row.spec, row.gold["witness"]).feasible
    limits = {**rows[0].spec["constraints"], "disp_limit_mm": 1e-9}
    harder = replace(rows[0], spec={**rows[0].spec, "constraints": limits})
    assert not judge_for(harder.spec, rows[0].gold["witness"]).feasible


def test_the_reader_loads_pyarrow_only_when_asked() -> None:
    code = "import sys, vehbench_hf.isomorphic.reading; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_copy_of_the_shipped_bank_keeps_them(shipped: Bank, rows: tuple[IsomorphicTask, ...], tmp_path: Path) -> None:
    copied = open_bank(shutil.copytree(shipped.path, tmp_path / "copy"))
    assert open_isomorphic(copied) == rows
