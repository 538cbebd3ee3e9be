"""Damaged rows do not pass as whole."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from vehbench_builder.audit.report import each, whole
from vehbench_builder.audit.rows import (
    boxes_lie_in_the_domain,
    briefs_are_unique,
    canary_in_every_file,
    ids_are_unique,
    numbers_are_finite,
    ranges_have_width,
    row_checks,
    rows_fit_the_schema,
)
from vehbench_builder.veh.audit.p2 import briefs_are_complete
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import PROBES, Task


def test_the_sample_bank_is_whole(small_bank: Bank) -> None:
    for check in row_checks(small_bank):
        assert check.checked > 0 or check.skipped, check.name
        assert not check.faults, check.faults


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_number_that_is_none_is_named(good: Callable[..., Task], tamper: Any, probe: str, value: float) -> None:
    broken = tamper.task(good(probe), lambda t: t.spec["constraints"].update(stress_limit_mpa=value))
    check = each(numbers_are_finite, [broken, good(probe)])
    assert check.failed == 1
    assert "spec.constraints.stress_limit_mpa" in check.faults[0]


def test_a_nan_in_a_history_is_named(good: Callable[..., Task], tamper: Any) -> None:
    broken = tamper.task(good("p3"), lambda t: t.spec["history"][1]["design"].update(tip_mass_g=math.nan))
    assert "spec.history[1].design.tip_mass_g" in each(numbers_are_finite, [broken]).faults[0]


def test_a_field_outside_the_schema_is_named(good: Callable[..., Task], tamper: Any) -> None:
    extra = tamper.task(good("p2"), lambda t: t.spec["constraints"].update(mass_limit_g=1.0))
    words = tamper.task(good("p2"), lambda t: t.spec["constraints"].update(stress_limit_mpa="high"))
    check = whole(rows_fit_the_schema, [extra, words, good("p2")])
    assert check.failed == 2


def test_an_id_used_twice_is_named(good: Callable[..., Task]) -> None:
    check = whole(ids_are_unique, [good("p1"), good("p2"), good("p1")])
    assert (check.checked, check.failed) == (3, 1)


def test_two_tasks_with_one_brief_are_named(good: Callable[..., Task], tamper: Any) -> None:
    twin = tamper.task(good("p2"), lambda t: t.gold.update(anchor_design=None), task_id="other", split="test_ood")
    check = whole(briefs_are_unique, [good("p2"), twin])
    assert check.failed == 1
    assert "other" in check.faults[0]


@pytest.mark.parametrize(
    ("section", "name"),
    [
        ("variable_bounds", "tip_mass_g"),
        ("constraints", "power_target_uw"),
        ("excitation", "frequency_hz"),
        ("materials", "substrate"),
    ],
)
def test_a_brief_that_cannot_be_judged_is_named(
    good: Callable[..., Task], tamper: Any, section: str, name: str
) -> None:
    broken = tamper.task(good("p2"), lambda t: t.spec[section].update({name: None}))
    check = each(briefs_are_complete, [broken, good("p2")])
    assert check.failed == 1
    assert name in check.faults[0]


def test_a_variable_without_a_range_is_named(good: Callable[..., Task], tamper: Any) -> None:
    point, turned = (
        tamper.task(good("p2"), lambda t, box=box: t.spec["variable_bounds"].update(beam_width_mm=box))
        for box in ({"min": 20.0, "max": 20.001}, {"min": 20.0, "max": 10.0})
    )
    check = each(ranges_have_width, [point, turned, good("p2")])
    assert check.failed == 2


def test_a_box_outside_the_domain_is_named(good: Callable[..., Task], tamper: Any) -> None:
    broken = tamper.task(good("p1"), lambda t: t.spec["variable_bounds"]["beam_length_mm"].update(max=200.1))
    assert each(boxes_lie_in_the_domain, [broken, good("p1")]).failed == 1


def test_a_file_without_the_canary_is_named(small_bank: Bank, tmp_path: Path) -> None:
    copied = tmp_path / "bank"
    shutil.copytree(small_bank.path, copied)
    bank = Bank(copied, small_bank.manifest, small_bank.tasks)
    assert not whole(canary_in_every_file, bank).faults
    file = copied / small_bank.manifest["files"][0]["path"]
    pq.write_table(pq.read_table(file).replace_schema_metadata(None), file, store_schema=False)
    (copied / "README.md").write_text("a bank\n", encoding="utf-8")
    assert whole(canary_in_every_file, bank).failed == 2
