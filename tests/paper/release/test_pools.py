"""The imported pools of P4 hold what the oracle gives, and their stated policy gives the order of the release."""

from collections import Counter
from typing import Any

import pytest

from judged import judge_for
from vehbench_hf.paper.release.policy import NEAR_FEASIBLE, WEIGHTS
from vehbench_hf.prompts.feedback import rounded
from vehbench_hf.types import Spec, Task
from vehbench_oracle import LIMITS, METRICS


@pytest.fixture(scope="module")
def pools(tasks: list[Task]) -> list[Task]:
    pools = [task for task in tasks if task.probe == "p4"]
    assert len(pools) == 159
    return pools


def test_stored_slacks_are_those_of_the_oracle(pools: list[Task]) -> None:
    for task in pools:
        for candidate in task.spec["candidates"]:
            verdict = judge_for(task.spec, candidate["design"])
            for name in LIMITS:
                assert candidate["slack"][name] == pytest.approx(verdict.slack[name], abs=5e-7 + 1e-9)
            for name in METRICS:
                assert candidate["metrics"][name] == round(verdict.metrics[name], 6)


def ranked(spec: Spec, digits: bool) -> list[str]:
    """The order that the policy text states, from what the brief shows and nothing else."""
    power, safety = {
        name: (p, s) for name, (p, s) in WEIGHTS.items() if f"{p:g} p + {s:g} s" in (spec["policy"] or "")
    }[spec["profile"] or ""]
    near = float((spec["policy"] or "").split("V is below ")[1].split(". Group 3")[0])
    show = rounded if digits else float
    limits = {name: limit for name, limit in spec["constraints"].items() if limit}
    slack = {c["id"]: {name: show(c["slack"][name]) / limits[name] for name in LIMITS} for c in spec["candidates"]}
    watts = {c["id"]: show(c["metrics"]["load_power_uw"]) for c in spec["candidates"]}
    violation = {name: sum(-share for share in shares.values() if share < 0) for name, shares in slack.items()}
    largest = max(watts[name] for name in watts if not violation[name])

    def place(name: str) -> tuple[int, float, float, float, str]:
        p = watts[name] / largest
        s = min(1.0, max(0.0, min(slack[name]["stress_limit_mpa"], slack[name]["disp_limit_mm"])))
        group = 0 if not violation[name] else 1 if violation[name] < near else 2
        merit = power * p + safety * s if group == 0 else 0.02 * p - violation[name]
        return group, -merit, -p, -s, name

    return sorted(watts, key=place)


@pytest.mark.parametrize("digits", [False, True], ids=["as stored", "at the digits of the prompt"])
def test_the_stated_policy_gives_the_gold_order(pools: list[Task], digits: bool) -> None:
    for task in pools:
        assert ranked(task.spec, digits) == task.gold["ranking"], task.task_id


def test_the_stated_threshold_separates_the_released_tiers(released: dict[str, dict[str, Any]]) -> None:
    violations: dict[str, list[float]] = {}
    for row in released.values():
        for entry in row.get("candidate_pool", []):
            violations.setdefault(entry["feasibility_tier"], []).append(entry["total_normalized_violation"])
    assert max(violations["feasible"]) == 0
    assert 0 < min(violations["near_feasible"]) <= max(violations["near_feasible"]) < NEAR_FEASIBLE
    assert min(violations["infeasible"]) > NEAR_FEASIBLE


def test_utilities_order_the_feasible_candidates_and_only_those_have_one(pools: list[Task]) -> None:
    for task in pools:
        value = {item["id"]: item["value"] for item in task.gold["utilities"]}
        feasible = {c["id"] for c in task.spec["candidates"] if judge_for(task.spec, c["design"]).feasible}
        assert {name for name, utility in value.items() if utility is not None} == feasible
        best = [name for name in task.gold["ranking"] if name in feasible]
        assert best == task.gold["ranking"][: len(best)]
        assert best == sorted(best, key=lambda name: -value[name])
        assert all(0 < value[name] <= 1 for name in best)


def test_pairs_agree_with_the_gold_order(pools: list[Task]) -> None:
    sensitive = 0
    for task in pools:
        place = {name: i for i, name in enumerate(task.gold["ranking"])}
        assert 3 <= len(task.gold["dominated_pairs"]) <= 6
        for pair in task.gold["dominated_pairs"] + task.gold["policy_sensitive_pairs"]:
            assert place[pair["better"]] < place[pair["worse"]]
        sensitive += bool(task.gold["policy_sensitive_pairs"])
    assert sensitive == 79


def test_pools_come_once_with_each_profile(pools: list[Task]) -> None:
    pools = Counter((task.gold["pool_id"], task.spec["profile"]) for task in pools)
    assert set(pools.values()) == {1}
    assert len({pool for pool, _ in pools}) * len(WEIGHTS) == len(pools) == 159
