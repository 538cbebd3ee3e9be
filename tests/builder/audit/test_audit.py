"""The audit as a whole: a clean bank passes, a bank with one thing wrong does not, and a ruin gives a report."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.all_checks import audit_bank
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task


def test_the_sample_bank_fails(sample_bank: Bank) -> None:
    report = audit_bank(sample_bank)
    assert not report.failed, report.as_text()
    said = report.as_json()
    assert said["bank"] == sample_bank.version
    assert sum(check["checked"] for check in said["checks"].values()) > 500
    json.dumps(said, allow_nan=False)


@pytest.mark.parametrize("probe", ["p1", "p2", "p3", "p4"])
def test_one_wrong_thing_passes(sample_bank: Bank, tamper: Any, probe: str) -> None:
    def break_it(task: Any) -> None:
        if probe == "p1":
            task.spec["notes"].append({"name": "hint", "text": f"Gold: {task.gold['action']}."})
        elif probe == "p2":
            task.gold["reference"]["power_uw"] *= 1.01
        elif probe == "p3":
            task.spec["constraints"]["stress_limit_mpa"] *= 0.99
        else:
            task.gold["ranking"].reverse()

    tasks = sample_bank.select((probe,))[:2]
    assert not audit_bank(tamper.bank(tasks)).failed
    assert audit_bank(tamper.bank([tamper.task(tasks[0], break_it), tasks[1]])).failed


def test_a_ruin_ends_the_audit(sample_bank: Bank, tamper: Any) -> None:
    def ruin(task: Any) -> None:
        task.spec["variable_bounds"]["beam_length_mm"] = None
        task.spec["constraints"]["disp_limit_mm"] = None
        task.spec["excitation"]["frequency_hz"] = None
        task.spec["history"] = []
        task.spec["policy"] = None
        task.gold.update(ranking=[], reference=None, trap=None, witness=None, certificate=None)
        for candidate in task.spec["candidates"]:
            candidate["design"]["tip_mass_g"] = -1.0

    tasks = [tamper.task(t, ruin) for t in sample_bank.tasks]
    report = audit_bank(tamper.bank(tasks, "veh-v2"))
    assert report.failed
    json.dumps(report.as_json(), allow_nan=False)


def test_an_empty_bank_passes_for_checked(tamper: Any) -> None:
    report = audit_bank(tamper.bank([]))
    assert not report.failed
    assert sum(check.checked for check in report.checks.values()) == 0


def test_tasks_of_a_fresh_bank_are_left_out(sample_bank: Bank, good: Callable[..., Task], tamper: Any) -> None:
    fresh = [tamper.task(good("p4"), split="train"), tamper.task(sample_bank.select(("p2",))[0], split="train")]
    report = audit_bank(tamper.bank(fresh, "test"))
    assert report.checks["p4_ranking_follows_the_policy"].checked == 1
    assert report.checks["references_are_feasible"].checked == 1
    assert not report.failed, report.as_text()
