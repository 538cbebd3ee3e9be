"""A bank that is damaged is refused by name, and what is written comes back."""

import contextlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.bank.files import fingerprint_of, read_rows, write_rows
from vehbench_hf.bank.schema import CANARY, arrow_schema, row_checksum, row_to_task, task_to_row
from vehbench_hf.errors import BankError
from vehbench_hf.types import PROBES, SPLITS, Probe, Task

FILE = "data/p2/dev.parquet"


@pytest.fixture
def copy(small_bank: Bank, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small_bank.path, tmp_path / "bank"))


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    change(manifest)
    file.write_text(json.dumps(manifest), encoding="utf-8")


def entry(manifest: dict[str, Any], path: str = FILE) -> dict[str, Any]:
    return next(one for one in manifest["files"] if one["path"] == path)


def accept_file_as_it_is(folder: Path, path: str = FILE) -> None:
    import hashlib

    digest = hashlib.sha256((folder / path).read_bytes()).hexdigest()
    change_manifest(folder, lambda manifest: entry(manifest, path).update(sha256=digest))


def rewrite(folder: Path, change: Callable[[list[dict[str, Any]]], object], path: str = FILE) -> None:
    rows = pq.read_table(folder / path).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow_schema("p2")), folder / path)
    accept_file_as_it_is(folder, path)


def test_an_untouched_copy_opens(copy: Path, small_bank: Bank) -> None:
    bank = open_bank(copy)
    assert bank.tasks == small_bank.tasks
    assert bank.fingerprint == small_bank.fingerprint
    assert bank.path == copy


def flip_a_byte(folder: Path) -> None:
    data = bytearray((folder / FILE).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / FILE).write_bytes(data)


def drop_a_column(folder: Path) -> None:
    pq.write_table(pq.read_table(folder / FILE).drop_columns(["difficulty"]), folder / FILE)
    accept_file_as_it_is(folder)


def other_row(rows: list[dict[str, Any]]) -> None:
    rows[1]["spec"]["constraints"].update(power_target_uw=1e-9)


def other_row_with_its_checksum(rows: list[dict[str, Any]]) -> None:
    rows[0]["difficulty"] = "another"
    rows[0]["checksum"] = row_checksum(rows[0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (flip_a_byte, rf"{FILE} differs from the manifest"),
        (lambda folder: (folder / FILE).unlink(), rf"{FILE} is missing"),
        (lambda folder: rewrite(folder, other_row), r"row 'v2::p2::dev::0006' does not match its checksum"),
        (
            lambda folder: rewrite(folder, other_row_with_its_checksum),
            "fingerprint|not those that manifest|manifest.json says",
        ),
        (lambda folder: rewrite(folder, lambda rows: rows.pop()), r"holds 1 rows, manifest\.json says 2"),
        (drop_a_column, rf"{FILE} has another schema than config p2"),
        (lambda folder: (folder / "manifest.json").unlink(), r"no bank at .*manifest\.json.*v2, v1"),
        (
            lambda folder: change_manifest(folder, lambda manifest: entry(manifest).update(split="test_ood")),
            "split is 'dev', listed as 'test_ood'",
        ),
    ],
)
def test_a_damaged_bank_is_refused_by_what_is_damaged(copy: Path, change: Callable[[Path], object], words: str) -> None:
    change(copy)
    with pytest.raises(BankError, match=words):
        open_bank(copy)


@pytest.mark.parametrize("name", ["../outside.parquet", "/etc/hostname", "data/../../outside.parquet"])
def test_a_manifest_cannot_reach_out_of_its_folder(copy: Path, name: str) -> None:
    shutil.copy(copy / FILE, copy.parent / "outside.parquet")
    change_manifest(copy, lambda manifest: entry(manifest).update(path=name))
    with pytest.raises(BankError, match=rf"'{name}' leads out of the bank"):
        open_bank(copy)


