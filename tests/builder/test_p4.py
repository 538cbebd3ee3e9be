"""P4 pools are what was planned, and their order follows from what the brief shows and from nothing simpler."""

import pickle
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import judge_for
from tampered import audited
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.numbers import known
from vehbench_builder.veh.p4.p4 import Unit, build_unit, units
from vehbench_builder.veh.p4.policy import WEIGHTS
from vehbench_builder.veh.p4.pool import choose
from vehbench_builder.veh.p4.pool_plan import SHARED_WITH, Plan, winner_ids
from vehbench_builder.veh.p4.supply import LEAST_SLACK, feasible_around
from vehbench_hf.bank.schema import empty_gold, empty_spec, task_to_row
from vehbench_hf.types import Task
from vehbench_oracle import LIMITS
from vehbench_oracle.space import designs_at, places_of
from vehbench_oracle.veh.domain import problem_of_brief

pytestmark = pytest.mark.slow

PUBLISHED = BuildSpec()
FRESH = BuildSpec(seed=3, per_anchor=4, fresh=True)


@cache
def placeholders(build: BuildSpec = PUBLISHED) -> Mapping[str, Task]:
    """All P2 tasks of a bank without brief and reference; planning pools takes no more."""
    return {unit.task_id: placeholder(unit) for unit in p2.units(load_anchors(), build, {})}


def placeholder(unit: p2.Unit) -> Task:
    return Task(
        task_id=unit.task_id,
        probe="p2",
        split=unit.split,
        subtype=unit.subtype,
        difficulty=p2.RULES[unit.subtype].difficulty,
        source_group="out-of-domain kept" if unit.split == "test_ood" else "oracle-domain",
        anchor=unit.anchor.anchor,
        bank_version="veh-v2",
        spec=empty_spec(),
        gold=empty_gold(),
    )


def planned_units(build: BuildSpec = PUBLISHED) -> list[Unit]:
    return units(load_anchors(), build, placeholders(build))


def with_sources(chosen: Iterable[Unit], build: BuildSpec = PUBLISHED) -> list[Unit]:
    """The same pools with finished P2 tasks as sources."""
    wanted = {unit.key: unit.pool.source.task_id for unit in chosen}
    work = [unit for unit in p2.units(load_anchors(), build, {}) if unit.task_id in wanted.values()]
    real = {task.task_id: task for unit in work for task in p2.build_unit(unit)}
    return [u for u in units(load_anchors(), build, {**placeholders(build), **real}) if u.key in wanted]


@pytest.fixture(scope="module")
def pools() -> dict[str, tuple[Unit, list[Task]]]:
    """One pool of every kind, from all splits."""
    by_kind: dict[tuple[str, str | None], Unit] = {}
    for unit in reversed(planned_units()):
        by_kind.setdefault((unit.pool.plan.family, unit.pool.plan.balanced_with), unit)
    assert len(by_kind) > 3
    return {unit.key: (unit, build_unit(unit)) for unit in with_sources(by_kind.values())}


@pytest.fixture(scope="module")
def tasks(pools: dict[str, tuple[Unit, list[Task]]]) -> list[Task]:
    return [task for _, found in pools.values() for task in found]


def test_a_source_is_used_once_and_in_its_own_split() -> None:
    work = planned_units()
    assert len({unit.pool.source.task_id for unit in work}) == len(work)
    assert all(unit.pool.source.split == unit.split for unit in work)


def test_eighteen_pools_are_planned_with_three_winners() -> None:
    assert sum(unit.pool.plan.balanced_with is None for unit in planned_units()) == 18
    for unit in planned_units():
        plan = unit.pool.plan
        assert len(set(unit.pool.winners.values())) == (3 if plan.balanced_with is None else 2)
        if plan.balanced_with is not None:
            assert plan.balanced_with in SHARED_WITH[plan.family]
            assert unit.pool.winners["balanced"] == unit.pool.winners[plan.balanced_with]


def test_no_id_wins_more_often_than_others() -> None:
    for split in ("dev", "test_id", "test_ood"):
        winners = [unit.pool.winners for unit in planned_units() if unit.split == split]
        counts = Counter(one[profile] for one in winners for profile in WEIGHTS)
        assert max(counts.values()) - min(counts[name] for name in "ABCDE") <= 2


PLANS = st.sampled_from([Plan(f, end, 0, 0) for f, ends in SHARED_WITH.items() for end in (*ends, None)])


@given(st.lists(PLANS, min_size=10, max_size=40), st.integers(0, 2**32))
def test_no_plan_of_a_bank_lets_an_id_win_too_often(plans: list[Plan], seed: int) -> None:
    winners = winner_ids(plans, np.random.default_rng(seed))
    counts = Counter(one[profile] for one in winners for profile in WEIGHTS)
    assert max(counts.values()) - min(counts[name] for name in "ABCDE") <= 3


