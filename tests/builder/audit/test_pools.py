"""Pools whose gold does not follow from their policy, and best candidates in one place, are named."""

from collections.abc import Callable
from typing import Any

import pytest

from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p4 as pools
from vehbench_builder.veh.audit.stated_policy import expected_order, judged_pool, stated_weights
from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.paper.release.policy import WEIGHTS, policy_text
from vehbench_hf.types import Task

TASK_CHECKS = [
    pools.p4_candidates_feasible,
    pools.p4_candidates_keep_slack,
    pools.p4_numbers_recomputed,
    pools.p4_policy_states_the_profile,
    pools.p4_ranking_follows_the_policy,
    pools.p4_ranking_follows_from_shown_numbers,
    pools.p4_utilities_recomputed,
    pools.p4_utility_gaps,
    pools.p4_dominated_pairs,
    pools.p4_policy_sensitive_pairs,
    pools.p4_candidates_differ,
]


def failed(task: Task) -> set[str]:
    return {check.__name__.removeprefix("p4_") for check in TASK_CHECKS if each(check, [task]).faults}


def rejudged(task: Any, index: int) -> None:
    """Store what the oracle says about a candidate after its design was changed."""
    candidate = task.spec["candidates"][index]
    verdict = judge_for(task.spec, candidate["design"])
    candidate.update(metrics=dict(verdict.metrics), slack=dict(verdict.slack))


def test_the_sample_bank_holds_no_wrong_pool(small_bank: Bank) -> None:
    for check in pools.p4_checks(small_bank):
        assert not check.faults, check.faults
        assert (
            check.skipped is None
            or "full bank" in check.skipped
            or "shares" in check.skipped
            or "built here" in check.skipped
        )


def test_a_swapped_ranking_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def swap(task: Any) -> None:
        ranking = task.gold["ranking"]
        ranking[1], ranking[2] = ranking[2], ranking[1]

    assert failed(tamper.task(good("p4"), swap)) == {"ranking_follows_the_policy", "ranking_follows_from_shown_numbers"}


def test_a_shifted_limit_is_named(good: Callable[..., Task], tamper: Any) -> None:
    broken = tamper.task(good("p4"), lambda t: t.spec["constraints"].update(power_target_uw=1e9))
    assert {"candidates_feasible", "candidates_keep_slack", "numbers_recomputed"} <= failed(broken)


@pytest.mark.parametrize("name", ["load_power_uw", "tip_stress_mpa", "resonant_freq_hz"])
def test_a_changed_metric_is_named(good: Callable[..., Task], tamper: Any, name: str) -> None:
    def change(task: Any) -> None:
        task.spec["candidates"][0]["metrics"][name] *= 1 + 1e-6

    assert "numbers_recomputed" in failed(tamper.task(good("p4"), change))


def test_a_candidate_at_a_limit_keeps_no_slack(good: Callable[..., Task], tamper: Any) -> None:
    def tighten(task: Any) -> None:
        worst = max(c["metrics"]["tip_stress_mpa"] for c in task.spec["candidates"])
        task.spec["constraints"]["stress_limit_mpa"] = 1.004 * worst

    found = failed(tamper.task(good("p4"), tighten))
    assert "candidates_keep_slack" in found
    assert "candidates_feasible" not in found


def test_other_weights_than_the_profile_are_named(good: Callable[..., Task], tamper: Any) -> None:
    task = good("p4")
    first = f"{WEIGHTS[task.spec['profile'] or ''][0]:g}"
    reworded = tamper.task(task, lambda t: t.spec.update(policy=t.spec["policy"].replace(first, "0.6")))
    assert "policy_states_the_profile" in failed(reworded)
    vague = tamper.task(task, lambda t: t.spec.update(policy="Prefer reliable designs."))
    assert {"policy_states_the_profile", "ranking_follows_the_policy"} <= failed(vague)
    relabelled = tamper.task(task, lambda t: t.spec.update(profile="reliability_first"))
    assert failed(relabelled) == {"policy_states_the_profile"}