def test_a_snapshot_of_links_as_the_hub_makes_it_opens(copy: Path, small_bank: Bank) -> None:
    (copy / FILE).rename(copy.parent / "blob")
    (copy / FILE).symlink_to(copy.parent / "blob")
    assert open_bank(copy).tasks == small_bank.tasks


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"schema": "x", "files": []}', '{"schema": 1', "\ufeff{}"])
def test_an_unreadable_manifest_is_refused_by_name(copy: Path, text: str) -> None:
    (copy / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(BankError, match=r"manifest\.json"):
        open_bank(copy)


@pytest.mark.parametrize("name", ["v3", "", "no/such/folder"])
def test_an_unknown_name_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BankError, match=rf"no bank at '{name}'.*v2, v1"):
        open_bank(name)


def test_the_error_on_an_absent_bank_v1_names_the_command_that_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VEHBENCH_HOME", str(tmp_path / "home"))
    with pytest.raises(BankError, match=r"vehbench import RELEASE_DIR"):
        open_bank("v1")


def test_bank_v1_in_the_cache_is_found_by_name(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VEHBENCH_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    copy.rename(tmp_path / "home" / "v1")
    assert open_bank("v1").path == tmp_path / "home" / "v1"


def test_a_folder_named_like_a_bank_wins(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy.rename(copy.parent / "v2")
    monkeypatch.chdir(copy.parent)
    assert open_bank("v2").path == copy.parent / "v2"


def write(out: Path, tasks: list[Task]) -> dict[str, Any]:
    return write_bank(out, tasks, version="test-1", convention="defined", card="\n# A bank\n")


def test_equal_tasks_give_equal_bytes(small_bank: Bank, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name, list(small_bank.tasks))
    files = [{p.relative_to(d): p.read_bytes() for p in d.rglob("*.*")} for d in (tmp_path / "a", tmp_path / "b")]
    assert files[0] == files[1]
    assert len(files[0]) == 4 * 3 + 2


def test_every_data_file_holds_the_canary(small_bank: Bank) -> None:
    files = list(small_bank.path.rglob("*.parquet"))
    assert files
    for file in files:
        assert pq.read_schema(file).metadata[b"canary"] == CANARY.encode()


def test_a_bank_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BankError, match="at least one task"):
        write(tmp_path, [])


def test_selecting_keeps_the_file_order(small_bank: Bank) -> None:
    chosen = small_bank.select(["p3", "p1"], ["test_ood"])
    assert [task.probe for task in chosen] == ["p1", "p1", "p3", "p3"]
    assert [task.task_id for task in chosen] == [t.task_id for t in small_bank.tasks if t in chosen]


def values_of(kind: pa.DataType) -> st.SearchStrategy[Any]:
    """Values of an Arrow type, null among them."""
    if pa.types.is_struct(kind):
        return st.none() | st.fixed_dictionaries({field.name: values_of(field.type) for field in kind})
    if pa.types.is_list(kind):
        return st.lists(values_of(kind.value_type), max_size=2)
    simple = {
        pa.string(): st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
        pa.float64(): st.floats(allow_nan=False, allow_infinity=False),
        pa.int64(): st.integers(-(2**63), 2**63 - 1),
        pa.bool_(): st.booleans(),
    }
    return st.none() | simple[kind]


@st.composite
def tasks_of(draw: st.DrawFn, probe: Probe) -> Task:
    schema = arrow_schema(probe)
    row = {field.name: draw(values_of(field.type)) for field in schema if field.name not in ("spec", "gold")}
    for part in ("spec", "gold"):
        kinds = {field.name: values_of(field.type) for field in schema.field(part).type}
        row[part] = draw(st.fixed_dictionaries(kinds))
    row |= {"probe": probe, "domain": "veh", "split": draw(st.sampled_from(SPLITS))}
    row |= {"task_id": draw(st.uuids().map(str))}
    return row_to_task(row)


@settings(max_examples=15)
@given(st.sampled_from(PROBES).flatmap(lambda probe: st.lists(tasks_of(probe), min_size=1, max_size=3)))
def test_a_task_comes_back_unchanged_from_a_file(tmp_path_factory: pytest.TempPathFactory, tasks: list[Task]) -> None:
    out, probe = tmp_path_factory.mktemp("bank"), tasks[0].probe
    listed = write_rows(out, "data/some.parquet", [task_to_row(task) for task in tasks], arrow_schema(probe))
    assert [row_to_task(row) for row in read_rows(out, listed, arrow_schema(probe), probe)] == tasks
    shutil.rmtree(out)


def test_a_row_keeps_what_belongs_to_its_probe(small_bank: Bank) -> None:
    assert [row_to_task(task_to_row(task)) for task in small_bank.tasks] == list(small_bank.tasks)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("headline_splits", 3),
        ("headline_splits", ["nowhere"]),
        ("convention", "other"),
        ("build", [1]),
        ("built_with", [1]),
        ("subsets", [1]),
        ("version", "../outside"),
        ("version", "red\x1b[31m"),
        ("isomorphic", {"files": [{"path": "x", "sha256": "y", "split": "dev"}], "fingerprint": "z"}),
    ],
)
def test_a_manifest_of_another_shape_is_refused_by_field(copy: Path, name: str, value: Any) -> None:
    change_manifest(copy, lambda manifest: manifest.update({name: value}))
    with pytest.raises(BankError, match=name):
        open_bank(copy)


