"""The audit finds the known faults of bank v1 that need no search, and no others.

The counts are those of an independent audit of the authors' release. Where a test expects another number it says why.
"""

from collections import Counter
from collections.abc import Callable

import pytest

from vehbench_builder.audit import rows, text
from vehbench_builder.audit.report import Check
from vehbench_builder.veh.audit import p2, p3, p4
from vehbench_builder.veh.audit.leaks import models, statistics
from vehbench_hf.bank.bank import Bank

Checks = dict[str, Check]


def named(make: Callable[[Bank], list[Check]], bank: Bank) -> Checks:
    return {check.name: check for check in make(bank)}


def counted(checks: Checks, name: str) -> tuple[int, int]:
    return checks[name].failed, checks[name].checked


def test_candidates_that_break_their_limits_are_counted(bank_v1: Bank) -> None:
    checks = named(p4.p4_checks, bank_v1)
    assert counted(checks, "p4_candidates_feasible") == (228, 795)
    tasks = checks["p4_tasks_with_infeasible_candidates"]
    assert (tasks.failed, tasks.checked) == (123, 159)
    by_feasible = {2: 33, 3: 39, 4: 51, 5: 36}
    assert tasks.figures == {f"tasks with {n} feasible candidates": count for n, count in by_feasible.items()}
    # Six more candidates are feasible with less than 0.5 % to spare.
    assert counted(checks, "p4_candidates_keep_slack") == (234, 795)
    assert counted(checks, "p4_utility_gaps") == (58, 408)
    assert checks["p4_pools_have_three_profiles"].figures == {"pools with 2 winners": 47, "pools with 3 winners": 6}
    # The list of sensitive pairs is complete in 108 of 159 tasks.
    assert counted(checks, "p4_policy_sensitive_pairs") == (51, 159)
    wins = [checks["p4_winner_places"].figures[f"id {name} is the best"] for name in "ABCDE"]
    assert wins == [61, 16, 10, 28, 44]
    assert checks["p4_winner_places"].failed == 4  # A and E, as ids and as places
    # The pools repeat under three profiles: two pairs of neighbours in the box, counted three times each.
    assert counted(checks, "p4_candidates_differ") == (6, 1590)
    sound = {name for name, check in checks.items() if not check.faults}
    assert sound == {
        "p4_numbers_recomputed",
        "p4_policy_states_the_profile",
        "p4_ranking_follows_the_policy",
        "p4_ranking_follows_from_shown_numbers",
        "p4_utilities_recomputed",
        "p4_dominated_pairs",
        "p4_subtype_is_the_profile",  # skipped: the release promises nothing of the kind
        "candidates_are_listed_by_id",
        "p4_pools_have_three_profiles",
    }


def test_verdicts_of_other_limits_and_moves_that_solve_are_counted(bank_v1: Bank) -> None:
    checks = named(p3.p3_checks, bank_v1)
    assert counted(checks, "p3_verdicts_recomputed") == (156, 156)
    assert counted(checks, "p3_flags_recomputed") == (4, 780)
    assert counted(checks, "p3_violations_recomputed") == (7, 780)
    assert counted(checks, "p3_no_step_is_feasible") == (77, 156)
    splits_of = Counter(fault.split("::")[1] for fault in checks["p3_no_step_is_feasible"].faults)
    assert splits_of == {"dev": 35, "test_id": 17, "test_ood": 25}
    for name in ("p3_last_step_infeasible", "p3_steps_inside_the_box"):
        assert checks[name].checked > 0
        assert not checks[name].faults
    assert checks["p3_claims_are_false"].skipped is not None  # neutral notes claim nothing
    # Moves that solve a task without thought.
    assert counted(checks, "p3_reversal_fails") == (94, 156)
    assert counted(checks, "p3_retracing_fails") == (94, 156)
    # The audit of the release checks 121 by a coarser search along each variable.
    assert checks["p3_few_single_variable_fixes"].figures["tasks that some single variable solves"] == 122


