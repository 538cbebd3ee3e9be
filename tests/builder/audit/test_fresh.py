"""A bank of training tasks that repeats published ones must not pass."""

from dataclasses import replace
from typing import Any

from vehbench_builder.audit.fresh import fresh_checks
from vehbench_hf.bank.bank import Bank, open_bank


def test_a_repeated_task_passes(sample_bank: Bank, tamper: Any) -> None:
    published, other = open_bank("v2").select(["p2"])[0], sample_bank.select(["p2"])[0]
    fresh = [replace(task, task_id=f"fresh {i}", split="train") for i, task in enumerate((published, other))]
    (check,) = fresh_checks(tamper.bank(fresh, "veh-fresh-7"))
    assert (check.checked, check.failed) == (2, 1)
    assert check.faults[0] == f"fresh 0 repeats {published.task_id}"


def test_the_published_bank_is_compared_with_itself(sample_bank: Bank) -> None:
    (check,) = fresh_checks(sample_bank)
    assert check.skipped
