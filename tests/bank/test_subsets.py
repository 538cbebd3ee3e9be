"""`--limit` takes the same tasks every time, spreads them evenly, and nests."""

from collections import Counter

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import limited
from vehbench_hf.types import PROBES


def test_limits_are_nested_even_and_keep_the_order(bank_v1: Bank) -> None:
    tasks = list(bank_v1.tasks)
    previous: set[str] = set()
    for limit in (1, 2, 7, 24, 48, 100, 10_000):
        chosen = limited(tasks, limit)
        assert chosen == [task for task in tasks if task in chosen]
        ids = {task.task_id for task in chosen}
        assert previous <= ids
        previous = ids
        for probe in PROBES:
            available = sum(task.probe == probe for task in tasks)
            assert sum(task.probe == probe for task in chosen) == min(limit, available)
    assert len(previous) == len(tasks)
    p1 = [task for task in limited(tasks, 48) if task.probe == "p1"]
    assert set(Counter((task.split, task.subtype) for task in p1).values()) == {2}


def test_order_of_the_bank_does_not_matter(bank_v1: Bank) -> None:
    tasks = list(bank_v1.tasks)
    assert {t.task_id for t in limited(tasks, 5)} == {t.task_id for t in limited(tasks[::-1], 5)}


def test_no_limit_keeps_all(small_bank: Bank) -> None:
    assert limited(small_bank.tasks, None) == list(small_bank.tasks)
