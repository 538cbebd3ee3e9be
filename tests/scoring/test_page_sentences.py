"""Sentences of the metric pages that state a number or a rule."""

from itertools import combinations

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.paths import shipped
from vehbench_hf.runlog import load_run
from vehbench_hf.scoring import Row, score, score_parts
from vehbench_hf.scoring.p3 import read_rows
from vehbench_hf.types import PROBES, Step

REFERENCE = {"reference": {"design": None, "power_uw": 10.0, "power_uw_older": None, "upper_bound_uw": 10.0}}


def says(page: str, sentence: str) -> bool:
    return sentence in " ".join(shipped(f"cards/metrics/{page}.md").read_text(encoding="utf-8").split())


def parts(make, probe, task, record, convention="defined"):
    return {name: part.value for name, part in score_parts(probe, [Row(task, record)], convention).items()}


def test_log_edit_leaves_out_ranges_that_begin_at_zero(make, bank_v2: Bank):
    searches = bank_v2.select(["p2"])
    at_zero = [sum(box["min"] <= 0 for box in task.spec["variable_bounds"].values()) for task in searches]
    mass = [task.spec["variable_bounds"]["tip_mass_g"]["min"] == 0 for task in searches]
    assert at_zero == mass
    assert says("p2_diagnostics", f"leaves out the tip mass in {sum(mass)} of the {len(searches)} tasks of bank v2")
    task = make.task("p2", gold=REFERENCE)
    task.spec["variable_bounds"]["tip_mass_g"]["min"] = 0.0
    steps = [make.propose(make.verdict(1.0), tip_mass_g=mass) for mass in (1.0, 2.0)]
    assert parts(make, "p2", task, make.record(task, *steps))["log_edit"] == 0.0


def test_dead_as_released_is_one_of_three_shares_or_zero_without_a_design(bank_v1: Bank):
    shares = set()
    for folder in sorted((bank_v1.path / "runs").iterdir()):
        rows = load_run(folder, bank_v1).scored("p3")
        for row, recovery in zip(rows, read_rows(rows, "released").recoveries, strict=True):
            without = not any(step.verdict is not None for step in row.record.steps)
            assert (recovery.dead == 0) == without
            shares.add(recovery.dead)
    assert shares <= {0, 0.125, 0.25, 0.375}
    assert says(
        "p3_diagnostics", "0.125, 0.25 or 0.375 in bank v1, and 0, the best value, for a row without any live design"
    )


def test_bank_v1_stores_some_of_the_policy_sensitive_pairs(bank_v1: Bank):
    """Against power by the utilities of feasible candidates; the stored powers have six decimals."""
    fewer = 0
    pools = bank_v1.select(["p4"])
    for task in pools:
        utility = {entry["id"]: entry["value"] for entry in task.gold["utilities"]}
        power = {c["id"]: c["metrics"]["load_power_uw"] for c in task.spec["candidates"]}
        pairs = {
            frozenset(pair)
            for pair in combinations([name for name, value in utility.items() if value is not None], 2)
            if (utility[pair[0]] - utility[pair[1]]) * (power[pair[0]] - power[pair[1]]) < 0
        }
        stored = {frozenset((pair["better"], pair["worse"])) for pair in task.gold["policy_sensitive_pairs"]}
        assert stored <= pairs
        fewer += stored < pairs
    assert says("p4_diagnostics", f"in {fewer} of {len(pools)} pools bank v1 stores only some of these pairs")


@pytest.mark.parametrize("end", ["format_error", "declare_infeasible"])
@pytest.mark.parametrize("probe", ["p2", "p3"])
def test_what_ends_a_search_after_a_feasible_design_takes_nothing_away(make, trapped, end, probe):
    task = trapped if probe == "p3" else make.task("p2", gold=REFERENCE)
    steps = [make.propose(make.verdict(5.0))]
    steps += [Step("declare_infeasible")] if end == "declare_infeasible" else []
    record = make.record(task, *steps, outcome="ok" if end == "declare_infeasible" else end)
    found = parts(make, probe, task, record)
    assert found["success" if probe == "p3" else "final_feasible"] == 1
    assert probe == "p3" or found["p2b"] == 0.5


