"""Isomorphic probes with one thing wrong do not pass."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

import tampered as names
from small_bank import small_tasks
from tampered import bank_of
from vehbench_builder.veh.audit import isomorphic_rows
from vehbench_builder.veh.audit.isomorphic_rows import isomorphic_checks
from vehbench_hf.bank.bank import Bank
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.isomorphic.types import FORMS, IsomorphicTask

Rows = list[Any]


@pytest.fixture(scope="module")
def shipped(bank_v2: Bank) -> tuple[IsomorphicTask, ...]:
    return open_isomorphic(bank_v2)


@pytest.fixture
def failed(bank_v2: Bank, shipped: Rows, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, int]]:
    """How many cases each check names once a change was made to copies of the first four groups."""

    def count(change: Callable[[Rows], Rows | None]) -> dict[str, int]:
        rows = list(copy.deepcopy(shipped[:12]))
        rows = change(rows) or rows
        monkeypatch.setattr(isomorphic_rows, "open_isomorphic", lambda bank: tuple(rows))
        monkeypatch.setattr(isomorphic_rows.composition, "ISOMORPHIC_GROUPS", 4)
        checks = isomorphic_checks(bank_v2)
        return {check.name.removeprefix("isomorphic_"): check.failed for check in checks if check.faults}

    return count


def test_the_shipped_probes_have_no_fault(bank_v2: Bank) -> None:
    checks = isomorphic_checks(bank_v2)
    assert {check.name: check.faults for check in checks if check.faults or check.skipped} == {}
    assert [check.checked for check in checks[1:5]] == [46, 46, 46, 138]


def test_a_full_bank_without_them_fails_and_another_passes() -> None:
    def named(version: str) -> set[str]:
        return names.failed(isomorphic_checks(bank_of(*small_tasks(), version=version)))

    assert named("veh-v2") == {"isomorphic_counts"}
    assert named("veh-v1") == named("veh-small-1") == set()


def on(form: str, change: Callable[[Any], object]) -> Callable[[Rows], None]:
    """The change of the first row of a form."""

    def make(rows: Rows) -> None:
        change(rows[FORMS.index(form)])  # type: ignore[arg-type]

    return make


def limited(**limits: float) -> Callable[[Any], object]:
    return lambda row: row.spec["constraints"].update(limits)


def swap_two_candidates(row: Any) -> None:
    a, b = row.spec["candidates"][:2]
    a["design"], b["design"] = b["design"], a["design"]
    if row.gold["answer"] not in "AB":
        row.gold["answer"] = "A"


def forget_a_violation(row: Any) -> None:
    next(choice for choice in row.gold["verdicts"] if not choice["feasible"])["violations"].pop()


def fixed_times(factor: float | None, row: Any) -> None:
    name = next(name for name, value in row.spec["fixed"].items() if value is not None)
    row.spec["fixed"][name] = None if factor is None else row.spec["fixed"][name] * factor


def show_a_metric(row: Any) -> None:
    row.spec["candidates"][0]["metrics"] = {"load_power_uw": 1.0}


def other_witness(row: Any) -> None:
    row.gold["witness"] = {**row.gold["witness"], "tip_mass_g": 0.123}


def answer_c(rows: Rows) -> None:
    for row in rows:
        row.gold["answer"] = row.gold["answer"] and "C"


SELECTIONS, GENERATIONS = "selections_have_one_answer", "generations_start_from_a_broken_design"
COMPLETIONS, GROUPS = "completions_have_a_completion", "groups_are_three_forms_of_one_brief"
GOLD, SOURCES = "specs_show_no_gold", "groups_come_from_the_bank"


@pytest.mark.parametrize(
    ("change", "name", "cases"),
    [
        (lambda rows: None, "", 0),
        (lambda rows: rows[1:], "counts", 1),
        (lambda rows: [*rows, rows[0]], "counts", 2),  # too many, and one id twice
        (on("generation", lambda row: row.spec.update(question="Say hello.")), "counts", 1),
        (on("selection", limited(stress_limit_mpa=1e-6)), SELECTIONS, 1),
        (
            on("selection", limited(stress_limit_mpa=1e9, disp_limit_mm=1e9, freq_error_pct_limit=1e9)),
            SELECTIONS,
            1,
        ),
        (on("selection", swap_two_candidates), SELECTIONS, 1),
        (on("selection", forget_a_violation), SELECTIONS, 1),
        (on("generation", lambda row: row.spec.update(initial_design=row.gold["witness"])), GENERATIONS, 1),
        (on("generation", lambda row: row.spec["initial_design"].update(beam_width_mm=9.87)), GENERATIONS, 1),
        (on("completion", lambda row: fixed_times(3.0, row)), COMPLETIONS, 1),
        (on("completion", lambda row: fixed_times(1.0001, row)), COMPLETIONS, 1),
        (on("completion", lambda row: fixed_times(None, row)), COMPLETIONS, 1),
        (on("completion", lambda row: row.gold.update(feasible_share=0.5)), COMPLETIONS, 1),
        (on("generation", limited(stress_limit_mpa=1e-6)), "witnesses_are_feasible", 1),
        (on("selection", limited(power_target_uw=1e-3)), GROUPS, 1),
        (lambda rows: rows[4:], GROUPS, 1),
        (on("selection", show_a_metric), GOLD, 1),
        (on("completion", lambda row: row.spec.update(fixed=row.gold["witness"])), GOLD, 1),
        (on("generation", lambda row: row.spec.update(candidates=[{"id": "A", "design": {}}])), GOLD, 1),
        (on("generation", lambda row: row.spec.update(answer="A")), GOLD, 1),
        (on("selection", lambda row: row.gold.update(source_task_id="v2::p2::dev::9999")), SOURCES, 1),
        (on("generation", other_witness), SOURCES, 1),
        (on("completion", limited(power_target_uw=1e-3)), SOURCES, 1),
        (answer_c, "answers_have_no_place", 1),
    ],
)
def test_a_changed_row_is_named(failed: Any, change: Any, name: str, cases: int) -> None:
    told = failed(change)
    # Four groups are too few for the rule about places.
    assert told.get(name, 0) == cases
    assert name or set(told) <= {"answers_have_no_place"}
