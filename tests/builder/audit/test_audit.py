"""The audit as a whole: a clean bank passes, a bank with one thing wrong does not, and a ruin gives a report."""

import json
from typing import Any

import pytest

from small_bank import fresh_tasks
from vehbench_builder.audit.all_checks import audit_bank
from vehbench_hf.bank.bank import Bank


def test_the_small_bank_passes(small_bank: Bank) -> None:
    report = audit_bank(small_bank)
    assert not report.failed, report.as_text()
    said = report.as_json()
    assert said["bank"] == small_bank.version
    assert sum(check["checked"] for check in said["checks"].values()) > 500
    json.dumps(said, allow_nan=False)


@pytest.mark.parametrize("probe", ["p1", "p2", "p3", "p4"])
def test_one_wrong_thing_fails_the_audit(small_bank: Bank, tamper: Any, probe: str) -> None:
    def break_it(task: Any) -> None:
        if probe == "p1":
            task.spec["notes"].append({"name": "hint", "text": f"Gold: {task.gold['action']}."})
        elif probe == "p2":
            task.gold["reference"]["power_uw"] *= 1.01
        elif probe == "p3":
            task.spec["constraints"]["stress_limit_mpa"] *= 0.99
        else:
            task.gold["ranking"].reverse()

    tasks = small_bank.select((probe,))[:2]
    assert not audit_bank(tamper.bank(tasks)).failed
    assert audit_bank(tamper.bank([tamper.task(tasks[0], break_it), tasks[1]])).failed


def test_a_ruin_gives_a_report(small_bank: Bank, tamper: Any) -> None:
    def ruin(task: Any) -> None:
        task.spec["variable_bounds"]["beam_length_mm"] = None
        task.spec["constraints"]["disp_limit_mm"] = None
        task.spec["excitation"]["frequency_hz"] = None
        task.spec["history"] = []
        task.spec["policy"] = None
        task.gold.update(ranking=[], reference=None, trap=None, witness=None, certificate=None)
        for candidate in task.spec["candidates"]:
            candidate["design"]["tip_mass_g"] = -1.0

    tasks = [tamper.task(t, ruin) for t in small_bank.tasks]
    report = audit_bank(tamper.bank(tasks, "veh-v2"))
    assert report.failed
    json.dumps(report.as_json(), allow_nan=False)


def test_an_empty_bank_does_not_pass_for_checked(tamper: Any) -> None:
    report = audit_bank(tamper.bank([]))
    assert not report.failed
    assert sum(check.checked for check in report.checks.values()) == 0


def test_tasks_of_a_fresh_bank_are_checked_too(tamper: Any) -> None:
    fresh = fresh_tasks()
    report = audit_bank(tamper.bank(fresh, "test"))
    assert report.checks["p4_ranking_follows_the_policy"].checked == 4
    assert report.checks["references_are_feasible"].checked == 4
    # Four briefs are too few for a statement about shares.
    assert [name for name, check in report.checks.items() if check.faults] in ([], ["p2_box_centres_do_not_solve"])
