"""Known scores of trivial answers on the authors' bank."""

import dataclasses

import pytest

from judged import judge_for
from vehbench_hf.scoring import cluster, score
from vehbench_hf.types import Step


@pytest.fixture(scope="module")
def tasks(bank_v1):
    return bank_v1.tasks


def scores(make, tasks, convention, answer):
    records = {task.task_id: [make.record(task, answer(task))] for task in tasks}
    return score(tasks, records, convention=convention, bank="veh-v1")["probes"]


@pytest.mark.parametrize("convention", ["released", "defined"])
def test_always_proposing_has_the_score_that_table_16_prints(make, tasks, convention):
    briefs = [task for task in tasks if task.probe == "p1" and task.split == "dev"]
    parts = scores(make, briefs, convention, lambda task: Step("propose_design"))["p1"]["parts"]
    assert parts["acc"] == 0.5625
    assert round(parts["f1"], 3) == 0.240
    assert min(parts[f"recall_{name}"] for name in ("propose", "request", "infeasible")) == 0.0


@pytest.mark.parametrize("convention", ["released", "defined"])
def test_gold_answers_are_perfect(make, tasks, convention):
    asked = [task for task in tasks if task.probe in ("p1", "p4")]

    def gold(task):
        if task.probe == "p1":
            return Step(task.gold["action"])
        return Step("rank", ranking=tuple(task.gold["ranking"]))

    found = scores(make, asked, convention, gold)
    assert found["p1"]["headline"]["value"] == pytest.approx(1.0)
    assert (found["p1"]["headline"]["n"], found["p4"]["headline"]["n"]) == (240, 159)
    assert found["p4"]["headline"]["value"] == 1.0
    assert found["p4"]["parts"]["exact"] == found["p4"]["parts"]["pareto"] == 1.0
    pairs, bars = found["p4"]["parts"]["pair_accuracy"], found["p4"]["parts"]["bars"]
    if convention == "released":  # rows without a policy-sensitive pair count as 0 there: 80 of 159, 34 of 53 balanced
        assert pairs == pytest.approx(79 / 159)
        assert bars == pytest.approx(0.55 + 0.25 * 19 / 53 + 0.20)
    else:
        assert pairs == 1.0
        assert bars == pytest.approx(1.0)


def test_the_anchor_of_the_papers_is_feasible_at_its_published_ratio(make, tasks):
    searches = [task for task in tasks if task.probe == "p2"]

    def anchor(task):
        design = task.gold["anchor_design"]
        return Step("propose_design", design=design, verdict=judge_for(task.spec, design))

    defined = scores(make, searches, "defined", anchor)["p2"]
    released = scores(make, searches, "released", anchor)["p2"]
    assert defined["parts"]["final_feasible"] == released["parts"]["final_feasible"] == 1.0
    assert (defined["headline"]["n"], released["headline"]["n"]) == (207, 208)
    # Table 16 prints 0.3065 from probe powers that are rounded to four decimals; ours are not.
    assert defined["headline"]["value"] == pytest.approx(0.3065, abs=3e-4)
    assert released["headline"]["value"] == pytest.approx(defined["headline"]["value"] * 207 / 208)
    assert defined["parts"]["auc"] == pytest.approx(defined["headline"]["value"])


@pytest.mark.parametrize("convention", ["released", "defined"])
def test_standing_still_in_the_trap_does_not_escape_it(make, tasks, convention):
    recoveries = [task for task in tasks if task.probe == "p3"]

    def stay(task):
        design = task.spec["history"][-1]["design"]
        return Step("propose_design", design=design, verdict=judge_for(task.spec, design))

    parts = scores(make, recoveries, convention, stay)["p3"]["parts"]
    assert parts["escape"] == parts["success"] == parts["replan"] == 0.0
    assert parts["cascade"] is None
    assert parts["dead"] == (1 / 8 if convention == "released" else 1.0)


def test_the_way_out_of_the_trap_is_an_escape_and_the_way_in_is_none(make, tasks):
    """Two steps back by 8 % of the range of the trap variable are the authors' escape, two steps on are none."""
    recoveries = [task for task in tasks if task.probe == "p3"]

    def step(task, sign):
        trap, last = task.gold["trap"], task.spec["history"][-1]["design"]
        box = task.spec["variable_bounds"][trap["variable"]]
        way = sign * (1 if trap["direction"] == "increase" else -1)
        design = {**last, trap["variable"]: last[trap["variable"]] + way * 0.0801 * (box["max"] - box["min"])}
        return Step("propose_design", design=design, verdict=judge_for(task.spec, design))

    def escape(sign):
        records = {}
        for task in recoveries:
            records[task.task_id] = [make.record(task, step(task, sign), step(task, sign))]
        found = score(recoveries, records, convention="released", bank="veh-v1")
        return found["probes"]["p3"]["parts"]["escape"]

    assert (escape(-1), escape(1)) == (1.0, 0.0)


def test_a_task_without_paper_is_drawn_alone(tasks):
    assert cluster(dataclasses.replace(tasks[0], anchor=None)) == tasks[0].task_id
    assert len({cluster(task) for task in tasks if task.probe == "p2"}) > 40