def test_a_wrong_utility_or_none_is_named(good: Callable[..., Task], tamper: Any) -> None:
    wrong = tamper.task(
        good("p4"), lambda t: t.gold["utilities"][0].update(value=t.gold["utilities"][0]["value"] + 1e-3)
    )
    absent = tamper.task(good("p4"), lambda t: t.gold["utilities"].pop())
    assert failed(wrong) == failed(absent) == {"utilities_recomputed"}


@pytest.mark.parametrize("name", ["dominated_pairs", "policy_sensitive_pairs"])
def test_a_pair_too_many_too_few_or_twice_is_named(good: Callable[..., Task], tamper: Any, name: str) -> None:
    def extra(task: Any) -> None:
        first, *_, last = task.gold["ranking"]
        task.gold[name].append({"better": last, "worse": first})

    changes = [extra, lambda t: t.gold[name].pop(), lambda t: t.gold[name].append(t.gold[name][0])]
    for change in changes:
        assert failed(tamper.task(good("p4"), change)) == {name}


def test_two_candidates_of_one_design_are_named(good: Callable[..., Task], tamper: Any) -> None:
    def copy(task: Any) -> None:
        task.spec["candidates"][1]["design"] = dict(task.spec["candidates"][0]["design"])
        rejudged(task, 1)

    assert {"candidates_differ", "utility_gaps"} <= failed(tamper.task(good("p4"), copy))


def test_the_released_rule_puts_infeasible_candidates_last(good: Callable[..., Task], tamper: Any) -> None:
    def release(task: Any) -> None:
        task.spec["policy"] = policy_text(task.spec["profile"])
        strongest = max(task.spec["candidates"], key=lambda c: c["metrics"]["tip_stress_mpa"])
        task.spec["constraints"]["stress_limit_mpa"] = 0.999 * strongest["metrics"]["tip_stress_mpa"]
        for index in range(len(task.spec["candidates"])):
            rejudged(task, index)

    task = tamper.task(good("p4"), release)
    assert stated_weights(task.spec) == WEIGHTS[task.spec["profile"] or ""]
    pool = judged_pool(task.spec)
    order, utility = expected_order(task.spec, pool)
    infeasible = [name for name, one in pool.items() if not one.verdict.feasible]
    assert infeasible
    assert set(order[-len(infeasible) :]) == set(infeasible)
    assert [utility[name] for name in infeasible] == [None] * len(infeasible)


def test_a_pool_that_lacks_a_profile_or_changes_its_candidates_is_named(bank_v1: Bank, tamper: Any) -> None:
    tasks = bank_v1.select(("p4",))
    pool = [t for t in tasks if t.gold["pool_id"] == tasks[0].gold["pool_id"]]
    assert not whole(pools.p4_pools_have_three_profiles, pool).faults
    assert whole(pools.p4_pools_have_three_profiles, pool[1:]).failed == 1
    moved = tamper.task(pool[0], lambda t: t.spec["candidates"][0]["design"].update(tip_mass_g=5.0))
    assert whole(pools.p4_pools_have_three_profiles, [moved, *pool[1:]]).failed == 1
    same = [tamper.task(t, lambda t: t.gold.update(ranking=list("ABCDE"))) for t in pool]
    assert whole(pools.p4_pools_have_three_profiles, same).failed == 1


def test_a_best_candidate_that_often_stands_in_one_place_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def with_best(name: str) -> Task:
        rest = [c["id"] for c in good("p4").spec["candidates"] if c["id"] != name]
        return tamper.task(good("p4"), lambda t: t.gold.update(ranking=[name, *rest]))

    even = [with_best(name) for name in "ABCDE" for _ in range(8)]
    assert not whole(pools.p4_winner_places, even).faults
    tilted = [*even, *[with_best("B")] * 4]
    assert {fault.split(" is the best")[0] for fault in whole(pools.p4_winner_places, tilted).faults} == {
        "id B",
        "place 2",
    }
