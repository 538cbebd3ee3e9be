"""A bank of another composition than the paper's is named."""

from itertools import count
from typing import Any

import pytest

import tampered as names
from tampered import Change, bank_of, tampered
from vehbench_builder.veh.audit import composition as paper
from vehbench_builder.veh.audit.counts import count_checks
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import PROBES, SPLITS, Task


def failed(*tasks: Task, version: str = "veh-v2", **subsets: list[str]) -> set[str]:
    return names.failed(count_checks(bank_of(*tasks, version=version, subsets=subsets)))


def subset_of(bank: Bank) -> list[str]:
    """Twelve P3 tasks of each split."""
    return [t.task_id for split in SPLITS for t in bank.select(("p3",), (split,))[:12]]


def test_a_small_bank_is_not_held_against_the_paper(small_bank: Bank) -> None:
    checks = {check.name: check for check in count_checks(small_bank)}
    assert "not a full bank" in (checks["task_counts"].skipped or "")
    assert checks["history_lengths"].checked == len(small_bank.select(("p3",)))
    assert not names.failed(checks.values())


def test_the_counts_of_the_paper_agree_with_each_other() -> None:
    assert sum(sum(splits.values()) for splits in paper.TASKS.values()) == 763
    for probe in PROBES:
        assert sum(paper.DIFFICULTY[probe].values()) == sum(paper.TASKS[probe].values())
        assert sum(paper.SOURCE_GROUPS.get(probe, paper.DIFFICULTY[probe]).values()) == sum(paper.TASKS[probe].values())
    assert sum(paper.P1_ACTIONS.values()) == len(paper.P1_SUBTYPES) * paper.P1_PER_SPLIT == paper.TASKS["p1"]["dev"]
    assert {s: n * len(paper.P2_SUBTYPES) for s, n in paper.P2_ANCHORS.items()} == paper.TASKS["p2"]
    assert {s: n * len(paper.PROFILES) for s, n in paper.P4_POOLS.items()} == paper.TASKS["p4"]
    assert sum(paper.P4_FAMILIES.values()) == sum(paper.P4_POOLS.values())


def test_the_released_bank_has_the_composition_of_the_paper(bank_v1: Bank) -> None:
    checks = count_checks(bank_v1)
    assert not names.failed(checks)
    assert {check.name for check in checks if check.skipped} == {"intervention_subset", "rows_name_their_bank"}


@pytest.mark.parametrize(
    ("probe", "change", "fields", "named"),
    [
        *[(probe, None, {}, "task_counts") for probe in PROBES],
        ("p1", lambda t: t.gold.update(action="none"), {}, "subtype_counts"),
        ("p2", lambda t: None, {"subtype": "other"}, "subtype_counts anchor_counts"),
        ("p3", lambda t: None, {"difficulty": "easy"}, "difficulty_counts"),
        ("p3", lambda t: None, {"source_group": "elsewhere"}, "difficulty_counts"),
        ("p2", lambda t: t.spec.update(query_budget=7), {}, "budgets"),
        ("p4", lambda t: t.spec.update(profile="other"), {}, "pool_counts"),
        ("p4", lambda t: t.gold.update(pool_family="new"), {}, "pool_counts"),
        ("p4", lambda t: t.spec["candidates"].pop(), {}, "pool_counts"),
        ("p3", lambda t: t.spec.update(history=[]), {}, "history_lengths"),
        ("p1", lambda t: None, {"bank_version": "veh-v1"}, "rows_name_their_bank"),
        ("p1", lambda t: None, {"domain": "circuit"}, "rows_name_their_bank"),
    ],
)
def test_one_task_that_differs_is_named(
    bank_v2: Bank, probe: str, change: Change | None, fields: dict[str, Any], named: str
) -> None:
    """The first task of a probe is another one, or gone."""
    place = next(i for i, task in enumerate(bank_v2.tasks) if task.probe == probe)
    changed = [] if change is None else [tampered(bank_v2.tasks[place], change, **fields)]
    tasks = [*bank_v2.tasks[:place], *changed, *bank_v2.tasks[place + 1 :]]
    told = failed(*tasks, p3_intervention=subset_of(bank_v2)[::-1])
    assert set(named.split()) == told - {"intervention_subset"} if change else set(named.split()) <= told


def test_uneven_trap_types_in_one_split_are_named(bank_v2: Bank) -> None:
    def typed(first: int) -> set[str]:
        """All P3 tasks, the types in turn but for the first ones, which have one type."""
        numbers = count()
        tasks = [
            t if t.probe != "p3" else tampered(t, subtype=f"type {turn(next(numbers), first)}") for t in bank_v2.tasks
        ]
        return failed(*tasks, p3_intervention=subset_of(bank_v2))

    def turn(number: int, first: int) -> int:
        return 0 if number < first else number % 6

    assert typed(0) == set()
    assert typed(30) == {"subtype_counts"}


def test_a_subset_of_other_tasks_or_none_is_named(bank_v2: Bank) -> None:
    ids = subset_of(bank_v2)
    other = bank_v2.select(("p2",))[0].task_id
    assert failed(*bank_v2.tasks, p3_intervention=ids) == set()
    assert failed(*bank_v2.tasks) == {"intervention_subset"}
    for wrong in (ids[1:], [*ids[1:], other], [*ids[1:], ids[-1]]):
        assert failed(*bank_v2.tasks, p3_intervention=wrong) == {"intervention_subset"}