def test_briefs_that_ask_for_nothing_or_the_impossible_are_counted(bank_v1: Bank) -> None:
    checks = named(p2.p2_checks, bank_v1)
    limits = checks["p2_frequency_limits_bind"].figures
    assert [limits[f"limits of {edge} % or more"] for edge in (20, 50, 100)] == [92, 67, 41]
    assert counted(checks, "p2_box_centres_do_not_solve") == (63, 208)
    assert checks["p2_powers_are_worth_measuring"].figures["targets below 1e-6 uW"] == 3
    assert checks["p2_limits_are_credible"].figures == {
        "stress limits above 500 MPa": 23,
        "displacement limits above 50 mm": 19,
        "displacement limits beyond the longest beam": 12,
    }
    assert counted(checks, "p2_limits_follow_from_the_anchor") == (10, 416)
    assert all("disp_limit_mm" in fault for fault in checks["p2_limits_follow_from_the_anchor"].faults)
    assert counted(checks, "materials_vary") == (763, 763)
    # Three request briefs call the material missing, which excuses nothing: they state it, but no damping ratio.
    assert counted(checks, "materials_are_stated") == (763, 763)
    assert not checks["p2_anchor_design_feasible"].faults


def test_rows_outside_the_domain_or_alike_are_counted(bank_v1: Bank) -> None:
    checks = named(rows.row_checks, bank_v1)
    outside = checks["boxes_lie_in_the_domain"].faults
    assert len(outside) == 85
    by_variable = {"substrate_thickness_um": 64, "piezo_thickness_um": 22, "beam_length_mm": 9, "tip_mass_g": 5}
    assert {name: sum(name in fault for fault in outside) for name in by_variable} == by_variable
    assert all(fault.startswith("p1") for fault in outside)
    # Two pairs of P1 rows in different splits, and four P2 tasks of one geometry under two identifiers.
    assert Counter(fault[:2] for fault in checks["briefs_are_unique"].faults) == {"p1": 2, "p2": 4}
    # One P1 anchor has a substrate range of a nanometre, in each of its rows.
    assert {fault.split(": ")[1].split(" ")[0] for fault in checks["ranges_have_width"].faults} == {
        "substrate_thickness_um"
    }
    for name in ("papers_stay_in_one_split", "devices_stay_in_one_split", "dois_are_well_formed"):
        assert checks[name].checked > 0
        assert not checks[name].faults
    assert checks["devices_stay_in_one_split"].figures == {"devices": 52, "alike devices inside one split": 1}
    # The import repairs them and keeps the released form.
    altered = checks["dois_are_well_formed"].figures["identifiers that the authors list in another form"]
    assert altered == 27


def test_ids_and_statistics_that_tell_are_named(bank_v1: Bank) -> None:
    words = named(text.text_checks, bank_v1)
    telling = Counter(fault[:2] for fault in words["ids_say_nothing"].faults)
    assert telling == {"p1": 240, "p2": 208, "p3": 156}
    assert not words["prompts_hold_no_gold_words"].faults
    assert not words["prompts_hold_no_gold_numbers"].faults
    told = named(statistics.statistics_checks, bank_v1)
    for name in ("p1_wordings_under_two_actions", "p1_note_rates_do_not_tell_the_action"):
        assert told[name].faults
    assert told["anchors_do_not_sit_in_the_middle"].faults


def test_the_lookup_that_reads_the_action_is_named(bank_v1: Bank) -> None:
    """The positive control of the leak models: constants, widths and note names give the action away."""
    checks = named(models.model_checks, bank_v1)
    p1 = checks["p1_shortcuts"]
    assert p1.figures["majority action"] == pytest.approx(90 / 160)
    known = {
        "action from a lookup of loose_constants": 0.938,
        "action from a lookup of typical_width": 0.75,
        "subtype from a lookup of typical_width": 0.625,
        "action from a lookup of note_names": 0.825,
        "subtype from a lookup of note_names": 0.713,
        "action from a lookup of everything": 0.963,
    }
    assert {name: p1.figures[name] for name in known} == pytest.approx(known, abs=1e-3)
    tree = p1.figures["action from a tree on all public numbers"]
    assert isinstance(tree, float)
    assert tree > 0.9
    # The anchor is the middle of most boxes, and many limits let the middle pass.
    assert any("mean place of the anchor design" in fault for fault in checks["p2_shortcuts"].faults)
