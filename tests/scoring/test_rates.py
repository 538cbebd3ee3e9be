"""Numerators, denominators, and the numbers among readable replies."""

import pytest

from vehbench_hf.errors import RunError
from vehbench_hf.runlog import load_run
from vehbench_hf.scoring import Row, score, score_parts
from vehbench_hf.types import PROBES, Step


@pytest.fixture(scope="module")
def run(bank_v1):
    """A run of the authors with every probe."""
    return load_run(bank_v1.path / "runs" / "model_H", bank_v1)


def scored(tasks, records, convention="defined", **options):
    return score(tasks, records, convention=convention, bank="b", **options)["probes"]


COMPOSED = {
    "p1": {"f1", "acs", "mds", "ids", "subtype_f1", "comp", "over_refusal", "action_alignment"},
    "p2": set(),
    "p3": {"post_escape_failure"},
    "p4": {"bars"},
}
"""Numbers made of several rates."""


@pytest.mark.parametrize("convention", ["released", "defined"])
def test_a_rate_follows_from_its_numerator_and_denominator(bank_v1, run, convention):
    scores = scored(bank_v1.tasks, run.records, convention)
    assert set(scores) == set(PROBES)
    for probe, found in scores.items():
        values = {name for name, value in found["parts"].items() if value is not None}
        without = {"destructive"} if (probe, convention) == ("p2", "released") else set()
        assert values - found["rates"].keys() == COMPOSED[probe] | without
        for name, rate in found["rates"].items():
            assert rate["numerator"] / rate["of"] == pytest.approx(found["parts"][name]), name
            assert rate["of"] == found["parts_n"][name], name
            if rate["wilson"]:
                low, high = rate["wilson"]
                assert 0 <= low <= found["parts"][name] <= high <= 1, name
                assert rate["numerator"] == int(rate["numerator"]), name


def test_a_mean_of_shares_has_no_interval_for_events(bank_v1, run):
    found = scored(bank_v1.tasks, run.records)
    assert found["p3"]["rates"]["success"]["wilson"]
    assert found["p4"]["rates"]["tau"]["wilson"] is None
    assert found["p4"]["rates"]["policy_mismatch"]["wilson"] is None
    assert found["p2"]["rates"]["p2b"]["wilson"] is None


def test_policy_mismatch_as_defined_leaves_out_rows_without_a_sensitive_pair(bank_v1, run):
    with_pairs = sum(bool(task.gold["policy_sensitive_pairs"]) for task in bank_v1.select(["p4"]))
    defined = scored(bank_v1.tasks, run.records)["p4"]["rates"]["policy_mismatch"]
    released = scored(bank_v1.tasks, run.records, "released")["p4"]["rates"]["policy_mismatch"]
    assert (defined["of"], released["of"]) == (with_pairs, 159) == (79, 159)
    assert released["numerator"] == pytest.approx(defined["numerator"] + 80)


def test_unreadable_replies_are_not_among_the_parsed(make):
    tasks = [make.pool(f"t{i}", sensitive="ab") for i in range(3)]
    records = {
        "t0": [make.rank(tasks[0], "abced")],
        "t1": [make.rank(tasks[1], None)],
        "t2": [make.rank(tasks[2], "abcd")],
    }
    found = scored(tasks, records)["p4"]
    assert (found["headline"]["value"], found["headline"]["n"]) == (pytest.approx(-1.2 / 3), 3)
    assert (found["parsed"]["n"], found["parsed"]["parts"]["tau"], found["parsed"]["parts"]["parse"]) == (1, 0.8, 0.0)


def test_a_run_without_readable_replies_has_no_parsed_values(make):
    task, record = make.triage(None, "propose_design")
    found = scored([task], {task.task_id: [record]})["p1"]
    assert found["parsed"]["n"] == 0
    assert set(found["parsed"]["parts"].values()) == {None}
    assert found["parts"]["acc"] == 0.0


@pytest.mark.parametrize("probe", PROBES)
def test_no_rows_give_no_number(probe):
    for convention in ("released", "defined"):
        parts = score_parts(probe, [], convention)
        assert parts
        for name, part in parts.items():
            assert part.value is None, name
            assert part.reason, name
            assert not part.denominator, name


def test_recovery_quality_as_defined_needs_a_reference(bank_v1, run):
    found = scored(bank_v1.tasks, run.records)["p3"]
    assert found["parts"]["recq"] is None
    assert "reference" in found["undefined"]["recq"]
    assert found["parts"]["success"] > 0


def test_a_loss_is_zero_where_the_reference_is_beaten(make):
    gold = {"reference": {"design": None, "power_uw": 10.0, "power_uw_older": None, "upper_bound_uw": None}}
    task = make.task("p2", gold=gold)
    row = Row(task, make.record(task, make.propose(make.verdict(12.0))))
    for convention in ("released", "defined"):
        found = score_parts("p2", [row], convention)
        assert (found["cond_ratio"].value, found["utility_loss"].value) == (1.2, 0.0)


def test_tasks_of_one_paper_are_one_observation_unless_tasks_are_asked_for(make):
    """Two papers, one always right: the two say almost nothing, forty tasks would."""
    tasks = [make.pool(f"t{i:02}", anchor=make.anchor("a" if i < 20 else "b")) for i in range(40)]
    records = {task.task_id: [make.rank(task, "abcde" if i < 20 else "edcba")] for i, task in enumerate(tasks)}
    by_paper = scored(tasks, records)["p4"]["headline"]["interval"]
    by_task = scored(tasks, records, clusters="tasks")["p4"]["headline"]["interval"]
    assert by_paper[0] < -0.98
    assert by_paper[1] > 0.98
    assert -0.4 < by_task[0] < by_task[1] < 0.4


def test_the_clustering_is_said(make):
    task = make.pool()
    found = score([task], {}, convention="defined", bank="b", clusters="tasks")["intervals"]
    assert found["clusters"] == "tasks"
    with pytest.raises(RunError):
        score([], {task.task_id: [make.record(task, Step("rank"))]}, convention="defined", bank="b")


@pytest.mark.parametrize("epochs", [1, 10])
def test_repeats_of_a_task_do_not_narrow_the_interval_of_a_rate(make, epochs):
    """Half of the tasks always succeed, the others never: a repeat tells nothing new."""
    tasks = [make.task("p2", f"t{i}") for i in range(12)]
    records = {
        task.task_id: [
            make.record(task, make.propose(make.verdict(5.0, freq=i % 2 - 1.0)), epoch=e) for e in range(epochs)
        ]
        for i, task in enumerate(tasks)
    }
    rate = scored(tasks, records, epochs=epochs)["p2"]["rates"]["final_feasible"]
    assert (rate["numerator"], rate["of"]) == (6 * epochs, 12 * epochs)
    assert rate["wilson"] == pytest.approx([0.2234, 0.7766], abs=1e-2)
