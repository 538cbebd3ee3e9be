"""Damaged rows, files that tell of others, and papers or devices in two splits do not pass."""

import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_bank import fresh_tasks, small_tasks
from tampered import Change, bank_of, failed, good, tampered
from vehbench_builder.audit.report import whole
from vehbench_builder.audit.rows import devices_stay_in_one_split, distance, row_checks
from vehbench_builder.documents.card import own_text, with_header
from vehbench_builder.documents.croissant import croissant_text
from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.types import Probe, Task
from vehbench_oracle import VARIABLES

DESIGNS = st.fixed_dictionaries({name: st.floats(0, 1e6) for name in VARIABLES})


def faults(*tasks: Task, version: str = "test") -> dict[str, tuple[str, ...]]:
    """What speaks against some tasks, by the name of the check."""
    return {check.name: check.faults for check in row_checks(bank_of(*tasks, version=version)) if check.faults}


def limited(**limits: object) -> Change:
    return lambda task: task.spec["constraints"].update(limits)


def ranged(**bounds: Any) -> Change:
    return lambda task: task.spec["variable_bounds"].update(bounds)


@pytest.mark.parametrize(
    ("probe", "change", "name", "words"),
    [
        *[
            (probe, limited(stress_limit_mpa=value), "numbers_are_finite", "spec.constraints.stress_limit_mpa")
            for probe in ("p1", "p2", "p3", "p4")
            for value in (math.nan, math.inf)
        ],
        (
            "p3",
            lambda task: task.spec["history"][1]["design"].update(tip_mass_g=math.nan),
            "numbers_are_finite",
            "spec.history[1].design.tip_mass_g",
        ),
        ("p2", limited(mass_limit_g=1.0), "rows_fit_the_schema", "outside the schema"),
        ("p2", limited(stress_limit_mpa="high"), "rows_fit_the_schema", "cannot be evaluated"),
        ("p2", ranged(beam_width_mm={"min": 20.0, "max": 20.001}), "ranges_have_width", "beam_width_mm"),
        ("p2", ranged(beam_width_mm={"min": 20.0, "max": 10.0}), "ranges_have_width", "beam_width_mm"),
        ("p1", ranged(beam_length_mm={"min": 20.0, "max": 200.1}), "boxes_lie_in_the_domain", "beam_length_mm"),
        *[
            ("p2", lambda task, doi=doi: task.anchor.update(doi=doi), "dois_are_well_formed", task_key)
            for task_key in [str((good("p2").anchor or {})["key"])]
            for doi in (None, "", "10.1016", "10.1016/", "doi:10.1016/j.x", "10.1/J.X", "10.x/y", "10.1/a b")
        ],
    ],
)
def test_a_damaged_row_is_named(probe: Probe, change: Change, name: str, words: str) -> None:
    (fault,) = faults(tampered(good(probe), change), good("p4" if probe != "p4" else "p1"))[name]
    assert words in fault


def test_an_id_or_a_brief_used_twice_is_named() -> None:
    assert set(faults(good("p1"), good("p2"), good("p1"))) == {"ids_are_unique"}
    twin = tampered(good("p2"), lambda t: t.gold.update(anchor_design=None), task_id="other")
    assert faults(good("p2"), twin) == {"briefs_are_unique": (f"other: the same brief as {good('p2').task_id} (dev)",)}


@pytest.mark.parametrize("rename", [{}, {"doi": str((good("p3").anchor or {})["doi"]).upper(), "key": "x"}])
def test_a_paper_in_two_splits_is_named_under_any_spelling(rename: dict[str, str]) -> None:
    moved = tampered(good("p3"), lambda t: t.anchor.update(rename), split="test_ood")
    (fault,) = faults(good("p2"), moved)["papers_stay_in_one_split"]
    assert "dev, test_ood" in fault


