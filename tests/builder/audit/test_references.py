"""References that are infeasible, misreported, weak or wrongly certified are named."""

from typing import Any

import pytest

import tampered as names
from tampered import Change, bank_of, good, tampered
from vehbench_builder.audit.report import Check, whole
from vehbench_builder.veh.audit import evidence as gathering
from vehbench_builder.veh.audit import proofs, reference_designs
from vehbench_builder.veh.audit.evidence import Evidence, gather
from vehbench_hf.types import Task

EMPTY = {"design": None, "power_uw": None, "power_uw_older": None, "upper_bound_uw": None}
CERTIFIED = good("p2")
"""A task whose reference has a certificate, as all in the small bank have."""


def failed(*tasks: Task) -> set[str]:
    return names.failed(reference_designs.reference_checks(bank_of(*tasks), gather(tasks)))


def limits_times(**factors: float) -> Change:
    def change(task: Any) -> None:
        for name, factor in factors.items():
            task.spec["constraints"][name] *= factor

    return change


def reference_times(**factors: float) -> Change:
    def change(task: Any) -> None:
        for name, factor in factors.items():
            task.gold["reference"][name] *= factor

    return change


def uncertified_anchor(task: Any) -> None:
    power = float(proofs.problem_of(task.spec).respond(task.gold["anchor_design"]).load_power_uw)
    task.gold["certificate"] = None
    task.gold["reference"].update(design=task.gold["anchor_design"], power_uw=power)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (reference_times(power_uw=1.001), {"reference_powers_recomputed"}),
        (limits_times(disp_limit_mm=0.05), {"references_are_feasible"}),
        (limits_times(power_target_uw=10.0), {"references_are_feasible"}),
        # With wider limits stronger designs exist, of which the certificate says that there are none.
        (
            limits_times(stress_limit_mpa=1.5, disp_limit_mm=1.5, freq_error_pct_limit=1.5),
            {"reference_certificates_hold"},
        ),
        (reference_times(upper_bound_uw=0.98), {"reference_certificates_hold"}),
        (
            reference_times(power_uw=1 / 1.1),
            {"reference_powers_recomputed", "p2_references_within_five_percent"},
        ),
        (uncertified_anchor, {"p2_references_within_five_percent"}),
    ],
)
def test_a_wrong_reference_is_named(change: Change, named: set[str]) -> None:
    assert failed(CERTIFIED) == set()
    told = failed(tampered(CERTIFIED, change))
    assert named <= told
    assert "references_are_feasible" in named or told == named


@pytest.mark.parametrize("probe", ["p2", "p3"])
@pytest.mark.parametrize("reference", [None, EMPTY, {**EMPTY, "power_uw": 0.0}])
def test_a_task_without_reference_is_named(reference: Any, probe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering.proofs, "strongest", lambda spec: None)  # what a search finds is not asked here
    broken = tampered(good(probe), lambda t: t.gold.update(reference=reference, certificate=None))
    assert "references_are_stated" in failed(broken)


def test_a_weak_reference_without_certificate_is_told_by_how_much() -> None:
    broken = tampered(CERTIFIED, uncertified_anchor)
    check = whole(reference_designs.p2_references_within_five_percent, [broken], gather([broken]))
    assert check.failed == check.figures["more than 10% above the reference"] == 1


def test_a_task_that_is_solved_only_at_its_limits_has_no_slack() -> None:
    """A target 0.1 % below the best power leaves designs, but none with 0.45 % of every limit to spare."""

    def tighten(task: Any) -> None:
        task.spec["constraints"]["power_target_uw"] = 0.999 * task.gold["reference"]["power_uw"]

    tight = tampered(good("p3"), tighten)
    assert failed(tight) == {"p3_tasks_are_solvable_with_slack"}
    searched = tampered(tight, lambda t: t.gold.update(witness=None))
    assert failed(searched) == {"p3_tasks_are_solvable_with_slack", "p3_witnesses_are_stored"}


def test_no_search_stands_in_for_a_stored_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored witness with too little slack is a fault, though others exist; with enough, nothing is searched."""
    edge = tampered(good("p3"), lambda t: t.gold.update(witness=t.gold["reference"]["design"]))
    assert failed(edge) == {"p3_tasks_are_solvable_with_slack"}
    assert failed(tampered(good("p3"), lambda t: t.gold.update(witness=None))) == {"p3_witnesses_are_stored"}
    monkeypatch.setattr(proofs, "strongest", lambda _: pytest.fail("searched"))
    proven = tampered(good("p3"), lambda t: t.gold["reference"].update(power_uw=None))
    roomy = gather([proven])[proven.task_id].roomy
    assert roomy is not None
    assert roomy.stored


def with_excess(*excess: float) -> list[Task]:
    """Tasks whose bounds are so many times their references, of other powers each."""

    def at(number: int, times: float) -> Task:
        power = 1.0 + number / 7
        change: Change = lambda t: t.gold["reference"].update(power_uw=power, upper_bound_uw=times * power)  # noqa: E731
        return tampered(CERTIFIED, change, task_id=str(number))

    return [at(number, times) for number, times in enumerate(excess)]


def checked(check: Any, tasks: list[Task]) -> Check:
    return whole(check, tasks, {task.task_id: Evidence(certified=True) for task in tasks})


def test_one_weak_reference_in_twenty_is_borne_and_more_are_not() -> None:
    most = reference_designs.most_references_within_two_percent
    borne, too_many = (checked(most, with_excess(*[1.03] * weak, *[1.01] * (100 - weak))) for weak in (5, 6))
    assert (borne.checked, borne.failed) == (100, 0)
    assert (too_many.checked, too_many.failed) == (100, 6)


@pytest.mark.parametrize("share", [0.01, 0.02, 0.05])
def test_a_bound_on_a_step_of_the_ladder_is_not_beyond_it(share: float) -> None:
    """(1 + share) times a power may round to a last digit above it."""
    check = checked(reference_designs.p2_references_within_five_percent, with_excess(*[1 + share] * 60))
    assert check.figures[f"more than {share:.0%} above the reference"] == 0
    assert (check.checked, check.failed) == (60, 0)