def test_ids_tell_neither_pool_nor_profile() -> None:
    found = [task_id for unit in planned_units() for task_id in unit.task_ids]
    assert len(set(found)) == len(found) == 159
    assert all(re.fullmatch(r"v2::p4::(dev|test_id|test_ood)::\d{4}", task_id) for task_id in found)
    for split, count in (("dev", 93), ("test_id", 36), ("test_ood", 30)):
        numbers = [[int(i[-4:]) for i in unit.task_ids] for unit in planned_units() if unit.split == split]
        assert sorted(n for one in numbers for n in one) == list(range(1, count + 1))
        assert [min(one) for one in numbers] == sorted(min(one) for one in numbers)
        # Neither neighbours nor a fixed order of profiles.
        assert sum(max(one) - min(one) == 2 for one in numbers) <= 2
        assert len({tuple(np.argsort(one)) for one in numbers}) > 3


def test_fresh_pools_come_from_sources_of_their_own() -> None:
    work = planned_units(FRESH)
    anchors = {a.key for a in load_anchors() if a.split == "dev"}
    # Four tasks an anchor are asked for: two pools of three.
    assert Counter(unit.pool.source.anchor["key"] for unit in work if unit.pool.source.anchor) == dict.fromkeys(
        anchors, 2
    )
    assert {unit.split for unit in work} == {"train"}
    assert not {unit.pool.source.task_id for unit in work} & set(placeholders())
    assert not {unit.key for unit in work} & {unit.key for unit in planned_units()}


def test_a_missing_source_is_named() -> None:
    for build in (PUBLISHED, FRESH):
        with pytest.raises(BuildError, match="build p2 first"):
            units(load_anchors(), build, {})
    without = {task_id: task for task_id, task in placeholders().items() if task.split != "test_id"}
    with pytest.raises(BuildError, match="p4 test_id: expected a P2 task"):
        units(load_anchors(), PUBLISHED, without)


def test_a_source_without_reference_is_refused() -> None:
    with pytest.raises(BuildError, match=r"p4/dev/.*expected a P2 task with a reference design"):
        build_unit(planned_units()[0])


def test_neither_repetition_nor_pickling_changes_a_pool(pools: dict[str, tuple[Unit, list[Task]]]) -> None:
    unit, found = next(iter(pools.values()))
    again = build_unit(pickle.loads(pickle.dumps(unit)))  # noqa: S301
    assert [task_to_row(task) for task in again] == [task_to_row(task) for task in found]


def test_the_supply_holds_only_designs_in_the_box_and_clear_of_the_limits(
    pools: dict[str, tuple[Unit, list[Task]]],
) -> None:
    unit, _ = next(iter(pools.values()))
    spec, reference = unit.pool.source.spec, unit.pool.source.gold["reference"]
    assert reference is not None
    assert reference["design"] is not None
    supply = feasible_around(spec, reference["design"], np.random.default_rng(1))
    assert len(supply.power) > 1000
    for index in range(0, len(supply.power), 500):
        verdict = judge_for(spec, supply.design(index))
        assert verdict.feasible
        assert verdict.objective == supply.power[index]
        share = [verdict.slack[name] / known(spec["constraints"][name]) for name in LIMITS]
        assert share == list(supply.slack[index])
        assert min(share) >= LEAST_SLACK
    assert supply.u.min() >= -1e-5
    assert supply.u.max() <= 1 + 1e-5
    u = np.random.default_rng(2).random((6, 50))
    problem = problem_of_brief(spec)
    assert places_of(problem, designs_at(problem, u)) == pytest.approx(u, abs=1e-9)


def test_a_search_without_result_returns_no_pool(pools: dict[str, tuple[Unit, list[Task]]]) -> None:
    unit, _ = next(iter(pools.values()))
    spec, reference = unit.pool.source.spec, unit.pool.source.gold["reference"]
    assert reference is not None
    assert reference["design"] is not None
    supply = feasible_around(spec, reference["design"], np.random.default_rng(1))
    alike = supply._replace(**{name: getattr(supply, name)[:1].repeat(9, axis=0) for name in ("u", "power", "slack")})
    plan = Plan("balanced_core", None, 0, 0)
    assert choose(alike, plan, np.random.default_rng(1)) is None
    few = supply._replace(**{name: getattr(supply, name)[:4] for name in ("u", "power", "slack")})
    assert choose(few, plan, np.random.default_rng(1)) is None


def test_the_audit_finds_no_fault_in_built_pools(tasks: list[Task]) -> None:
    faults, checked = audited(tasks)
    assert faults == {}
    for name in ("candidates_keep_slack", "ranking_follows_from_shown_numbers", "utility_gaps", "dominated_pairs"):
        assert checked[f"p4_{name}"] > 0