def test_a_device_under_another_paper_is_the_same_device() -> None:
    def scaled(factor: float, **fields: Any) -> Task:
        def change(task: Any) -> None:
            task.anchor.update(doi=f"10.1/{factor}", key=str(factor))
            task.gold["anchor_design"]["beam_length_mm"] *= factor

        return tampered(good("p2"), change, **fields)

    other = scaled(0.8, split="test_id")
    check = whole(devices_stay_in_one_split, [good("p2"), scaled(1.08, split="test_ood"), other])
    assert (check.checked, check.failed) == (3, 1)
    check = whole(devices_stay_in_one_split, [good("p2"), scaled(1.08), other])
    assert check.figures["alike devices inside one split"] == 1
    assert (check.checked, check.failed) == (2, 0)


@given(DESIGNS, DESIGNS)
def test_distance_is_a_distance(a: dict[str, float], b: dict[str, float]) -> None:
    assert distance(a, a) == 0
    assert distance(a, b) == distance(b, a)
    assert 0 <= distance(a, b) <= 1


def test_a_training_task_that_repeats_a_published_one_is_named() -> None:
    published, other = open_bank("v2").select(["p2"])[0], fresh_tasks()[0]
    fresh = [replace(task, task_id=f"fresh {i}", split="train") for i, task in enumerate((published, other))]
    checks = {check.name: check for check in row_checks(bank_of(*fresh, version="veh-fresh-7"))}
    check = checks["fresh_tasks_are_not_published"]
    assert (check.checked, check.faults) == (2, (f"fresh 0 repeats {published.task_id}",))


def test_a_file_without_the_canary_is_named(small_bank: Bank, tmp_path: Path) -> None:
    shutil.copytree(small_bank.path, tmp_path / "bank")
    bank = replace(small_bank, path=tmp_path / "bank")
    assert not failed(row_checks(bank))
    file = bank.path / small_bank.manifest["files"][0]["path"]
    pq.write_table(pq.read_table(file).replace_schema_metadata(None), file, store_schema=False)
    (bank.path / "README.md").write_text("a bank\n", encoding="utf-8")
    canary = {check.name: check for check in row_checks(bank)}["canary_in_every_file"]
    assert canary.failed == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two P1 files in a bank that calls itself built here, with the documents that belong to them."""
    tasks = [task for task in small_tasks() if task.probe == "p1" and task.split in ("dev", "test_id")]
    tasks = [replace(task, bank_version="veh-fresh-9") for task in tasks]
    write_bank(tmp_path, tasks, version="veh-fresh-9", convention="defined", card="A card.\n")
    bank = open_bank(tmp_path)
    for name, text in (("README.md", with_header(bank, own_text(bank))), ("croissant.json", croissant_text(bank))):
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


def other_sum(folder: Path) -> None:
    text = (folder / "croissant.json").read_text(encoding="utf-8")
    text = text.replace(open_bank(folder).data_files[0].sha256, "0" * 64)
    (folder / "croissant.json").write_text(text, encoding="utf-8")


def other_path(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    text = text.replace("path: data/p1/dev.parquet", "path: data/p1/test_id.parquet")
    (folder / "README.md").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "check", "words"),
    [
        (other_sum, "documents_tell_of_the_data", "croissant.json"),
        (lambda folder: (folder / "croissant.json").unlink(), "documents_tell_of_the_data", "croissant.json"),
        (other_path, "documents_tell_of_the_data", "README.md"),
        (
            lambda folder: shutil.copy(folder / "data/p1/dev.parquet", folder / "data/p1/train.parquet"),
            "data_files_are_listed",
            "data/p1/train.parquet",
        ),
    ],
)
def test_a_file_beside_the_data_that_tells_of_others_is_named(
    folder: Path, change: Callable[[Path], object], check: str, words: str
) -> None:
    assert not failed(row_checks(open_bank(folder)))
    change(folder)
    checks = {made.name: made.faults for made in row_checks(open_bank(folder)) if made.faults}
    (fault,) = checks[check]
    assert words in fault
