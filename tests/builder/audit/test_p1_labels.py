"""P1 labels that are wrong, unproven or wrongly proven are named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tampered as names
from small_bank import small_tasks
from tampered import Change, bank_of, good, tampered
from vehbench_builder.audit.report import Check, each, whole
from vehbench_builder.veh.audit import p1, proofs
from vehbench_builder.veh.audit.evidence import Evidence, evidence_of, gather
from vehbench_builder.veh.audit.p1 import INFEASIBLE, PROPOSE, REQUEST
from vehbench_builder.veh.audit.proofs import Decision, decide
from vehbench_hf.types import Task
from vehbench_oracle.veh.proof.certify import certify


def failed(*tasks: Task) -> set[str]:
    return {name.removeprefix("p1_") for name in names.failed(p1.p1_checks(bank_of(*tasks), gather(tasks)))}


def unstored(task: Any) -> None:
    """Without witness and certificate, so that the audit must search."""
    task.gold.update(witness=None, certificate=None, completions=[])


def relabelled(action: str) -> Change:
    return lambda task: (unstored(task), task.gold.update(action=action))


def tighten(task: Any) -> None:
    metrics = proofs.problem_of(task.spec).respond(task.gold["witness"])
    task.spec["constraints"]["stress_limit_mpa"] = 1.0005 * float(metrics.tip_stress_mpa)


def withhold_what_decides_nothing(task: Any) -> None:
    """With a target of next to nothing the brief is solvable at every acceleration that is tried."""
    relabelled(REQUEST)(task)
    task.gold["missing_fields"] = ["acceleration_g"]
    task.spec["excitation"]["acceleration_g"] = None
    task.spec["constraints"].update(power_target_uw=1e-12, stress_limit_mpa=1e9, disp_limit_mm=1e9)


def one_percent_beyond(task: Any) -> None:
    """A target 1 % above the best power is infeasible, but easing it by 3 % makes it solvable."""
    relabelled(INFEASIBLE)(task)
    design = proofs.strongest(task.spec)
    assert design is not None
    power = float(proofs.problem_of(task.spec).respond(design).load_power_uw)
    task.spec["constraints"]["power_target_uw"] = 1.01 * power


def bounded(share: float) -> Change:
    """Stores a bound of the best power, a share of what its certificate proves."""

    def change(task: Any) -> None:
        problem, design = proofs.problem_of(task.spec), proofs.strongest(task.spec)
        assert design is not None
        power = float(problem.respond(design).load_power_uw)
        proof = certify(problem, 1.02 * power)
        assert proof is not None
        reference = {"design": design, "power_uw": power, "power_uw_older": None}
        task.gold["certificate"] = f"{proof.text} and the witness keeps 5 %"
        task.gold["reference"] = {**reference, "upper_bound_uw": share * 1.02 * power}

    return change


@pytest.mark.parametrize(
    ("action", "change", "named"),
    [
        (PROPOSE, relabelled(INFEASIBLE), {"infeasible_briefs_are_proven", "infeasible_briefs_have_margin"}),
        (INFEASIBLE, relabelled(PROPOSE), {"propose_briefs_are_solvable"}),
        (PROPOSE, lambda t: t.spec["constraints"].update(power_target_uw=1e9), {"propose_briefs_are_solvable"}),
        (PROPOSE, tighten, {"witnesses_keep_slack"}),
        (
            PROPOSE,
            lambda t: t.gold.update(action=REQUEST, missing_fields=["frequency_hz"]),
            {"request_briefs_withhold_something"},
        ),
        (REQUEST, lambda t: t.gold.update(missing_fields=[]), {"request_briefs_withhold_something"}),
        (PROPOSE, withhold_what_decides_nothing, {"request_briefs_are_underdetermined"}),
        (PROPOSE, one_percent_beyond, {"infeasible_briefs_have_margin"}),
        (PROPOSE, bounded(1.0), set()),
        (PROPOSE, bounded(0.99), {"bounds_hold"}),
    ],
)
def test_a_wrong_label_is_named(action: str, change: Change, named: set[str]) -> None:
    told = failed(tampered(good("p1", action), change))
    assert named <= told
    assert named or not told


def test_what_was_found_out_is_told() -> None:
    unsolvable = tampered(good("p1", INFEASIBLE), relabelled(PROPOSE))
    check = whole(p1.p1_propose_briefs_are_solvable, [unsolvable], gather([unsolvable]))
    assert check.failed == check.figures["proven infeasible"] == 1
    assert "proven by search" in check.faults[0]
    beyond = tampered(good("p1", PROPOSE), lambda t: t.spec["constraints"].update(power_target_uw=1e9))
    assert "stored witness fails" in str(evidence_of(beyond).decisions[0])


def completion(name: str, feasible: bool, **parts: Any) -> dict[str, Any]:
    changes = dict.fromkeys(("frequency_hz", "acceleration_g", "load_resistance_ohm", "piezo", "damping_ratio"))
    changes.update({key: parts.pop(key) for key in list(parts) if key in changes})
    return {"name": name, "changes": changes, "feasible": feasible, "witness": None, "certificate": None, **parts}


@pytest.fixture(scope="module")
def open_load() -> Task:
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

    task = tampered(good("p1", PROPOSE), withhold)
    assert failed(task) == set()
    return task


def stored(change: Change) -> Change:
    return lambda task: change(task.gold["completions"])


def harmless(task: Any) -> None:
    first = task.gold["completions"][0]
    near = first["changes"]["load_resistance_ohm"] * 1.01
    design = {**first["witness"], "load_resistance_ohm": near}
    second = completion("near", True, load_resistance_ohm=near, witness=design)
    task.gold.update(action=PROPOSE, missing_fields=[], completions=[first, second])


def another_design(task: Any) -> None:
    harmless(task)
    task.gold["completions"][1]["witness"]["tip_mass_g"] *= 0.9999


def narrower(task: Any) -> None:
    text = "One fixed resistance between 1000 and 1e7 ohm."
    task.spec["notes"].append({"name": "load", "text": text})


UNDERDETERMINED = "request_briefs_are_underdetermined"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (stored(lambda some: some.pop()), {UNDERDETERMINED}),
        (stored(lambda some: some[0].update(feasible=False, witness=None)), {UNDERDETERMINED}),
        (stored(lambda some: some[0]["witness"].update(tip_mass_g=0.0, beam_length_mm=25.0)), {UNDERDETERMINED}),
        (stored(lambda some: some[1]["changes"].update(load_resistance_ohm=1e6)), {UNDERDETERMINED}),
        (
            stored(lambda some: some[1].update(certificate="vehbench-certificate-1 1.0 e 000000000000")),
            {UNDERDETERMINED},
        ),
        (
            stored(lambda some: some[0]["changes"].update(frequency_hz=50.0)),
            {UNDERDETERMINED},
        ),
        (narrower, {"completions_are_admissible", UNDERDETERMINED}),
        (harmless, set()),
        (another_design, {"one_design_solves_all_completions"}),
    ],
)
def test_a_broken_completion_is_named(open_load: Task, change: Change, named: set[str]) -> None:
    told = failed(tampered(open_load, change))
    assert named <= told
    assert told <= named | {"completions_are_admissible"}


@pytest.mark.parametrize(
    ("action", "share", "count"),
    [(PROPOSE, 0.5, 0), (PROPOSE, 0.88, 0), (PROPOSE, 0.9, 1), (INFEASIBLE, 1.2, 1), (INFEASIBLE, 1.3, 0)],
)
def test_a_target_that_an_estimate_cannot_judge_is_named(action: str, share: float, count: int) -> None:
    def reference(task: Any) -> None:
        power = task.spec["constraints"]["power_target_uw"] / share
        known = {"design": None, "power_uw": power, "power_uw_older": None, "upper_bound_uw": 1.01 * power}
        task.gold["reference"] = known

    check = each(p1.p1_targets_keep_their_distance, [tampered(good("p1", action), reference)])
    assert (check.checked, check.failed) == (1, count)


def test_no_search_stands_in_for_a_broken_certificate() -> None:
    spec = good("p1", INFEASIBLE).spec
    assert decide(spec, certificate="It is too slow.", infeasible=True).verdict == "infeasible"
    damaged = decide(spec, certificate="vehbench-certificate-1 1.0 e 000000000000", infeasible=True)
    assert damaged.verdict == "open"
    assert "checksum" in damaged.why


def test_a_task_that_cannot_be_evaluated_does_not_stop_the_audit() -> None:
    def break_it(task: Any) -> None:
        task.spec["constraints"]["stress_limit_mpa"] = float("nan")

    broken = [tampered(good(probe), break_it) for probe in ("p1", "p2", "p3")]
    assert ["stress_limit_mpa" in (evidence_of(task).failure or "") for task in broken] == [True] * 3
    assert "propose_briefs_are_solvable" in failed(broken[0])


def test_the_number_of_processes_does_not_change_the_evidence() -> None:
    tasks = [*[task for task in small_tasks() if task.probe == "p1"][:2], good("p4")]
    told: list[tuple[int, int]] = []
    alone = gather(tasks, 1, lambda done, total: told.append((done, total)))
    assert gather(tasks, 2) == alone
    assert list(alone) == [task.task_id for task in tasks[:2]]
    assert told == [(1, 2), (2, 2)]
    assert str(Decision("x", "open", "y", True)) == "x: open, y"
    assert all(isinstance(evidence, Evidence) for evidence in alone.values())


def at_share(share: float) -> list[Task]:
    """P2 tasks with a target at some share of their best power."""

    def change(task: Any) -> None:
        task.spec["constraints"]["power_target_uw"] = share * task.gold["reference"]["power_uw"]

    return [tampered(task, change) for task in small_tasks() if task.probe == "p2"]


def test_briefs_at_the_optimum_are_not_called_separable() -> None:
    def check(boundary: float, beyond: float) -> Check:
        return whole(p1.p1_estimates_tell_boundary_from_margin, at_share(boundary), at_share(beyond))

    assert (check(0.5, 50.0).checked, check(0.5, 50.0).failed) == (1, 0)
    assert check(0.99, 1.01).failed == 1


VALUES = st.lists(st.floats(0.1, 10), min_size=1, max_size=8)


@given(VALUES, VALUES)
def test_separation_is_a_rank_statistic(easy: list[float], hard: list[float]) -> None:
    def tasks(values: list[float]) -> list[Task]:
        return [tampered(good("p2"), lambda t, v=v: t.spec["constraints"].update(power_target_uw=v)) for v in values]

    there = p1.separation(tasks(easy), tasks(hard), lambda spec: 1.0)
    back = p1.separation(tasks(hard), tasks(easy), lambda spec: 1.0)
    assert there + back == pytest.approx(1)
    assert there == pytest.approx(sum((a < b) + (a == b) / 2 for a in easy for b in hard) / (len(easy) * len(hard)))


def test_the_formula_heeds_acceleration_and_damping() -> None:
    spec = good("p2").spec
    power = p1.matched_power_uw(spec)
    acceleration = (spec["excitation"]["acceleration_g"] or 0.0) * 2
    louder = tampered(good("p2"), lambda t: t.spec["excitation"].update(acceleration_g=acceleration))
    lossier = tampered(good("p2"), lambda t: t.spec["materials"].update(damping_ratio=0.02))
    assert p1.matched_power_uw(louder.spec) == pytest.approx(4 * power)
    assert p1.matched_power_uw(lossier.spec) == pytest.approx(power / 2)