@pytest.mark.parametrize("name", ["rows", "row_sha256", "split"])
def test_a_file_entry_that_lacks_something_is_refused_by_field(copy: Path, name: str) -> None:
    change_manifest(copy, lambda manifest: entry(manifest).pop(name))
    with pytest.raises(BankError, match=rf"manifest\.files\[\d\]\.{name} is null"):
        open_bank(copy)


def vouched(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the first row of a file and make every sum agree with it, as somebody who wants to be believed would."""

    def alter(rows: list[dict[str, Any]]) -> None:
        change(rows[0])
        with contextlib.suppress(ValueError):
            rows[0]["checksum"] = row_checksum(rows[0])

    rewrite(folder, alter)
    rows = pq.read_table(folder / FILE).to_pylist()

    def sums(manifest: dict[str, Any]) -> None:
        entry(manifest)["row_sha256"] = {row["task_id"]: row["checksum"] for row in rows}
        manifest["fingerprint"] = fingerprint_of(c for f in manifest["files"] for c in f["row_sha256"].values())

    change_manifest(folder, sums)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: row["spec"]["constraints"].update(stress_limit_mpa=float("nan")), "not finite"),
        (lambda row: row.update(spec=None), "no spec"),
        (lambda row: row.update(gold=None), "no gold"),
        (lambda row: row.update(task_id=""), "task_id"),
        (lambda row: row.update(task_id="../x\x1b[31m"), "task_id"),
        (lambda row: row.update(split="weird"), "split is 'weird'"),
        (lambda row: row.update(probe="p3"), "probe is 'p3', listed as 'p2'"),
        (lambda row: row.update(bank_version=None), "bank_version is null"),
        (lambda row: row["spec"].update(variable_bounds=None), r"spec\.variable_bounds is null"),
        (lambda row: row["spec"].update(notes=[None]), r"spec\.notes\[0\] is null"),
        (lambda row: row["spec"].update(query_budget=None), r"spec\.query_budget is null"),
        (lambda row: row["spec"]["variable_bounds"]["tip_mass_g"].update(min=None), r"tip_mass_g\.min is null"),
    ],
)
def test_a_row_that_no_type_allows_is_refused_even_when_all_sums_agree(
    copy: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    vouched(copy, change)
    with pytest.raises(BankError, match=said):
        open_bank(copy)
