"""Calls that wait at the same time, answered together: a model that works in batches, callers that come alone."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_GATHERING_S = 0.2
_GATHERING_SHARE = 0.05
"""Callers that were answered together come back one after the other and form a batch again, if each comes within this
time of the one before, or within this share of what the last batch took."""


class Batches(Generic[Item, Answer]):
    """Collects at most `size` waiting items and gives them to `work` in a thread, one batch after the other.

    `work` returns an answer an item, in order. What it raises reaches every caller of the batch.
    """

    def __init__(self, work: Callable[[Sequence[Item]], Sequence[Answer]], size: int) -> None:
        self._work, self._size = work, size
        self._waiting: asyncio.Queue[tuple[Item, asyncio.Future[Answer]]] = asyncio.Queue()
        self._turning: asyncio.Task[None] | None = None
        self._last_took_s = 0.0

    async def answer(self, item: Item) -> Answer:
        """Wait for the answer to one item."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((item, answer))
        if self._turning is None or self._turning.done():
            self._turning = asyncio.create_task(self._turn())
        return await answer

    async def _turn(self) -> None:
        while not self._waiting.empty():
            await self._gathered()
            batch: list[tuple[Item, asyncio.Future[Answer]]] = []
            while len(batch) < self._size and not self._waiting.empty():
                item, future = self._waiting.get_nowait()
                if not future.done():  # its caller has gone
                    batch.append((item, future))
            if not batch:
                continue
            begun = time.monotonic()
            try:
                answers = await asyncio.to_thread(self._work, [item for item, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            finally:
                self._last_took_s = time.monotonic() - begun
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    async def _gathered(self) -> None:
        """Wait until a batch is full, or nobody has come for a while."""
        before = -1
        while before < self._waiting.qsize() < self._size:
            before = self._waiting.qsize()
            await asyncio.sleep(max(_GATHERING_S, _GATHERING_SHARE * self._last_took_s))
