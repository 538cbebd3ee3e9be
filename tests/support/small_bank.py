"""Twenty fixed tasks of the benchmark as a bank of their own: enough to try everything on, in a second."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.bank.schema import CANARY, row_to_task
from vehbench_hf.metrics.example import example
from vehbench_hf.types import Task

VERSION = "veh-small-1"
TASK_IDS = (
    "v2::p1::dev::0011",  # solvable_base
    "v2::p1::dev::0009",  # infeasible_structural
    "v2::p1::test_id::0007",  # missing_blocker_obvious
    "v2::p1::test_ood::0003",  # solvable_base
    "v2::p1::test_ood::0020",  # infeasible_margin
    "v2::p2::dev::0017",  # paper_like, of the same paper as the first P3 task
    "v2::p2::dev::0006",  # resonance_tuned
    "v2::p2::test_id::0002",  # resonance_tuned
    "v2::p2::test_ood::0002",  # paper_like
    "v2::p2::test_ood::0006",  # resonance_tuned
    "v2::p3::dev::0008",  # wrong_direction
    "v2::p3::dev::0001",  # unit_flip
    "v2::p3::test_id::0002",  # verifier_ignored
    "v2::p3::test_ood::0005",  # unit_flip
    "v2::p3::test_ood::0007",  # wrong_direction
    "v2::p4::dev::0003",  # performance_first
    "v2::p4::dev::0001",  # reliability_first
    "v2::p4::test_id::0003",  # balanced
    "v2::p4::test_ood::0001",  # performance_first
    "v2::p4::test_ood::0003",  # balanced
)


@cache
def small_tasks() -> tuple[Task, ...]:
    """The tasks, in the order of `TASK_IDS`."""
    by_id = open_bank("v2").by_id
    return tuple(replace(by_id[name], bank_version=VERSION) for name in TASK_IDS)


@cache
def fresh_tasks() -> tuple[Task, ...]:
    """The training tasks that the pages of the metrics show: four P2 tasks and four P4 tasks."""
    return tuple(row_to_task(row) for metric in ("p2_ratio", "p4_tau") for row in example(metric)[1])


def write_small_bank(folder: Path) -> Bank:
    """The bank, written to a new folder."""
    write_bank(folder, small_tasks(), version=VERSION, convention="defined", card=f"\n# Twenty tasks\n\n{CANARY}\n")
    return open_bank(folder)
