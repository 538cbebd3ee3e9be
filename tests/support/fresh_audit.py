"""What the audit says about tasks that were just built."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vehbench_builder.audit.all_checks import audit_bank
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task

VERSION = "veh-fresh-0"


def audited(tasks: Sequence[Task]) -> tuple[dict[str, tuple[str, ...]], dict[str, int]]:
    """The faults of every statement that fails, and how many cases every statement was held against."""
    own = tuple(replace(task, bank_version=VERSION) for task in tasks)
    bank = Bank(Path(), {"version": VERSION}, own)
    checks = audit_bank(bank).checks
    return {c.name: c.faults for c in checks.values() if c.faults}, {c.name: c.checked for c in checks.values()}
