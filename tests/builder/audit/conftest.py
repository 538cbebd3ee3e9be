"""Good tasks of the small bank, and ways to break one thing in them."""

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Probe, Task


class Tamper:
    """Ways to change a copy of a task or a bank."""

    def task(self, task: Task, change: Callable[[Any], None] = lambda _: None, **fields: Any) -> Task:
        """A deep copy after `change`, which gets the copy and may alter its spec and gold; `fields` replace others."""
        copied = replace(copy.deepcopy(task), **fields)
        change(copied)
        return copied

    def bank(self, tasks: Iterable[Task], version: str = "test", **manifest: Any) -> Bank:
        return Bank(Path(), {"version": version, **manifest}, tuple(tasks))


@pytest.fixture(scope="session")
def tamper() -> Tamper:
    return Tamper()


@pytest.fixture
def good(small_bank: Bank) -> Callable[..., Task]:
    """The first task of a probe in the small bank, or the first with a gold action or id."""

    def pick(probe: Probe, action: str | None = None) -> Task:
        return next(t for t in small_bank.tasks if t.probe == probe and action in (None, t.gold["action"]))

    return pick
