"""Tasks pass one at a time and in order, and nobody waits for ever: not behind one that was cancelled, not behind one
that failed."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_runners.pacing import Pacer


@given(tasks=st.integers(1, 20))
def test_what_a_task_begins_is_done_before_the_next_task_moves(tasks: int) -> None:
    seen: list[tuple[str, int]] = []

    async def sends(number: int) -> None:
        seen.append(("sent", number))

    async def goes_on(pacer: Pacer, number: int) -> None:
        await pacer.next_turn()
        seen.append(("moves", number))
        await asyncio.create_task(sends(number))

    async def main() -> None:
        pacer = Pacer()
        await asyncio.gather(*[goes_on(pacer, number) for number in range(tasks)])

    asyncio.run(main())
    assert seen == [(what, number) for number in range(tasks) for what in ("moves", "sent")]


@given(cancelled=st.sets(st.integers(0, 9)), rounds=st.integers(0, 12))
def test_cancelled_tasks_let_the_others_through(cancelled: set[int], rounds: int) -> None:
    through: list[int] = []

    async def passes(pacer: Pacer, number: int) -> None:
        await pacer.next_turn()
        through.append(number)

    async def main() -> None:
        pacer = Pacer()
        tasks = [asyncio.create_task(passes(pacer, number)) for number in range(10)]
        for _ in range(rounds):  # at every moment: while they wait, and when they were just let through
            await asyncio.sleep(0)
        for number in cancelled:
            tasks[number].cancel()
        async with asyncio.timeout(5):
            await asyncio.gather(*tasks, return_exceptions=True)
            await pacer.next_turn()

    asyncio.run(main())
    assert set(through) >= set(range(10)) - cancelled
    assert through == sorted(through)


def test_a_task_that_fails_on_its_turn_blocks_nobody() -> None:
    async def fails(pacer: Pacer) -> None:
        await pacer.next_turn()
        raise ValueError("broken")

    async def main() -> None:
        pacer = Pacer()
        with pytest.raises(ValueError, match="broken"):
            await fails(pacer)
        async with asyncio.timeout(5):
            await pacer.next_turn()

    asyncio.run(main())
