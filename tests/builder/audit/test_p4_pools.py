"""Pools whose gold does not follow from their policy, and best candidates in one place, are named."""

from typing import Any

import pytest

from tampered import Change, bank_of, failed, good, tampered
from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit import p4
from vehbench_builder.veh.audit.stated_policy import expected_order, judged_pool, stated_weights
from vehbench_hf.bank.bank import Bank
from vehbench_hf.paper.release.policy import WEIGHTS, policy_text
from vehbench_hf.types import Task

POOL = good("p4")


def rejudged(task: Any, index: int) -> None:
    """Store what the oracle says about a candidate after its design was changed."""
    candidate = task.spec["candidates"][index]
    verdict = task.problem.judge(candidate["design"])
    candidate.update(metrics=dict(verdict.metrics), slack=dict(verdict.slack))


def swap(task: Any) -> None:
    ranking = task.gold["ranking"]
    ranking[1], ranking[2] = ranking[2], ranking[1]


def off_by_a_millionth(metric: str) -> Change:
    def change(task: Any) -> None:
        task.spec["candidates"][0]["metrics"][metric] *= 1 + 1e-6

    return change


def tighten(task: Any) -> None:
    worst = max(c["metrics"]["tip_stress_mpa"] for c in task.spec["candidates"])
    task.spec["constraints"]["stress_limit_mpa"] = 1.004 * worst


def reword(task: Any) -> None:
    task.spec["policy"] = task.spec["policy"].replace(f"{WEIGHTS[task.spec['profile']][0]:g}", "0.6")


def add_to_a_utility(task: Any) -> None:
    task.gold["utilities"][0]["value"] += 1e-3


def copy_a_design(task: Any) -> None:
    task.spec["candidates"][1]["design"] = dict(task.spec["candidates"][0]["design"])
    rejudged(task, 1)


def with_pairs(name: str, change: Change) -> Change:
    return lambda task: change(task.gold[name])


def last_over_first(pairs: Any) -> None:
    first, *_, last = POOL.gold["ranking"]
    pairs.append({"better": last, "worse": first})


PAIRS = [
    (with_pairs(name, change), {name}, set())
    for name in ("dominated_pairs", "policy_sensitive_pairs")
    for change in (last_over_first, lambda pairs: pairs.pop(), lambda pairs: pairs.append(pairs[0]))
]
ORDERS = {"ranking_follows_the_policy", "ranking_follows_from_shown_numbers"}


@pytest.mark.parametrize(
    ("change", "named", "perhaps"),
    [
        *PAIRS,
        (swap, ORDERS, set()),
        (
            lambda t: t.spec["constraints"].update(power_target_uw=1e9),
            {"candidates_feasible", "tasks_with_infeasible_candidates", "candidates_keep_slack", "numbers_recomputed"},
            {"policy_sensitive_pairs", "dominated_pairs"},
        ),
        *[(off_by_a_millionth(m), {"numbers_recomputed"}, set()) for m in ("load_power_uw", "tip_stress_mpa")],
        (off_by_a_millionth("resonant_freq_hz"), {"numbers_recomputed"}, set()),
        (
            tighten,
            {"candidates_keep_slack", "numbers_recomputed"},
            {*ORDERS, "utilities_recomputed", "utility_gaps", "policy_sensitive_pairs"},
        ),
        (
            reword,
            {"policy_states_the_profile", "utilities_recomputed"},
            {*ORDERS, "utility_gaps", "policy_sensitive_pairs"},
        ),
        (
            lambda t: t.spec.update(policy="Prefer reliable designs."),
            {"policy_states_the_profile", *ORDERS, "utilities_recomputed", "utility_gaps", "policy_sensitive_pairs"},
            set(),
        ),
        (lambda t: t.spec.update(profile="reliability_first"), {"policy_states_the_profile"}, set()),
        (add_to_a_utility, {"utilities_recomputed"}, set()),
        (lambda t: t.gold["utilities"].pop(), {"utilities_recomputed"}, set()),
        (
            copy_a_design,
            {"candidates_differ", "utility_gaps"},
            {*ORDERS, "utilities_recomputed", "dominated_pairs", "policy_sensitive_pairs"},
        ),
    ],
)
def test_a_pool_with_one_wrong_thing_is_named(change: Change, named: set[str], perhaps: set[str]) -> None:
    told = {name.removeprefix("p4_") for name in failed(p4.p4_checks(bank_of(tampered(POOL, change))))}
    assert named <= told <= named | perhaps


def test_candidates_out_of_order_are_named() -> None:
    turned = tampered(POOL, lambda t: t.spec["candidates"].reverse())
    check = each(p4.candidates_are_listed_by_id, [POOL, turned])
    assert (check.checked, check.failed) == (2, 1)


def test_the_released_rule_puts_infeasible_candidates_last() -> None:
    def release(task: Any) -> None:
        task.spec["policy"] = policy_text(task.spec["profile"])
        strongest = max(task.spec["candidates"], key=lambda c: c["metrics"]["tip_stress_mpa"])
        task.spec["constraints"]["stress_limit_mpa"] = 0.999 * strongest["metrics"]["tip_stress_mpa"]

    task = tampered(POOL, release)
    assert stated_weights(task.spec) == WEIGHTS[task.spec["profile"] or ""]
    pool = judged_pool(task.spec)
    order, utility = expected_order(task.spec, pool)
    infeasible = [name for name, candidate in pool.items() if not candidate.verdict.feasible]
    assert infeasible
    assert set(order[-len(infeasible) :]) == set(infeasible)
    assert [utility[name] for name in infeasible] == [None] * len(infeasible)


def test_a_pool_that_lacks_a_profile_or_changes_its_candidates_is_named(bank_v2: Bank) -> None:
    tasks = bank_v2.select(("p4",))
    pool = [t for t in tasks if t.gold["pool_id"] == tasks[0].gold["pool_id"]]
    moved = tampered(pool[0], lambda t: t.spec["candidates"][0]["design"].update(tip_mass_g=5.0))
    same = [tampered(t, lambda t: t.gold.update(ranking=list("ABCDE"))) for t in pool]
    for members, count in ((pool, 0), (pool[1:], 1), ([moved, *pool[1:]], 1), (same, 1)):
        check = whole(p4.p4_pools_have_three_profiles, members)
        assert (check.checked, check.failed) == (1, count)


def test_a_best_candidate_that_often_stands_in_one_place_is_named() -> None:
    def with_best(name: str) -> Task:
        rest = [c["id"] for c in POOL.spec["candidates"] if c["id"] != name]
        return tampered(POOL, lambda t: t.gold.update(ranking=[name, *rest]))

    even = [with_best(name) for name in "ABCDE" for _ in range(8)]
    check = whole(p4.p4_winner_places, even)
    assert (check.checked, check.failed) == (10, 0)
    tilted = whole(p4.p4_winner_places, [*even, *[with_best("B")] * 4])
    assert {fault.split(" is the best")[0] for fault in tilted.faults} == {"id B", "place 2"}
