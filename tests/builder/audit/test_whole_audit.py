"""The audit as a whole: a clean bank passes, a bank with one thing wrong does not, and a ruin gives a report."""

import json
from collections import Counter
from typing import Any

import pytest

from small_bank import fresh_tasks, small_tasks
from tampered import Change, bank_of, failed, tampered
from vehbench_builder.audit.all_checks import audit_bank
from vehbench_builder.audit.report import AuditReport
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Probe

REASONS = {
    "was not built here": 8,
    "is not a full bank": 8,
    "is not the full bank": 1,
    "has no training tasks": 1,
    "nothing in this bank": 13,
    "say nothing about": 7,
    "too few to learn from": 4,
    "0 boundary and 1 infeasible briefs": 1,
}
"""Why statements are not looked at in a small bank that was not built here, and of how many that is so."""


@pytest.fixture(scope="module")
def report(small_bank: Bank) -> AuditReport:
    return audit_bank(small_bank)


def test_the_small_bank_passes(report: AuditReport, small_bank: Bank) -> None:
    assert not report.failed, report.as_text()
    assert report.bank == small_bank.version
    assert sum(check.checked for check in report.checks.values()) > 500
    json.dumps(report.as_json(), allow_nan=False)


def test_what_is_not_looked_at_in_the_small_bank_has_a_reason(report: AuditReport) -> None:
    reasons = [check.skipped for check in report.checks.values() if check.skipped is not None]
    assert len(reasons) == sum(check.checked == 0 for check in report.checks.values())
    assert Counter(next(words for words in REASONS if words in reason) for reason in reasons) == REASONS


def hint(task: Any) -> None:
    task.spec["notes"].append({"name": "hint", "text": f"Gold: {task.gold['action']}."})


def praise(task: Any) -> None:
    task.gold["reference"]["power_uw"] *= 1.01


def tighten(task: Any) -> None:
    task.spec["constraints"]["stress_limit_mpa"] *= 0.99


@pytest.mark.parametrize(
    ("probe", "change"),
    [("p1", hint), ("p2", praise), ("p3", tighten), ("p4", lambda task: task.gold["ranking"].reverse())],
)
def test_one_wrong_thing_fails_the_audit(probe: Probe, change: Change) -> None:
    first, second = [task for task in small_tasks() if task.probe == probe][:2]
    assert not audit_bank(bank_of(first, second)).failed
    assert audit_bank(bank_of(tampered(first, change), second)).failed


def test_a_ruin_gives_a_report() -> None:
    def ruin(task: Any) -> None:
        task.spec["variable_bounds"]["beam_length_mm"] = None
        task.spec["constraints"]["disp_limit_mm"] = None
        task.spec["excitation"]["frequency_hz"] = None
        task.spec.update(history=[], policy=None)
        task.gold.update(ranking=[], reference=None, trap=None, witness=None, certificate=None)
        for candidate in task.spec["candidates"]:
            candidate["design"]["tip_mass_g"] = -1.0

    report = audit_bank(bank_of(*[tampered(task, ruin) for task in small_tasks()], version="veh-v2"))
    assert len(failed(report.checks.values())) > 20
    json.dumps(report.as_json(), allow_nan=False)


def test_an_empty_bank_does_not_pass_for_checked() -> None:
    report = audit_bank(bank_of())
    assert not report.failed
    assert all(check.skipped and not check.checked for check in report.checks.values())


def test_tasks_of_a_fresh_bank_are_checked_too() -> None:
    report = audit_bank(bank_of(*fresh_tasks()))
    assert not report.failed, report.as_text()
    for name in ("p4_ranking_follows_the_policy", "references_are_feasible", "p2_anchor_design_feasible"):
        assert report.checks[name].checked == 4