def test_released_leaves_a_ratio_of_zero_and_infeasible_searches_out(make):
    task = make.task("p2", gold=REFERENCE)
    nothing = make.record(task, make.propose(make.verdict(0.0)))
    assert [parts(make, "p2", task, nothing, c)["cond_ratio"] for c in ("defined", "released")] == [0.0, None]
    rising = [make.propose(make.verdict(power, freq=-1.0)) for power in (1.0, 2.0)]
    never = make.record(task, *rising)
    assert [parts(make, "p2", task, never, c)["utility_improvement"] for c in ("defined", "released")] == [1.0, None]


@pytest.mark.parametrize("budget", [None, 9])
def test_the_curve_runs_over_the_budget_of_the_run(make, budget):
    """Feasible at the seventh query: a run with six never sees it, one with nine counts its last three turns."""
    task = make.task("p2", gold=REFERENCE)
    steps = [make.propose(make.verdict(5.0, freq=-1.0))] * 6 + [make.propose(make.verdict(10.0))]
    found = parts(make, "p2", task, make.record(task, *steps, budget=budget))
    assert found["auc"] == found["auc_budget"] == pytest.approx(3 / 9 if budget else 0)


def test_turns_of_any_kind_count_as_released(make):
    task = make.task("p2", gold=REFERENCE)
    for steps in ([], [make.propose(make.verdict(5.0, freq=-1.0)), Step("replan")]):
        unread = make.record(task, *steps, outcome="truncated")
        assert parts(make, "p2", task, unread, "released")["queries"] == len(steps) + 1
        logged = make.record(task, *steps, Step("invalid_output"), outcome="format_error", recorded=True)
        assert parts(make, "p2", task, logged, "released")["queries"] == len(steps) + 1


def test_one_class_alone_has_f1_and_no_composite(make):
    found = parts(make, "p1", *make.triage("propose_design", "propose_design"))
    assert (found["f1"], found["subtype_f1"], found["comp"]) == (1.0, 1.0, None)
    assert {found[name] for name in ("mds", "ids")} == {None}


def test_zeros_of_the_authors_are_those_that_the_page_lists(make):
    """Rows for which nothing can be computed are undefined or one of the named zeros."""
    p2, p4 = make.task("p2", gold={"reference": {**REFERENCE["reference"], "power_uw": None}}), make.pool()
    search = make.record(p2, make.propose(make.verdict(5.0)))
    assert parts(make, "p2", p2, search, "released")["p2b"] == 0
    assert parts(make, "p2", p2, search, "released")["destructive"] == 0
    assert parts(make, "p2", p2, search)["p2b"] is None
    ranked = make.rank(p4, "abcde")
    assert [parts(make, "p4", p4, ranked, c)["pair_accuracy"] for c in ("defined", "released")] == [None, 0]


@pytest.mark.parametrize("probe", PROBES)
def test_a_missing_interval_or_bound_has_a_reason(make, trapped, probe):
    task = {"p2": make.task("p2", gold=REFERENCE), "p3": trapped, "p4": make.pool()}.get(probe)
    if probe == "p1":
        task, record = make.triage("propose_design", "propose_design")
    else:
        record = make.rank(task, "abcde") if probe == "p4" else make.record(task, make.propose(make.verdict(5.0)))
    found = score([task], {task.task_id: [record]}, convention="defined", bank="b")["probes"][probe]
    assert found["headline"]["interval"] is None
    assert found["undefined"]["interval"]
    lost = make.task(probe, gold={"action": "propose_design", "ranking": list("abcde")})
    empty = score([lost], {}, convention="defined", bank="b")["probes"][probe]
    assert (empty["headline"]["bounds"] is None) == ("bounds" in empty["undefined"])
