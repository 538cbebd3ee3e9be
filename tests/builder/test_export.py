"""Beside an export the literal calls of `datasets` and `evaluate` work, and nothing that is a user's is lost."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from literal_calls import part_of, rows_of, run
from vehbench_builder.documents.export import MARK, export_bank
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.schema import CANARY
from vehbench_hf.errors import BankError
from vehbench_hf.metrics import METRICS
from vehbench_hf.probes import BENCHMARK

LITERAL = """
import json
from datasets import load_dataset, disable_progress_bars
disable_progress_bars()
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
print(json.dumps({c: {s: rows.to_list() for s, rows in d.items()} for c, d in configs.items()}))
"""


def literally(cwd: Path, home: Path) -> Any:
    """What the literal calls give in a new process without a Hub."""
    return json.loads(run(LITERAL, cwd=cwd, home=home))


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_literal_call_beside_an_export_gives_its_current_rows(small_bank: Bank, tmp_path: Path) -> None:
    work, home = tmp_path / "work", tmp_path / "hf"
    work.mkdir()
    export_bank(small_bank, work / "vehbench")
    assert literally(work, home) == rows_of(small_bank)
    # The same place and cache with other data: what the first call cached must not be what the second gives.
    part = part_of(small_bank, tmp_path / "part")
    assert export_bank(part, work / "vehbench").replaced
    assert literally(work, home) == rows_of(part) != rows_of(small_bank)


@pytest.mark.slow
def test_the_authors_bank_exports(bank_v1: Bank, tmp_path: Path) -> None:
    export_bank(bank_v1, tmp_path / "vehbench")
    found = literally(tmp_path, tmp_path / "hf")
    expected = rows_of(bank_v1)
    counts = {config: {split: len(rows) for split, rows in splits.items()} for config, splits in found.items()}
    assert counts == {
        config: {split: len(rows) for split, rows in splits.items()} for config, splits in expected.items()
    }
    assert found == expected


def test_a_headline_config_holds_the_rows_of_the_headline(tmp_path: Path) -> None:
    from datasets import disable_progress_bars, load_dataset

    disable_progress_bars()
    bank = open_bank("v2")
    folder = export_bank(bank, tmp_path / "vehbench").folder
    for names in BENCHMARK:
        loaded = load_dataset(str(folder), names.task_id, cache_dir=str(tmp_path / "cache"))
        assert list(loaded) == ["test"]
        expected = [task.task_id for task in bank.select([names.probe], bank.headline_splits)]
        assert 0 < len(expected) < len(bank.select([names.probe]))
        assert sorted(loaded["test"]["task_id"]) == sorted(expected)


def test_an_export_has_all_its_files_and_no_loading_script(small_bank: Bank, tmp_path: Path) -> None:
    done = export_bank(small_bank, tmp_path / "vehbench")
    present = set(snapshot(done.folder))
    assert present == set(done.files)
    modules = {f"{name}/{name}.py" for name in METRICS}
    assert {name for name in present if name.endswith(".py")} == modules
    data = {entry["path"] for entry in small_bank.manifest["files"]}
    assert present == data | {"README.md", "manifest.json", "croissant.json", "LICENSE-DATA", MARK} | modules
    assert os.listdir(tmp_path) == ["vehbench"]


def test_an_export_is_a_bank(small_bank: Bank, tmp_path: Path) -> None:
    again = open_bank(export_bank(small_bank, tmp_path / "vehbench").folder)
    assert (again.tasks, again.fingerprint, again.manifest) == (
        small_bank.tasks,
        small_bank.fingerprint,
        small_bank.manifest,
    )
    assert snapshot(export_bank(again, tmp_path / "second").folder) == snapshot(tmp_path / "vehbench")


def test_the_card_has_its_header_and_the_canary(small_bank: Bank, tmp_path: Path) -> None:
    folder = export_bank(small_bank, tmp_path / "vehbench").folder
    _, header, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    read = yaml.safe_load(header)
    assert read["license"] == "cc-by-4.0"
    listed = {(c["config_name"], file["split"]): file["path"] for c in read["configs"] for file in c["data_files"]}
    whole = {(e["probe"], e["split"]): e["path"] for e in small_bank.manifest["files"]}
    headline = {(names.task_id, "test"): listed[names.task_id, "test"] for names in BENCHMARK}
    assert listed == whole | headline
    for names in BENCHMARK:
        splits = small_bank.headline_splits
        assert headline[names.task_id, "test"] == [whole[names.probe, split] for split in splits]
    assert text.count(CANARY) == 1
    own = (small_bank.path / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    assert own.strip() in text
    licence = (folder / "LICENSE-DATA").read_text(encoding="utf-8")
    assert "creativecommons.org/licenses/by/4.0" in licence


def test_the_checksums_of_an_export_fit_its_files(small_bank: Bank, tmp_path: Path) -> None:
    folder = export_bank(small_bank, tmp_path / "vehbench").folder
    files = {name: hashlib.sha256(data).hexdigest() for name, data in snapshot(folder).items()}
    assert json.loads((folder / MARK).read_text())["files"] == {n: s for n, s in files.items() if n != MARK}
    described = json.loads((folder / "croissant.json").read_text())["distribution"]
    sums = {file["contentUrl"]: file["sha256"] for file in described if file["@type"] == "cr:FileObject"}
    assert sums == {name: files[name] for name in files if name.startswith("data/")}


@pytest.mark.parametrize("name", ["a[1]", "a*", "a?b", "a::b"])
def test_a_path_that_datasets_reads_as_a_pattern_is_refused(name: str, small_bank: Bank, tmp_path: Path) -> None:
    with pytest.raises(BankError, match="which `datasets` reads as a pattern"):
        export_bank(small_bank, tmp_path / name / "vehbench")
    assert list(tmp_path.iterdir()) == []


def foreign(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")


def package(folder: Path) -> None:
    folder.mkdir()
    (folder / "__init__.py").touch()


def other_mark(folder: Path) -> None:
    folder.mkdir()
    (folder / MARK).write_text('{"schema": "something else", "files": {}}')


def broken_mark(folder: Path) -> None:
    folder.mkdir()
    (folder / MARK).write_text("[")


def a_file(folder: Path) -> None:
    folder.write_text("a file")


@pytest.mark.parametrize("make", [foreign, package, other_mark, broken_mark, a_file])
def test_what_is_no_export_is_not_overwritten(small_bank: Bank, tmp_path: Path, make: Any) -> None:
    make(tmp_path / "vehbench")
    before = snapshot(tmp_path)
    with pytest.raises(BankError, match=r"vehbench is (not empty and no earlier export|no folder)"):
        export_bank(small_bank, tmp_path / "vehbench")
    assert snapshot(tmp_path) == before


def test_a_bank_that_was_built_into_the_folder_is_not_overwritten(small_bank: Bank, tmp_path: Path) -> None:
    shutil.copytree(small_bank.path, tmp_path / "vehbench")
    with pytest.raises(BankError, match="no earlier export"):
        export_bank(small_bank, tmp_path / "vehbench")


def test_a_link_is_not_replaced_by_a_folder(small_bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "vehbench").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BankError, match="no folder"):
        export_bank(small_bank, tmp_path / "vehbench")
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("name", ["README.md", "notes.txt", "data/p2/mine.parquet", "vehbench.py"])
def test_a_users_change_to_an_export_is_kept(small_bank: Bank, tmp_path: Path, name: str) -> None:
    folder = export_bank(small_bank, tmp_path / "vehbench").folder
    with (folder / name).open("a") as stream:
        stream.write("mine")
    before = snapshot(folder)
    with pytest.raises(BankError, match=rf"changed since: {name}"):
        export_bank(small_bank, folder)
    assert snapshot(folder) == before


def test_an_empty_folder_is_filled(small_bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "vehbench").mkdir()
    assert not export_bank(small_bank, tmp_path / "vehbench").replaced
    assert export_bank(small_bank, tmp_path / "vehbench").replaced


def test_a_failed_export_leaves_everything_as_it_was(small_bank: Bank, tmp_path: Path) -> None:
    export_bank(small_bank, tmp_path / "vehbench")
    before = snapshot(tmp_path)
    bank = open_bank(shutil.copytree(small_bank.path, tmp_path.parent / f"{tmp_path.name}-bank"))
    (bank.path / "data/p4/test_ood.parquet").unlink()
    with pytest.raises(BankError, match="cannot write the export"):
        export_bank(bank, tmp_path / "vehbench")
    assert snapshot(tmp_path) == before
    assert os.listdir(tmp_path) == ["vehbench"]


def test_a_place_that_cannot_be_written_ends_in_words(small_bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BankError, match="cannot write the export"):
        export_bank(small_bank, tmp_path / "file" / "vehbench")


def test_a_bank_without_a_card_is_not_exported(small_bank: Bank, tmp_path: Path) -> None:
    bank = open_bank(shutil.copytree(small_bank.path, tmp_path / "bank"))
    (bank.path / "README.md").unlink()
    with pytest.raises(BankError, match=r"no readable README\.md"):
        export_bank(bank, tmp_path / "vehbench")
    assert not (tmp_path / "vehbench").exists()
