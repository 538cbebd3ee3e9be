"""Isomorphic probes with one thing wrong do not pass."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.report import whole
from vehbench_builder.veh.audit import isomorphic_rows as isomorphic
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.isomorphic.types import Form, IsomorphicTask

Rows = list[IsomorphicTask]


@pytest.fixture(scope="module")
def shipped() -> Bank:
    return open_bank("v2")


@pytest.fixture
def rows(shipped: Bank) -> Rows:
    return list(copy.deepcopy(open_isomorphic(shipped)))


def first(rows: Rows, form: Form) -> Any:
    return next(row for row in rows if row.form == form)


def test_the_shipped_probes_have_no_fault(shipped: Bank) -> None:
    checks = isomorphic.isomorphic_checks(shipped)
    assert {check.name: check.faults for check in checks if check.faults or check.skipped} == {}
    assert [check.checked for check in checks[1:5]] == [46, 46, 46, 138]


def test_a_full_bank_without_them_fails_and_another_passes(small_bank: Bank, tamper: Any) -> None:
    def failed(version: str) -> set[str]:
        return {c.name for c in isomorphic.isomorphic_checks(tamper.bank(small_bank.tasks, version)) if c.faults}

    assert failed("veh-v2") == {"isomorphic_counts"}
    assert failed("veh-v1") == failed("veh-small-1") == set()


def test_a_missing_or_doubled_row_is_named(rows: Rows) -> None:
    assert whole(isomorphic.isomorphic_counts, rows[1:]).failed == 1
    assert whole(isomorphic.isomorphic_counts, [*rows, rows[0]]).failed == 2


def lower_the_stress(row: Any) -> None:
    row.spec["constraints"]["stress_limit_mpa"] *= 1e-3


def widen_the_limits(row: Any) -> None:
    row.spec["constraints"].update(stress_limit_mpa=1e9, disp_limit_mm=1e9, freq_error_pct_limit=1e9, power_target_uw=0)


def swap_two_candidates(row: Any) -> None:
    a, b = row.spec["candidates"][:2]
    a["design"], b["design"] = b["design"], a["design"]
    if row.gold["answer"] not in "AB":
        row.gold["answer"] = "A"


def forget_a_violation(row: Any) -> None:
    next(one for one in row.gold["verdicts"] if not one["feasible"])["violations"].pop()


@pytest.mark.parametrize("change", [lower_the_stress, widen_the_limits, swap_two_candidates, forget_a_violation])
def test_a_selection_with_no_or_two_answers_is_named(rows: Rows, change: Callable[[Any], None]) -> None:
    change(first(rows, "selection"))
    assert whole(isomorphic.selections_have_one_answer, rows).failed == 1


def test_a_generation_that_starts_from_a_solution_is_named(rows: Rows) -> None:
    row = first(rows, "generation")
    row.spec["initial_design"] = row.gold["witness"]
    assert whole(isomorphic.generations_start_from_a_broken_design, rows).failed == 1


def test_a_completion_without_a_completion_is_named(rows: Rows) -> None:
    row = first(rows, "completion")
    name = next(name for name, value in row.spec["fixed"].items() if value is not None)
    row.spec["fixed"][name] *= 3
    assert whole(isomorphic.completions_have_a_completion, rows).failed == 1
    row.spec["fixed"][name] = None
    assert whole(isomorphic.completions_have_a_completion, rows).failed == 1


def test_a_witness_that_breaks_a_limit_is_named(rows: Rows) -> None:
    lower_the_stress(rows[4])
    assert whole(isomorphic.isomorphic_witnesses_are_feasible, rows).failed == 1


def test_forms_of_two_briefs_are_no_group(rows: Rows) -> None:
    rows[0].spec["constraints"]["power_target_uw"] *= 0.9
    assert whole(isomorphic.isomorphic_groups_are_three_forms_of_one_brief, rows).failed == 1
    assert whole(isomorphic.isomorphic_groups_are_three_forms_of_one_brief, rows[4:]).failed == 1


def test_a_spec_that_shows_gold_is_named(rows: Rows) -> None:
    first(rows, "selection").spec["candidates"][0]["metrics"] = {"load_power_uw": 1.0}
    completion, generation = first(rows, "completion"), first(rows, "generation")
    completion.spec["fixed"] = completion.gold["witness"]
    generation.spec["candidates"] = first(rows, "selection").spec["candidates"][1:]
    rows[-1].spec["answer"] = "A"  # type: ignore[typeddict-unknown-key]
    assert whole(isomorphic.isomorphic_specs_show_no_gold, rows).failed == 4


def test_a_group_from_nowhere_is_named(rows: Rows, shipped: Bank) -> None:
    rows[0].gold["source_task_id"] = "v2::p2::dev::9999"
    rows[1].gold["witness"] = {**rows[1].gold["witness"], "tip_mass_g": 0.123}
    rows[2].spec["constraints"]["power_target_uw"] *= 0.9
    assert whole(isomorphic.isomorphic_groups_come_from_the_bank, rows, shipped.tasks).failed == 3


def test_answers_that_stand_in_one_place_are_named(rows: Rows) -> None:
    selections: list[Any] = [row for row in rows if row.form == "selection"]
    for row in selections[:20]:
        row.gold["answer"] = "C"
    assert whole(isomorphic.isomorphic_answers_have_no_place, rows).failed == 1


def other_question(row: Any) -> None:
    row.spec["question"] = "Say hello."


def other_share(row: Any) -> None:
    row.gold["feasible_share"] = 0.5


def other_fixed(row: Any) -> None:
    row.spec["fixed"] = {name: value and value * 1.0001 for name, value in row.spec["fixed"].items()}


def other_start(row: Any) -> None:
    row.spec["initial_design"]["beam_width_mm"] *= 1.001


@pytest.mark.parametrize(
    ("form", "change", "check"),
    [
        ("generation", other_question, isomorphic.isomorphic_counts),
        ("generation", other_start, isomorphic.generations_start_from_a_broken_design),
        ("completion", other_share, isomorphic.completions_have_a_completion),
        ("completion", other_fixed, isomorphic.completions_have_a_completion),
    ],
)
def test_a_changed_isomorphic_row_is_named(rows: Rows, form: Form, change: Any, check: Callable[..., Any]) -> None:
    changed = first(rows, form)
    change(changed)
    (fault,) = whole(check, rows).faults
    assert changed.task_id in fault
