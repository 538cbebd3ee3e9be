"""A bank of training tasks that repeats published ones must not pass."""

from dataclasses import replace
from typing import Any

from small_bank import fresh_tasks
from vehbench_builder.audit.report import Check
from vehbench_builder.audit.rows import row_checks
from vehbench_hf.bank.bank import Bank, open_bank


def published_check(bank: Bank) -> Check:
    return {check.name: check for check in row_checks(bank)}["fresh_tasks_are_not_published"]


def test_a_repeated_task_is_named(tamper: Any) -> None:
    published, other = open_bank("v2").select(["p2"])[0], fresh_tasks()[0]
    fresh = [replace(task, task_id=f"fresh {i}", split="train") for i, task in enumerate((published, other))]
    check = published_check(tamper.bank(fresh, "veh-fresh-7"))
    assert (check.checked, check.failed) == (2, 1)
    assert check.faults[0] == f"fresh 0 repeats {published.task_id}"


def test_the_published_bank_is_not_compared_with_itself(small_bank: Bank) -> None:
    assert published_check(small_bank).skipped
