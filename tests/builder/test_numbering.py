"""Task ids are unique, without gaps, and say nothing about what they number."""

import re

from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.seeds import numbered


@given(st.lists(st.integers(), max_size=60), st.integers(0, 50))
def test_no_item_is_lost_and_no_id_used_twice(items: list[int], seed: int) -> None:
    found = numbered(items, seed=seed, probe="p3", split="dev")
    assert [task_id for task_id, _ in found] == [f"v2::p3::dev::{i:04d}" for i in range(1, len(items) + 1)]
    assert sorted(item for _, item in found) == sorted(items)


def test_the_number_does_not_follow_the_order_of_the_items() -> None:
    items = list(range(200))
    orders = [[item for _, item in numbered(items, seed=s, probe="p2", split="dev")] for s in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2]
    follows = sum(a + 1 == b for a, b in zip(orders[0], orders[0][1:], strict=False))
    assert follows < 10
    assert re.fullmatch(r"v2::p2::dev::\d{4}", numbered(items, seed=0, probe="p2", split="dev")[0][0])
