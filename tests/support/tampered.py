"""Copies of good tasks with one thing changed, and what an audit says against them."""

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from small_bank import small_tasks
from vehbench_builder.audit.all_checks import audit_bank
from vehbench_builder.audit.report import Check
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Probe, Task

FRESH = "veh-fresh-0"
Change = Callable[[Any], object]
"""Gets a copy of a task, and may alter its spec and gold."""


def good(probe: Probe, action: str | None = None) -> Task:
    """The first task of a probe in the small bank, or the first with a gold action."""
    return next(t for t in small_tasks() if t.probe == probe and action in (None, t.gold["action"]))


def tampered(task: Task, change: Change = lambda task: None, **fields: Any) -> Task:
    """A deep copy with other `fields`, after `change`."""
    copied = replace(copy.deepcopy(task), **fields)
    change(copied)
    return copied


def bank_of(*tasks: Task, version: str = "test", **manifest: Any) -> Bank:
    """A bank of tasks that lies nowhere."""
    return Bank(Path(), {"version": version, **manifest}, tasks)


def failed(checks: Iterable[Check]) -> set[str]:
    """The names of the checks with a case against them."""
    return {check.name for check in checks if check.faults}


def audited(tasks: Sequence[Task]) -> tuple[dict[str, tuple[str, ...]], dict[str, int]]:
    """The faults of every statement that fails, and how many cases every statement was held against."""
    bank = bank_of(*(replace(task, bank_version=FRESH) for task in tasks), version=FRESH)
    checks = audit_bank(bank).checks
    return {c.name: c.faults for c in checks.values() if c.faults}, {c.name: c.checked for c in checks.values()}
