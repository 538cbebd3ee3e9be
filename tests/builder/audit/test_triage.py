"""P1 labels that are wrong, unproven or wrongly proven are named."""

from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p1 as triage
from vehbench_builder.veh.audit import proofs
from vehbench_builder.veh.audit.evidence import Evidence, evidence_of, gather
from vehbench_builder.veh.audit.proofs import Decision, decide
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task
from vehbench_oracle.veh.proof.certify import certify

PROPOSE, INFEASIBLE, REQUEST = "propose_design", "declare_infeasible", "request_missing_info"


def failed(*tasks: Task) -> set[str]:
    found = gather(tasks)
    bank = Bank(__file__, {"version": "test"}, tasks)  # type: ignore[arg-type]
    return {check.name.removeprefix("p1_") for check in triage.p1_checks(bank, found) if check.faults}


def unstored(task: Any) -> None:
    """Without witness and certificate, so that the audit must search."""
    task.gold.update(witness=None, certificate=None, completions=[])


def impossible(task: Any) -> None:
    task.spec["constraints"]["power_target_uw"] *= 1000


def test_the_small_bank_holds_no_wrong_label(small_bank: Bank) -> None:
    assert failed(*small_bank.select(("p1",))) == set()


def test_a_solvable_brief_called_infeasible_is_named(good: Callable[..., Task], tamper: Any) -> None:
    wrong = tamper.task(good("p1", PROPOSE), lambda t: (unstored(t), t.gold.update(action=INFEASIBLE)))
    assert {"infeasible_briefs_are_proven", "infeasible_briefs_have_margin"} <= failed(wrong)


def test_an_infeasible_brief_called_solvable_is_named(good: Callable[..., Task], tamper: Any) -> None:
    wrong = tamper.task(good("p1", INFEASIBLE), lambda t: (unstored(t), t.gold.update(action=PROPOSE)))
    found = gather([wrong])
    check = whole(triage.p1_propose_briefs_are_solvable, [wrong], found)
    assert check.failed == check.figures["proven infeasible"] == 1
    assert "proven by search" in check.faults[0]


def test_a_witness_of_another_brief_is_named(good: Callable[..., Task], tamper: Any) -> None:
    wrong = tamper.task(good("p1", PROPOSE), impossible)
    assert "propose_briefs_are_solvable" in failed(wrong)
    assert "stored witness fails" in str(evidence_of(wrong).decisions[0])


def test_a_witness_at_a_limit_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def tighten(task: Any) -> None:
        metrics = proofs.problem_of(task.spec).respond(task.gold["witness"])
        task.spec["constraints"]["stress_limit_mpa"] = 1.0005 * float(metrics.tip_stress_mpa)

    assert failed(tamper.task(good("p1", PROPOSE), tighten)) == {"witnesses_keep_slack"}


def test_a_missing_field_that_is_stated_is_named(good: Callable[..., Task], tamper: Any) -> None:
    wrong = tamper.task(good("p1", PROPOSE), lambda t: t.gold.update(action=REQUEST, missing_fields=["frequency_hz"]))
    assert "request_briefs_withhold_something" in failed(wrong)
    nothing = tamper.task(good("p1", REQUEST), lambda t: t.gold.update(missing_fields=[]))
    assert "request_briefs_withhold_something" in failed(nothing)


def test_a_field_that_decides_nothing_is_not_missing(good: Callable[..., Task], tamper: Any) -> None:
    """With a target of next to nothing the brief is solvable at every acceleration that is tried."""

    def withhold(task: Any) -> None:
        unstored(task)
        task.gold.update(action=REQUEST, missing_fields=["acceleration_g"])
        task.spec["excitation"]["acceleration_g"] = None
        task.spec["constraints"].update(power_target_uw=1e-12, stress_limit_mpa=1e9, disp_limit_mm=1e9)

    assert failed(tamper.task(good("p1", PROPOSE), withhold)) == {"request_briefs_are_underdetermined"}


def completion(name: str, feasible: bool, **parts: Any) -> dict[str, Any]:
    changes = dict.fromkeys(("frequency_hz", "acceleration_g", "load_resistance_ohm", "piezo", "damping_ratio"))
    changes.update({key: parts.pop(key) for key in list(parts) if key in changes})
    return {"name": name, "changes": changes, "feasible": feasible, "witness": None, "certificate": None, **parts}


@pytest.fixture
def open_load(good: Callable[..., Task], tamper: Any) -> Task:
    """A request brief that withholds the load, with a witness at one load and a certificate at another."""

    def withhold(task: Any) -> None:
        witness, load = task.gold["witness"], task.gold["witness"]["load_resistance_ohm"]
        fixed = {**task.spec["variable_bounds"], "load_resistance_ohm": {"min": 1e2, "max": 1e2}}
        short = proofs.problem_of({**task.spec, "variable_bounds": fixed})
        proof = certify(short, task.spec["constraints"]["power_target_uw"])
        assert proof is not None
        task.spec["variable_bounds"]["load_resistance_ohm"] = None
        task.gold.update(
            action=REQUEST,
            missing_fields=["load_resistance_ohm"],
            witness=None,
            reference=None,
            certificate=None,
            completions=[
                completion("matched", True, load_resistance_ohm=load, witness=witness),
                completion("short", False, load_resistance_ohm=1e2, certificate=f"Proof: {proof.text}"),
            ],
        )

    task: Task = tamper.task(good("p1", PROPOSE), withhold)
    assert failed(task) == set()
    return task


