"""What a bank built here promises is found missing, with the task's name."""

from typing import Any

import pytest

from tampered import Change, bank_of, tampered
from vehbench_builder.audit.report import Check
from vehbench_builder.audit.rows import row_checks
from vehbench_builder.veh.audit import proofs
from vehbench_builder.veh.audit.evidence import gather
from vehbench_builder.veh.audit.p1 import p1_checks
from vehbench_builder.veh.audit.p3 import p3_checks
from vehbench_builder.veh.audit.p4 import p4_checks
from vehbench_builder.veh.audit.reference_designs import reference_checks
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import PROBES, Task

PROMISES = {
    "proofs_are_stored",
    "only_requests_name_missing_fields",
    "no_brief_names_a_start",
    "p3_traps_are_told",
    "p4_subtype_is_the_profile",
    "one_key_is_one_device",
}
"""What only banks built here promise, but for what `test_counts` and `test_rows` look at."""


def promised(*tasks: Task, version: str = "veh-v2") -> list[Check]:
    bank, evidence = bank_of(*tasks, version=version), gather(tasks)
    checks = [
        *row_checks(bank),
        *p1_checks(bank, evidence),
        *reference_checks(bank, evidence),
        *p3_checks(bank),
        *p4_checks(bank),
    ]
    return [check for check in checks if check.name in PROMISES]


def faults(*tasks: Task) -> dict[str, tuple[str, ...]]:
    return {check.name: check.faults for check in promised(*tasks) if check.faults}


@pytest.fixture(scope="module")
def some(bank_v2: Bank) -> list[Task]:
    """Two tasks a probe of bank v2; of P1 one a gold action."""
    by_action = {task.gold["action"]: task for task in bank_v2.select(("p1",))}
    return [*by_action.values(), *(task for probe in PROBES[1:] for task in bank_v2.select((probe,))[:2])]


def test_tasks_of_bank_v2_keep_every_promise(some: list[Task]) -> None:
    checks = promised(*some)
    assert {check.name for check in checks if check.checked} == PROMISES
    assert not any(check.faults for check in checks)


def test_a_bank_from_elsewhere_is_not_held_to_what_it_never_promised(some: list[Task]) -> None:
    checks = promised(some[-1], version="veh-v1")
    assert {check.name for check in checks if check.skipped} == PROMISES


def golden(**parts: Any) -> Change:
    return lambda task: task.gold.update(parts)


def other_width(task: Any) -> None:
    task.gold["anchor_design"]["beam_width_mm"] *= 1.03


UNPROVEN: Change = golden(witness=None, certificate=None, completions=[])


@pytest.mark.parametrize(
    ("probe", "change", "fields", "name"),
    [
        ("p2", golden(certificate=None), {}, "proofs_are_stored"),
        ("p3", golden(certificate="no design can do it"), {}, "proofs_are_stored"),
        ("propose_design", UNPROVEN, {}, "proofs_are_stored"),
        ("declare_infeasible", UNPROVEN, {}, "proofs_are_stored"),
        ("request_missing_info", UNPROVEN, {}, "proofs_are_stored"),
        ("declare_infeasible", golden(missing_fields=["load"]), {}, "only_requests_name_missing_fields"),
        ("p2", lambda t: t.spec.update(initial_design=t.gold["anchor_design"]), {}, "no_brief_names_a_start"),
        ("p3", lambda t: t.spec["history"][0].update(note=" "), {}, "p3_traps_are_told"),
        ("p3", lambda t: t.spec["history"].pop(), {}, "p3_traps_are_told"),
        ("p3", lambda t: t.gold["trap"].update(claims=[]), {}, "p3_traps_are_told"),
        ("p3", golden(trap=None), {}, "p3_traps_are_told"),
        ("p4", lambda t: None, {"subtype": "other"}, "p4_subtype_is_the_profile"),
        ("p2", lambda t: t.anchor.update(title="Another paper"), {}, "one_key_is_one_device"),
        ("p3", other_width, {}, "one_key_is_one_device"),
    ],
)
def test_a_broken_promise_is_named(
    some: list[Task], monkeypatch: pytest.MonkeyPatch, probe: str, change: Change, fields: dict[str, Any], name: str
) -> None:
    # Where a proof is gone the audit searches, for a minute; that it had to is what must be told, not what it finds.
    monkeypatch.setattr(proofs, "strongest", lambda spec: None)
    monkeypatch.setattr(proofs, "is_infeasible", lambda spec: True)
    task = next(task for task in some if probe in (task.probe, task.gold["action"]))
    told = faults(task, tampered(task, change, **{"task_id": "broken", **fields}))
    assert [fault.split(": ")[0] for fault in told[name]] == ["broken"]
