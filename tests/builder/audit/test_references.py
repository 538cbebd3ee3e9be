"""References that are infeasible, misreported, weak or wrongly certified are named."""

from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.report import whole
from vehbench_builder.veh.audit import proofs
from vehbench_builder.veh.audit import reference_designs as references
from vehbench_builder.veh.audit.evidence import Evidence, gather
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task
from vehbench_oracle.veh.proof.certify import proven_margin


def failed(*tasks: Task) -> set[str]:
    bank = Bank(__file__, {"version": "test"}, tasks)  # type: ignore[arg-type]
    return {check.name for check in references.reference_checks(bank, gather(tasks)) if check.faults}


@pytest.fixture(scope="module")
def certified(small_bank: Bank, tamper: Any) -> Task:
    """A P2 task whose reference has a certificate."""

    def prove(task: Any) -> None:
        reference = task.gold["reference"]
        margin = proven_margin(proofs.problem_of(task.spec), reference["power_uw"], (0.02, 0.05))
        assert margin is not None
        reference["upper_bound_uw"] = margin.certificate.target_uw
        task.gold["certificate"] = margin.certificate.text

    task: Task = tamper.task(small_bank.select(("p2",))[0], prove)
    assert failed(task) == set()
    return task


def test_the_small_bank_holds_no_weak_reference(small_bank: Bank) -> None:
    tasks = small_bank.select(("p2", "p3"))
    assert failed(*tasks) == set()


def test_a_changed_power_is_named(certified: Task, tamper: Any) -> None:
    broken = tamper.task(
        certified, lambda t: t.gold["reference"].update(power_uw=t.gold["reference"]["power_uw"] * 1.001)
    )
    assert failed(broken) == {"reference_powers_recomputed"}


@pytest.mark.parametrize(("name", "factor"), [("disp_limit_mm", 0.05), ("power_target_uw", 10.0)])
def test_a_shifted_limit_is_named(certified: Task, tamper: Any, name: str, factor: float) -> None:
    def shift(task: Any) -> None:
        task.spec["constraints"][name] *= factor

    assert "references_are_feasible" in failed(tamper.task(certified, shift))


def test_a_certificate_for_easier_limits_does_not_hold(certified: Task, tamper: Any) -> None:
    """With a wider limit stronger designs exist, of which the certificate says that there are none."""

    def widen(task: Any) -> None:
        for name in ("stress_limit_mpa", "disp_limit_mm", "freq_error_pct_limit"):
            task.spec["constraints"][name] *= 1.5

    assert failed(tamper.task(certified, widen)) == {"reference_certificates_hold"}


def test_a_bound_below_what_is_proven_does_not_hold(certified: Task, tamper: Any) -> None:
    def lower(task: Any) -> None:
        task.gold["reference"]["upper_bound_uw"] *= 0.99

    assert failed(tamper.task(certified, lower)) == {"reference_certificates_hold"}


def test_a_reference_far_below_its_bound_is_weak(certified: Task, tamper: Any) -> None:
    def weaken(task: Any) -> None:
        task.gold["reference"]["power_uw"] /= 1.1

    assert "p2_references_within_five_percent" in failed(tamper.task(certified, weaken))


def test_a_weak_reference_without_certificate_is_named(certified: Task, tamper: Any) -> None:
    def weaken(task: Any) -> None:
        reference = task.gold["reference"]
        task.gold["certificate"] = None
        reference.update(design=task.gold["anchor_design"])
        reference["power_uw"] = float(proofs.problem_of(task.spec).respond(task.gold["anchor_design"]).load_power_uw)

    broken = tamper.task(certified, weaken)
    check = whole(references.p2_references_within_five_percent, [broken], gather([broken]))
    assert check.failed == 1
    assert check.figures["more than 10% above the reference"] == 1
    assert failed(broken) == {"p2_references_within_five_percent"}


@pytest.mark.parametrize(
    "reference",
    [
        None,
        {"design": None, "power_uw": None, "power_uw_older": None, "upper_bound_uw": None},
        {"design": None, "power_uw": 0.0, "power_uw_older": None, "upper_bound_uw": None},
    ],
)
def test_a_task_without_reference_is_named(good: Callable[..., Task], tamper: Any, reference: Any) -> None:
    for probe in ("p2", "p3"):
        broken = tamper.task(good(probe), lambda t: t.gold.update(reference=reference, certificate=None))
        assert "references_are_stated" in failed(broken)


def test_a_task_that_is_solved_only_at_its_limits_has_no_slack(good: Callable[..., Task], tamper: Any) -> None:
    """A target 0.1 % below the best power leaves designs, but none with 0.45 % of every limit to spare."""

    def tighten(task: Any) -> None:
        task.spec["constraints"]["power_target_uw"] = 0.999 * task.gold["reference"]["power_uw"]

    assert failed(tamper.task(good("p3"), tighten)) == {"p3_tasks_are_solvable_with_slack"}
    searched = tamper.task(tamper.task(good("p3"), tighten), lambda t: t.gold.update(witness=None))
    assert failed(searched) == {"p3_tasks_are_solvable_with_slack", "p3_witnesses_are_stored"}


def test_no_search_stands_in_for_a_stored_witness(
    good: Callable[..., Task], tamper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stored witness with too little slack is a fault, though others exist; with enough, nothing is searched."""
    edge = tamper.task(good("p3"), lambda t: t.gold.update(witness=t.gold["reference"]["design"]))
    assert failed(edge) == {"p3_tasks_are_solvable_with_slack"}
    assert failed(tamper.task(good("p3"), lambda t: t.gold.update(witness=None))) == {"p3_witnesses_are_stored"}
    proven = tamper.task(good("p3"), lambda t: t.gold.update(reference={**t.gold["reference"], "power_uw": None}))
    monkeypatch.setattr(proofs, "strongest", lambda _: pytest.fail("searched"))
    assert gather([proven])[proven.task_id].roomy.stored  # type: ignore[union-attr]


def test_one_weak_reference_in_twenty_is_borne_and_more_are_not(certified: Task, tamper: Any) -> None:
    def bank(weak: int) -> Any:
        tasks, found = [], {}
        for number in range(100):
            excess = 1.03 if number < weak else 1.01
            bound = certified.gold["reference"]["power_uw"] * excess  # type: ignore[index, operator]
            task = tamper.task(
                certified, lambda t, bound=bound: t.gold["reference"].update(upper_bound_uw=bound), task_id=str(number)
            )
            tasks.append(task)
            found[task.task_id] = Evidence(certified=True)
        return whole(references.most_references_within_two_percent, tasks, found)

    assert not bank(5).faults
    assert bank(6).failed == 6


@pytest.mark.parametrize("share", [0.01, 0.02, 0.05])
def test_a_bound_on_a_step_of_the_ladder_is_not_beyond_it(certified: Task, tamper: Any, share: float) -> None:
    """(1 + share) times a power may round to a last digit above it."""
    tasks, found = [], {}
    for number in range(60):
        power = 1.0 + number / 7

        def at(task: Any, power: float = power) -> None:
            task.gold["reference"].update(power_uw=power, upper_bound_uw=(1 + share) * power)

        tasks.append(tamper.task(certified, at, task_id=str(number)))
        found[str(number)] = Evidence(certified=True)
    check = whole(references.p2_references_within_five_percent, tasks, found)
    assert check.figures[f"more than {share:.0%} above the reference"] == 0
    assert not check.faults