@pytest.mark.parametrize(
    "change",
    [
        lambda stored: stored.pop(),
        lambda stored: stored[0].update(feasible=False, witness=None),
        lambda stored: stored[0]["witness"].update(tip_mass_g=0.0, beam_length_mm=25.0),
        lambda stored: stored[1]["changes"].update(load_resistance_ohm=1e6),
        lambda stored: stored[1].update(certificate="vehbench-certificate-1 1.0 e 000000000000"),
        lambda stored: stored[0]["changes"].update(frequency_hz=50.0),
    ],
)
def test_a_broken_completion_is_named(open_load: Task, tamper: Any, change: Callable[[Any], None]) -> None:
    broken = tamper.task(open_load, lambda t: change(t.gold["completions"]))
    assert "request_briefs_are_underdetermined" in failed(broken)


def test_an_inadmissible_completion_does_not_count(open_load: Task, tamper: Any) -> None:
    text = "One fixed resistance between 1000 and 1e7 ohm."
    broken = tamper.task(open_load, lambda t: t.spec["notes"].append({"name": "load", "text": text}))
    assert failed(broken) == {"completions_are_admissible", "request_briefs_are_underdetermined"}


def test_different_designs_for_one_open_brief_are_named(open_load: Task, tamper: Any) -> None:
    def harmless(task: Any) -> None:
        first = task.gold["completions"][0]
        near = first["changes"]["load_resistance_ohm"] * 1.01
        design = {**first["witness"], "load_resistance_ohm": near}
        second = completion("near", True, load_resistance_ohm=near, witness=design)
        task.gold.update(action=PROPOSE, missing_fields=[], completions=[first, second])

    one = tamper.task(open_load, harmless)
    assert failed(one) == set()

    def another(task: Any) -> None:
        harmless(task)
        task.gold["completions"][1]["witness"]["tip_mass_g"] *= 0.9999

    assert failed(tamper.task(open_load, another)) == {"one_design_solves_all_completions"}


def test_an_infeasible_brief_without_margin_is_named(good: Callable[..., Task], tamper: Any) -> None:
    """A target 1 % above the best power is infeasible, but easing it by 3 % makes it solvable."""

    def near(task: Any) -> None:
        unstored(task)
        task.gold["action"] = INFEASIBLE
        design = proofs.strongest(task.spec)
        assert design is not None
        power = float(proofs.problem_of(task.spec).respond(design).load_power_uw)
        task.spec["constraints"]["power_target_uw"] = 1.01 * power

    assert "infeasible_briefs_have_margin" in failed(tamper.task(good("p1", PROPOSE), near))


def test_a_bound_that_its_certificate_does_not_prove_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def bounded(task: Any, share: float = 1.0) -> None:
        problem = proofs.problem_of(task.spec)
        design = proofs.strongest(task.spec)
        power = float(problem.respond(design).load_power_uw)
        proof = certify(problem, 1.02 * power)
        assert proof is not None
        task.gold.update(
            certificate=f"{proof.text} and the witness keeps 5 %",
            reference={
                "design": design,
                "power_uw": power,
                "power_uw_older": None,
                "upper_bound_uw": share * 1.02 * power,
            },
        )

    assert failed(tamper.task(good("p1", PROPOSE), bounded)) == set()
    assert failed(tamper.task(good("p1", PROPOSE), lambda t: bounded(t, 0.99))) == {"bounds_hold"}


def test_a_target_that_an_estimate_cannot_judge_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def reference(task: Any, share: float) -> None:
        power = task.spec["constraints"]["power_target_uw"] / share
        task.gold["reference"] = {
            "design": None,
            "power_uw": power,
            "power_uw_older": None,
            "upper_bound_uw": 1.01 * power,
        }

    shares = {0.5: 0, 0.88: 0, 0.9: 1}
    for share, count in shares.items():
        task = tamper.task(good("p1", PROPOSE), lambda t, share=share: reference(t, share))
        assert each(triage.p1_targets_keep_their_distance, [task]).failed == count
    for share, count in {1.2: 1, 1.3: 0}.items():
        task = tamper.task(good("p1", INFEASIBLE), lambda t, share=share: reference(t, share))
        assert each(triage.p1_targets_keep_their_distance, [task]).failed == count


def test_no_search_stands_in_for_a_broken_certificate(good: Callable[..., Task]) -> None:
    spec = good("p1", INFEASIBLE).spec
    assert decide(spec, certificate="It is too slow.", expected="infeasible").verdict == "infeasible"
    damaged = decide(spec, certificate="vehbench-certificate-1 1.0 e 000000000000", expected="infeasible")
    assert damaged.verdict == "open"
    assert "checksum" in damaged.why


def test_a_task_that_cannot_be_evaluated_does_not_stop_the_audit(good: Callable[..., Task], tamper: Any) -> None:
    def break_it(task: Any) -> None:
        task.spec["constraints"]["stress_limit_mpa"] = float("nan")

    broken = [tamper.task(good(probe), break_it) for probe in ("p1", "p2", "p3")]
    for task in broken:
        assert "stress_limit_mpa" in (evidence_of(task).failure or "")
    assert "propose_briefs_are_solvable" in failed(broken[0])


def test_the_number_of_processes_does_not_change_the_evidence(small_bank: Bank) -> None:
    tasks = [*small_bank.select(("p1",))[:2], *small_bank.select(("p4",))[:1]]
    told: list[tuple[int, int]] = []
    alone = gather(tasks, 1, lambda done, of: told.append((done, of)))
    assert gather(tasks, 2) == alone
    assert list(alone) == [task.task_id for task in tasks[:2]]
    assert told == [(1, 2), (2, 2)]
    assert all(isinstance(one, Evidence) for one in alone.values())
    assert str(Decision("x", "open", "y", True)) == "x: open, y"
