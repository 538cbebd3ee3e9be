"""After an installation the literal calls work from any directory, with the data installed last."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from literal_calls import part_of, rows_of, run
from vehbench_builder.documents.builder_class import data_version
from vehbench_builder.documents.export import export_bank
from vehbench_builder.documents.install import install_bank, install_metrics
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import BankError
from vehbench_hf.metrics import METRICS
from vehbench_hf.probes import BENCHMARK

CONFIGS = tuple(name for info in BENCHMARK for name in (info.probe, info.task_id))
LITERAL = """
import json
from datasets import get_dataset_split_names, load_dataset
p1 = load_dataset("vehbench", "p1")
p2 = load_dataset("vehbench", "p2")
p3 = load_dataset("vehbench", "p3")
p4 = load_dataset("vehbench", "p4")
import evaluate
p4_tau = evaluate.load("vehbench/p4_tau")
rows = [row for split in p4.values() for row in split]
gold = [row["gold"]["ranking"] for row in rows]
assert p4_tau.compute(predictions=gold, references=rows)["p4_tau"] == 1
unread = p4_tau.compute(predictions=[""] * len(rows), references=rows)
assert (unread["p4_tau"], unread["outcomes"]["format_error"]) == (-1, len(rows))
for name in ("p1_composite", "p2_ratio", "p3_success"):
    assert evaluate.load("vehbench/" + name).name == name
configs = {"p1": p1, "p2": p2, "p3": p3, "p4": p4}
assert load_dataset("vehbench", "p2", split="dev[:1]").to_list() == p2["dev"].select([0]).to_list()
assert list(load_dataset("vehbench", "p2", split="dev", streaming=True)) == p2["dev"].to_list()
assert get_dataset_split_names("vehbench", "p2") == list(p2)
print(json.dumps({c: {s: rows.to_list() for s, rows in d.items()} for c, d in configs.items()}))
"""
COMMAND = """
import sys
from vehbench_cli import main
sys.argv = ["vehbench", "install", "--bank", sys.argv[1]]
main()
"""
INSTALL = """
import sys
from vehbench_hf.bank.bank import open_bank
from vehbench_builder.documents.install import install_bank, install_metrics
print(*install_bank(open_bank(sys.argv[1])).configs.values(), sep=",")
"""


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


@pytest.fixture
def part(small_bank: Bank, tmp_path: Path) -> Any:
    return part_of(small_bank, tmp_path / "part")


@pytest.mark.slow
def test_the_literal_call_works_in_an_empty_directory(
    small_bank: Bank, part: Bank, empty: Path, tmp_path: Path
) -> None:
    home = tmp_path / "hf"
    assert "need none of this" in run(COMMAND, str(small_bank.path), cwd=empty, home=home)
    assert json.loads(run(LITERAL, cwd=empty, home=home)) == rows_of(small_bank)
    # An upgrade is what loads afterwards, and going back to the first data too.
    # Rows and headline of each probe are written.
    assert run(INSTALL, str(part.path), cwd=empty, home=home) == ",".join(["written"] * 8)
    assert json.loads(run(LITERAL, cwd=empty, home=home)) == rows_of(part) != rows_of(small_bank)
    assert run(INSTALL, str(small_bank.path), cwd=empty, home=home) == ",".join(["already there"] * 8)
    assert json.loads(run(LITERAL, cwd=empty, home=home)) == rows_of(small_bank)
    assert not list(empty.iterdir())


@pytest.mark.slow
def test_an_export_in_the_working_directory_wins(small_bank: Bank, part: Bank, empty: Path, tmp_path: Path) -> None:
    home = tmp_path / "hf"
    run(INSTALL, str(small_bank.path), cwd=empty, home=home)
    export_bank(part, empty / "vehbench")
    code = "from datasets import load_dataset; print(load_dataset('vehbench', 'p2', split='dev').num_rows)"
    assert run(code, cwd=empty, home=home) == "1"
    assert len(rows_of(small_bank)["p2"]["dev"]) == 2


def test_a_damaged_metric_is_written_again_and_loads_before_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluate.loading.init_dynamic_modules", lambda *_: str(tmp_path / "modules"))
    (tmp_path / "modules").mkdir()
    assert install_metrics() == dict.fromkeys(METRICS, "written")
    assert install_metrics() == dict.fromkeys(METRICS, "already there")
    (ours,) = (tmp_path / "modules").glob("metrics/vehbench--p4_tau/*/p4_tau.py")
    good = ours.read_bytes()
    ours.write_bytes(good[:40])
    older = ours.parent.with_name("0" * 64) / ours.name
    older.parent.mkdir()
    older.write_bytes(good)
    os.utime(older)
    assert install_metrics() == {**dict.fromkeys(METRICS, "already there"), "p4_tau": "written again"}
    assert ours.read_bytes() == good
    assert ours.stat().st_mtime_ns >= older.stat().st_mtime_ns


def test_installing_again_does_not_change_the_cache(small_bank: Bank, tmp_path: Path) -> None:
    first = install_bank(small_bank, tmp_path)
    assert first.folder == tmp_path / "vehbench"
    assert (first.bank_version, first.data_version) == (small_bank.version, data_version(small_bank))
    assert first.configs == dict.fromkeys(CONFIGS, "written")

    def state() -> dict[Path, tuple[bytes, int]]:
        return {
            p: (p.read_bytes(), p.stat().st_mtime_ns)
            for p in first.folder.rglob("*")
            if p.suffix != ".lock" and p.is_file()
        }

    before = state()
    second = install_bank(small_bank, tmp_path)
    assert second.configs == dict.fromkeys(CONFIGS, "already there")
    assert state() == before
    assert len(before) >= 4 * 3
    assert second.older == ()


def test_older_data_are_named(small_bank: Bank, part: Bank, tmp_path: Path) -> None:
    first = install_bank(part, tmp_path)
    second = install_bank(small_bank, tmp_path)
    assert [path.name for path in second.older] == [first.data_version] * len(CONFIGS)
    assert [path.name for path in install_bank(part, tmp_path).older] == [
        second.data_version
    ] * 8  # rows and headline of each probe


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def swap(file: Path) -> None:
    """Another split's rows under the name of this one: readable, and wrong."""
    file.write_bytes(file.with_name("vehbench-test_id.arrow").read_bytes())


@pytest.mark.parametrize("damage", [cut, swap, Path.unlink])
def test_a_damaged_entry_is_written_again(small_bank: Bank, tmp_path: Path, damage: Any) -> None:
    installed = install_bank(small_bank, tmp_path)
    (file,) = installed.folder.glob("p3/*/*/vehbench-dev.arrow")
    good = file.read_bytes()
    damage(file)
    again = install_bank(small_bank, tmp_path)
    assert again.configs == {**dict.fromkeys(CONFIGS, "already there"), "p3": "written again"}
    assert file.read_bytes() == good
    assert install_bank(small_bank, tmp_path).configs == dict.fromkeys(CONFIGS, "already there")


def test_a_cache_that_cannot_be_written_ends_in_words(small_bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BankError, match=r"cannot seed the datasets cache .*HF_HOME"):
        install_bank(small_bank, tmp_path / "file")
