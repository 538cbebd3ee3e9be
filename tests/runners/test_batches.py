"""Callers that wait together get their own answers, in batches no larger than asked for."""

import asyncio
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_runners.local.batches import Batches


@given(items=st.lists(st.integers(), min_size=1, max_size=20), size=st.integers(1, 7))
def test_every_caller_gets_its_own_answer(items: list[int], size: int) -> None:
    seen: list[int] = []

    def double(batch: Sequence[int]) -> list[int]:
        seen.append(len(batch))
        return [2 * item for item in batch]

    async def main() -> list[int]:
        batches = Batches(double, size)
        return await asyncio.gather(*[batches.answer(item) for item in items])

    assert asyncio.run(main()) == [2 * item for item in items]
    assert sum(seen) == len(items)
    assert max(seen) == min(size, len(items))
    assert len(seen) == -(-len(items) // size)


def test_a_failed_batch_fails_its_callers_and_nobody_else() -> None:
    def work(batch: Sequence[str]) -> list[str]:
        if "bad" in batch:
            raise RuntimeError("out of memory")
        return list(batch)

    async def main() -> list[str | BaseException]:
        batches = Batches(work, 2)
        asked = [batches.answer(item) for item in ("bad", "beside", "next", "last")]
        first = await asyncio.gather(*asked, return_exceptions=True)
        return [*first, await batches.answer("later")]

    answers = asyncio.run(main())
    assert [str(answer) for answer in answers] == ["out of memory", "out of memory", "next", "last", "later"]
    assert isinstance(answers[0], RuntimeError)


def test_a_caller_that_has_gone_is_left_out() -> None:
    running, go = threading.Event(), threading.Event()
    batches_seen: list[list[int]] = []

    def work(batch: Sequence[int]) -> list[int]:
        batches_seen.append(list(batch))
        running.set()
        assert go.wait(10)
        return list(batch)

    async def main() -> int:
        batches = Batches(work, 1)
        first = asyncio.create_task(batches.answer(1))
        await asyncio.to_thread(running.wait, 10)
        gone, kept = asyncio.create_task(batches.answer(2)), asyncio.create_task(batches.answer(3))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        go.set()
        await first
        return await kept

    assert asyncio.run(main()) == 3
    assert batches_seen == [[1], [3]]


def test_callers_that_come_one_after_the_other_are_answered_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vehbench_runners.local.batches._GATHERING_S", 0.5)
    sizes: list[int] = []

    def work(batch: Sequence[int]) -> list[int]:
        sizes.append(len(batch))
        return list(batch)

    async def main() -> None:
        batches = Batches(work, 6)
        async with asyncio.TaskGroup() as group:
            for item in range(6):  # together they take longer than a batch waits for its next caller
                group.create_task(batches.answer(item))
                await asyncio.sleep(0.1)

    asyncio.run(main())
    assert sizes == [6]
