"""A bank of another composition than the paper's is named."""

from dataclasses import replace
from typing import Any

import pytest

from vehbench_builder.veh.audit import composition as paper
from vehbench_builder.veh.audit.counts import count_checks
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import PROBES, SPLITS


def failed(bank: Bank) -> set[str]:
    return {check.name for check in count_checks(bank) if check.faults}


def test_a_sample_is_not_held_against_the_paper(small_bank: Bank) -> None:
    checks = {check.name: check for check in count_checks(small_bank)}
    assert "not a full bank" in (checks["task_counts"].skipped or "")
    assert checks["history_lengths"].checked == len(small_bank.select(("p3",)))
    assert not failed(small_bank)


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
    assert not failed(bank_v1)


@pytest.mark.parametrize("probe", PROBES)
def test_a_task_too_few_is_named(bank_v1: Bank, tamper: Any, probe: str) -> None:
    tasks = list(bank_v1.tasks)
    del tasks[next(i for i, task in enumerate(tasks) if task.probe == probe)]
    assert "task_counts" in failed(tamper.bank(tasks, "veh-v1"))


def test_another_label_budget_or_profile_is_named(bank_v1: Bank, tamper: Any) -> None:
    def with_first(probe: str, change: Any = lambda _: None, **fields: Any) -> set[str]:
        tasks = list(bank_v1.tasks)
        i = next(i for i, task in enumerate(tasks) if task.probe == probe)
        tasks[i] = tamper.task(tasks[i], change, **fields)
        return failed(tamper.bank(tasks, "veh-v1"))

    assert with_first("p1", lambda t: t.gold.update(action="declare_infeasible")) == {"subtype_counts"}
    assert with_first("p2", subtype="power_tight") == {"subtype_counts", "anchor_counts"}
    assert with_first("p3", difficulty="easy") == {"difficulty_counts"}
    assert with_first("p3", source_group="elsewhere") == {"difficulty_counts"}
    assert with_first("p2", lambda t: t.spec.update(query_budget=7)) == {"budgets"}
    assert with_first("p4", lambda t: t.spec.update(profile="balanced")) == {"pool_counts"}
    assert with_first("p4", lambda t: t.gold.update(pool_family="new")) == {"pool_counts"}
    assert with_first("p4", lambda t: t.spec["candidates"].pop()) == {"pool_counts"}
    assert with_first("p3", lambda t: t.spec.update(history=[])) == {"history_lengths"}


def subset_of(bank: Bank) -> list[str]:
    """Twelve P3 tasks of each split."""
    return [t.task_id for split in SPLITS for t in bank.select(("p3",), (split,))[:12]]


def test_a_full_bank_without_its_subset_is_named(bank_v1: Bank, tamper: Any) -> None:
    assert "intervention_subset" in failed(tamper.bank(bank_v1.tasks, "veh-v2"))


def test_uneven_trap_types_in_one_split_are_named(bank_v1: Bank, tamper: Any) -> None:
    def typed(uneven: bool) -> set[str]:
        p3 = iter(range(1000))
        tasks = [
            tamper.task(t, subtype=f"type {0 if uneven and i < 30 else i % 6}")
            if t.probe == "p3" and (i := next(p3)) >= 0
            else t
            for t in bank_v1.tasks
        ]
        tasks = [replace(task, bank_version="veh-v2") for task in tasks]
        return failed(tamper.bank(tasks, "veh-v2", subsets={"p3_intervention": subset_of(bank_v1)}))

    assert typed(uneven=False) == set()
    assert typed(uneven=True) == {"subtype_counts"}


def test_a_subset_of_other_tasks_is_named(bank_v1: Bank, tamper: Any) -> None:
    ids = subset_of(bank_v1)
    other = bank_v1.select(("p2",))[0].task_id
    assert not failed(tamper.bank(bank_v1.tasks, "veh-v1", subsets={"p3_intervention": ids}))
    for wrong in (ids[1:], [*ids[1:], other], [*ids[1:], ids[-1]]):
        assert failed(tamper.bank(bank_v1.tasks, "veh-v1", subsets={"s": wrong})) == {"intervention_subset"}
