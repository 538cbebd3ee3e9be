"""The intervention subset is balanced, or there is none."""

from dataclasses import replace

import pytest

from vehbench_builder.build_spec import BuildError
from vehbench_builder.veh.p3.moves import TRAPS
from vehbench_builder.veh.p3.p3 import intervention_subset
from vehbench_hf.bank.schema import empty_gold, empty_spec
from vehbench_hf.types import SPLITS, Anchor, Task


def task(split: str, number: int, subtype: str, anchor: str) -> Task:
    paper: Anchor = {"key": anchor, "doi": None, "doi_released": None, "title": None, "year": None}
    name = f"v2::p3::{split}::{number:04d}"
    return Task(name, "p3", split, subtype, "hard", None, paper, "veh-v2", empty_spec(), empty_gold())  # type: ignore[arg-type]


def bank(per_stratum: int) -> list[Task]:
    strata = [(split, subtype) for split in SPLITS for subtype in TRAPS]
    return [
        task(split, 10 * place + i, subtype, f"{split}{i // 2}")
        for place, (split, subtype) in enumerate(strata)
        for i in range(per_stratum)
    ]


def test_every_stratum_has_two_tasks_of_two_papers() -> None:
    tasks = bank(4)
    chosen = intervention_subset(tasks)
    assert len(chosen) == len(set(chosen)) == 36
    by_id = {task.task_id: task for task in tasks}
    for split in SPLITS:
        for subtype in TRAPS:
            pair = [by_id[name] for name in chosen if (by_id[name].split, by_id[name].subtype) == (split, subtype)]
            assert len({one.anchor["key"] for one in pair if one.anchor}) == 2


def test_the_order_of_the_bank_does_not_change_the_subset() -> None:
    tasks = bank(5)
    assert intervention_subset(reversed(tasks)) == intervention_subset(tasks)


def test_no_other_tasks_enter_the_subset() -> None:
    tasks = bank(2)
    other = [replace(one, probe="p2", task_id=one.task_id.replace("p3", "p2")) for one in tasks]
    fresh = [replace(one, split="train", task_id=f"{one.task_id}t") for one in tasks]
    assert intervention_subset([*other, *fresh, *tasks]) == intervention_subset(tasks)
    assert intervention_subset([*other, *fresh]) == []


def test_a_small_stratum_is_refused() -> None:
    tasks = bank(2)
    with pytest.raises(BuildError, match=rf"2 tasks of {tasks[0].subtype} or more in dev, got 1"):
        intervention_subset(tasks[1:])
