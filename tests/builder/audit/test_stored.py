"""What a bank built here promises is found missing, with the task's name."""

from typing import Any

import pytest

from vehbench_builder.audit.report import Check
from vehbench_builder.audit.rows import row_checks
from vehbench_builder.veh.audit.counts import count_checks
from vehbench_builder.veh.audit.evidence import EvidenceById, gather
from vehbench_builder.veh.audit.p1 import p1_checks
from vehbench_builder.veh.audit.p3 import p3_checks
from vehbench_builder.veh.audit.p4 import p4_checks
from vehbench_builder.veh.audit.reference_designs import reference_checks
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.types import PROBES, Task

PROMISES = (
    "proofs_are_stored",
    "only_requests_name_missing_fields",
    "no_brief_names_a_start",
    "p3_traps_are_told",
    "p4_subtype_is_the_profile",
    "one_key_is_one_device",
    "rows_name_their_bank",
)
"""What only banks built here promise."""


def promised(bank: Bank, evidence: EvidenceById) -> list[Check]:
    checks = [
        *row_checks(bank),
        *count_checks(bank),
        *p1_checks(bank, evidence),
        *reference_checks(bank, evidence),
        *p3_checks(bank),
        *p4_checks(bank),
    ]
    return [check for check in checks if check.name in PROMISES]


@pytest.fixture(scope="module")
def some() -> list[Task]:
    """Two tasks a probe of bank v2; of P1 one a gold action."""
    tasks = open_bank("v2").tasks
    by_action = {task.gold["action"]: task for task in tasks if task.probe == "p1"}
    return [*by_action.values(), *(t for p in PROBES[1:] for t in [task for task in tasks if task.probe == p][:2])]


def faults(tamper: Any, tasks: list[Task], version: str = "veh-v2") -> dict[str, tuple[str, ...]]:
    searched = [task for task in tasks if task.probe != "p4"]
    checks = promised(tamper.bank(tasks, version), gather(searched))
    return {check.name: check.faults for check in checks if check.faults}


def test_tasks_of_bank_v2_have_no_fault(some: list[Task], tamper: Any) -> None:
    assert faults(tamper, some) == {}


def test_a_bank_from_elsewhere_is_not_held_to_what_it_never_promised(small_bank: Bank, tamper: Any) -> None:
    bank = tamper.bank([task for task in small_bank.tasks if task.probe == "p4"], "veh-v1")
    assert all(check.skipped for check in promised(bank, {}))


def no_certificate(task: Any) -> None:
    task.gold["certificate"] = None


def certificate_in_words(task: Any) -> None:
    task.gold["certificate"] = "no design can do it"


def start(task: Any) -> None:
    task.spec["initial_design"] = dict(task.gold["anchor_design"])


def no_note(task: Any) -> None:
    task.spec["history"][0]["note"] = " "


def no_step(task: Any) -> None:
    task.spec["history"].pop()


def no_claims(task: Any) -> None:
    task.gold["trap"]["claims"] = []


def no_trap(task: Any) -> None:
    task.gold["trap"] = None


def other_paper(task: Any) -> None:
    task.anchor["title"] = "Another paper"


def other_anchor_design(task: Any) -> None:
    task.gold["anchor_design"]["beam_width_mm"] *= 1.03


@pytest.mark.parametrize(
    ("probe", "change", "check"),
    [
        ("p2", no_certificate, "proofs_are_stored"),
        ("p3", certificate_in_words, "proofs_are_stored"),
        ("p2", start, "no_brief_names_a_start"),
        ("p3", no_note, "p3_traps_are_told"),
        ("p3", no_step, "p3_traps_are_told"),
        ("p3", no_claims, "p3_traps_are_told"),
        ("p3", no_trap, "p3_traps_are_told"),
        ("p2", other_paper, "one_key_is_one_device"),
        ("p3", other_anchor_design, "one_key_is_one_device"),
    ],
)
def test_a_broken_promise_is_named(
    some: list[Task], tamper: Any, monkeypatch: pytest.MonkeyPatch, probe: str, change: Any, check: str
) -> None:
    # Where a proof is gone the audit searches, for a minute; that it had to is what must be told, not what it finds.
    monkeypatch.setattr("vehbench_builder.veh.audit.proofs.strongest", lambda spec: None)
    one, other = [task for task in some if task.probe == probe]
    twin = tamper.task(one, task_id=other.task_id)
    broken = tamper.task(twin, change)
    assert faults(tamper, [one, twin]) == {}
    assert broken.task_id in faults(tamper, [one, broken])[check][0]


@pytest.mark.parametrize("action", ["propose_design", "declare_infeasible", "request_missing_info"])
def test_a_label_without_its_proof_is_named(
    some: list[Task], tamper: Any, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    def strip(task: Any) -> None:
        task.gold.update(witness=None, certificate=None, completions=[])

    monkeypatch.setattr("vehbench_builder.veh.audit.proofs.strongest", lambda spec: None)
    monkeypatch.setattr("vehbench_builder.veh.audit.proofs.is_infeasible", lambda spec: True)
    task = next(t for t in some if t.gold["action"] == action)
    assert task.task_id in faults(tamper, [tamper.task(task, strip)])["proofs_are_stored"][0]


def test_a_proposal_with_missing_fields_is_named(some: list[Task], tamper: Any) -> None:
    task = next(t for t in some if t.gold["action"] == "declare_infeasible")
    broken = tamper.task(task, lambda t: t.gold.update(missing_fields=["frequency_hz"]))
    assert task.task_id in faults(tamper, [broken])["only_requests_name_missing_fields"][0]


def test_a_ranking_under_another_subtype_is_named(some: list[Task], tamper: Any) -> None:
    broken = tamper.task(some[-1], subtype="other")
    assert faults(tamper, [broken])["p4_subtype_is_the_profile"]


def test_a_row_of_another_bank_is_named(some: list[Task], tamper: Any) -> None:
    for fields in ({"bank_version": "veh-v1"}, {"domain": "circuit"}):
        broken = tamper.task(some[-1], **fields)
        assert broken.task_id in faults(tamper, [broken])["rows_name_their_bank"][0]
