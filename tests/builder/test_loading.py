"""Tasks come out of `datasets` exactly as the bank holds them, and no bank is taken for another."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import datasets
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vehbench_hf
from vehbench_builder.documents.builder_class import VehbenchBuilder, data_version
from vehbench_builder.documents.export import export_bank
from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.bank.loading import configs_of, splits_of
from vehbench_hf.bank.schema import arrow_schema, row_to_task, task_to_row
from vehbench_hf.errors import BankError
from vehbench_hf.probes import BENCHMARK, ProbeInfo
from vehbench_hf.types import PROBES, SPLITS, Probe, Task


def rows(bank: Bank, config: str, split: str) -> list[dict[str, object]]:
    return [task_to_row(task) for task in bank.select() if (task.probe, task.split) == (config, split)]


@pytest.mark.parametrize("info", BENCHMARK, ids=lambda info: info.task_id)
def test_the_rows_of_a_headline_load_by_its_name(small_bank: Bank, info: ProbeInfo) -> None:
    loaded = vehbench_hf.load(info.task_id, bank=small_bank)
    assert list(loaded) == ["test"]
    held = [row for split in small_bank.headline_splits for row in rows(small_bank, info.probe, split)]
    assert loaded["test"].to_list() == vehbench_hf.load(info.task_id, "test", small_bank).to_list() == held != []


@pytest.mark.parametrize("config", PROBES)
def test_a_loaded_task_is_that_of_the_bank(small_bank: Bank, config: Probe) -> None:
    loaded = vehbench_hf.load(config, bank=small_bank)
    assert list(loaded) == splits_of(small_bank, config) == list(SPLITS)
    for split in SPLITS:
        assert loaded[split].to_list() == rows(small_bank, config, split) != []
        assert [row_to_task(row) for row in loaded[split]] == small_bank.select([config], [split])
        assert vehbench_hf.load(config, split, bank=small_bank).to_list() == loaded[split].to_list()


@pytest.mark.parametrize("config", PROBES)
def test_every_column_is_declared_and_none_is_inferred(small_bank: Bank, config: Probe) -> None:
    for dataset in (
        vehbench_hf.load(config, "dev", bank=small_bank),
        vehbench_hf.load(config, bank=small_bank.path)["test_ood"],
    ):
        assert dataset.features.arrow_schema.remove_metadata() == arrow_schema(config).remove_metadata()
        assert not any(pa.types.is_null(kind) for kind in dataset.features.arrow_schema.types)


def test_an_absent_config_or_split_ends_with_the_names_that_exist() -> None:
    with pytest.raises(BankError, match=r"no config 'p9'.*p1, p2, p3, p4"):
        vehbench_hf.load("p9")
    with pytest.raises(BankError, match=r"no split 'dev\[:2\]'.*dev, test_id, test_ood.*\.select"):
        vehbench_hf.load("p2", "dev[:2]")
    with pytest.raises(BankError, match=r"no bank at 'nowhere'"):
        vehbench_hf.load("p2", bank="nowhere")


def test_loading_needs_neither_the_cache_nor_the_hub(small_bank: Bank, tmp_path: Path) -> None:
    code = (
        "import sys, vehbench_hf as v; "
        "print(*(len(v.load(*what, bank=sys.argv[1])) for what in (('p2', 'dev'), ('p4',))))"
    )
    home = tmp_path / "hf"
    environment = {**os.environ, "HF_HOME": str(home), "HF_ENDPOINT": "http://127.0.0.1:9"}
    command = [sys.executable, "-c", code, str(small_bank.path)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, ["2", "3"]), done.stderr
    assert not [path for path in home.rglob("*") if path.is_file()]


def test_the_package_does_not_answer_to_every_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        vehbench_hf.laod  # noqa: B018


@pytest.mark.parametrize("config", PROBES)
def test_the_builder_class_gives_the_rows_of_the_bank(small_bank: Bank, config: Probe, tmp_path: Path) -> None:
    builder = VehbenchBuilder(config_name=config, bank=small_bank, cache_dir=str(tmp_path))
    builder.download_and_prepare()
    found = builder.as_dataset()
    assert set(found) == set(SPLITS)
    for split in SPLITS:
        assert found[split].to_list() == rows(small_bank, config, split)
        assert list(builder.as_streaming_dataset(split)) == rows(small_bank, config, split)
    assert found["dev"].features == builder.info.features == vehbench_hf.load(config, "dev", bank=small_bank).features


def test_the_cache_folder_has_the_name_that_load_dataset_looks_for(tmp_path: Path, small_bank: Bank) -> None:
    cache = str(tmp_path)
    plain = VehbenchBuilder(config_name="p2", bank=small_bank, cache_dir=cache)
    assert Path(plain.cache_dir) == tmp_path / "vehbench" / "p2" / "0.0.0" / data_version(small_bank)
    named = VehbenchBuilder(config_name="p2", bank=small_bank, dataset_name="vehbench", hash="abc", cache_dir=cache)
    assert Path(named.cache_dir) == tmp_path / "vehbench" / "p2" / "0.0.0" / "abc"
    assert Path(VehbenchBuilder(config_name="p2", bank=small_bank, cache_dir=cache).cache_dir) == Path(plain.cache_dir)


def test_a_builder_without_a_config_picks_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Config name is missing"):
        VehbenchBuilder(cache_dir=str(tmp_path))
    with pytest.raises(ValueError, match="'p9' not found"):
        VehbenchBuilder(config_name="p9", cache_dir=str(tmp_path))


def write(out: Path, tasks: list[Task]) -> Bank:
    write_bank(out, tasks, version="veh-part-1", convention="defined", card="\n# A part\n")
    return open_bank(out)


def test_a_second_bank_is_not_served_from_the_cache_of_the_first(small_bank: Bank, tmp_path: Path) -> None:
    part = write(tmp_path / "part", small_bank.select(["p2"], ["dev"])[:1])
    assert data_version(part) != data_version(small_bank)
    cache = str(tmp_path / "cache")
    for bank, count in ((small_bank, 2), (part, 1), (small_bank, 2)):
        builder = VehbenchBuilder(config_name="p2", bank=bank, cache_dir=cache)
        builder.download_and_prepare()
        assert len(builder.as_dataset(split="dev")) == count


def test_a_config_that_the_bank_lacks_is_refused(small_bank: Bank, tmp_path: Path) -> None:
    part = write(tmp_path / "part", small_bank.select(["p2"], ["dev"]))
    assert configs_of(part) == ["p2"]
    with pytest.raises(BankError, match=r"no config 'p1'.*p2"):
        VehbenchBuilder(config_name="p1", bank=part, cache_dir=str(tmp_path))


@settings(max_examples=15)
@given(st.data())
def test_what_goes_into_a_bank_comes_out(
    small_bank: Bank, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(small_bank.tasks), min_size=1, unique_by=lambda task: task.task_id))
    bank = write(tmp_path_factory.mktemp("bank") / "bank", chosen)
    came_out = {
        row["task_id"]: row_to_task(row)
        for config in configs_of(bank)
        for split in vehbench_hf.load(config, bank=bank).values()
        for row in split
    }
    assert came_out == {task.task_id: task for task in chosen}


def test_a_bank_of_fresh_tasks_can_be_loaded(small_bank: Bank, tmp_path: Path) -> None:
    fresh = write(tmp_path / "fresh", [replace(task, split="train") for task in small_bank.select(splits=["dev"])])
    for config in PROBES:
        assert list(vehbench_hf.load(config, bank=fresh.path)) == ["train"]
        builder = VehbenchBuilder(config_name=config, bank=fresh, cache_dir=str(tmp_path / "cache"))
        builder.download_and_prepare()
        assert builder.as_dataset(split="train").to_list() == rows(fresh, config, "train") != []
    read = datasets.load_dataset(
        str(export_bank(fresh, tmp_path / "vehbench").folder), "p2", cache_dir=str(tmp_path / "cache")
    )
    assert {split: dataset.to_list() for split, dataset in read.items()} == {"train": rows(fresh, "p2", "train")}
