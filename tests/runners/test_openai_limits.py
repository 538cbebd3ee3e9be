"""Waiting as long as asked, never longer than sensible, and never with more calls in flight than a server bears."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_runners.openai.limiter import Limiter
from vehbench_runners.openai.retries import backoff, retry_after

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=90), usegmt=True)}, 0.0),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:30"}, 30.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_the_wait_a_server_asks_for_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@given(text=st.text(max_size=40))
def test_no_header_breaks_a_run(text: str) -> None:
    seconds = retry_after({"retry-after": text}, NOW)
    assert seconds is None or seconds >= 0


@given(failures=st.integers(1, 5000))
def test_waits_grow_up_to_a_minute_and_are_never_nothing(failures: int) -> None:
    wait = backoff(failures)
    assert 0.25 <= wait <= 60.0
    assert wait <= 0.5 * 2.0 ** min(failures - 1, 20)
    assert backoff(failures + 12) >= min(30.0, wait)


def test_waits_of_many_calls_are_spread() -> None:
    assert len({round(backoff(5), 3) for _ in range(50)}) > 25


async def many(limiter: Limiter, calls: int, capacity: int | None = None) -> tuple[int, int]:
    """Make calls of a millisecond; returns how many ran at once at most, and how many the server refused."""
    running = most = refused = 0

    async def call() -> None:
        nonlocal running, most, refused
        while True:
            cuts = await limiter.acquire()
            running += 1
            most = max(most, running)
            over = capacity is not None and running > capacity
            await asyncio.sleep(0.001)
            running -= 1
            if over:
                refused += 1
                limiter.refused(cuts)
                limiter.release()
                await asyncio.sleep(0.001)
                continue
            limiter.came_through()
            limiter.release()
            return

    await asyncio.gather(*(call() for _ in range(calls)))
    return most, refused


@pytest.mark.parametrize("most", [1, 3, 64])
def test_never_more_in_flight_than_asked_for_and_no_call_is_forgotten(most: int) -> None:
    limiter = Limiter(most)
    assert asyncio.run(many(limiter, 200))[0] == most
    assert limiter.in_flight == 0
    assert limiter.limit == most


def test_refusals_bring_the_limit_near_what_the_server_bears() -> None:
    limiter = Limiter(64)
    _, refused = asyncio.run(many(limiter, 800, capacity=8))
    assert 1.0 <= limiter.limit <= 16.0
    assert refused < 400
    assert limiter.in_flight == 0


def test_calls_that_are_refused_together_cut_the_limit_once() -> None:
    async def burst() -> float:
        limiter = Limiter(10)
        tickets = [await limiter.acquire() for _ in range(10)]
        for ticket in tickets:
            limiter.refused(ticket)
            limiter.release()
        return limiter.limit

    assert asyncio.run(burst()) == pytest.approx(7.0)


def test_the_limit_never_reaches_nothing_and_grows_back() -> None:
    async def down_and_up() -> Limiter:
        limiter = Limiter(8)
        for _ in range(50):
            cuts = await limiter.acquire()
            limiter.refused(cuts)
            limiter.release()
        assert limiter.limit == 1.0
        for _ in range(40):
            limiter.came_through()
        return limiter

    assert asyncio.run(down_and_up()).limit == 8.0


def test_a_pause_holds_back_every_call() -> None:
    async def paused() -> float:
        loop = asyncio.get_running_loop()
        limiter = Limiter(4)
        limiter.pause(0.2)
        begun = loop.time()
        await many(limiter, 8)
        return loop.time() - begun

    assert asyncio.run(paused()) >= 0.2


def test_a_pause_can_be_lifted() -> None:
    async def lifted() -> float:
        loop = asyncio.get_running_loop()
        limiter = Limiter(4)
        limiter.pause(600)
        waiting = asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        begun = loop.time()
        limiter.resume()
        await waiting
        return loop.time() - begun

    assert asyncio.run(lifted()) < 60


def test_a_cancelled_call_passes_its_turn_on() -> None:
    async def cancelled() -> int:
        limiter = Limiter(1)
        await limiter.acquire()
        first, second = asyncio.create_task(limiter.acquire()), asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        limiter.release()  # wakes the first, which is cancelled before it runs
        first.cancel()
        return await asyncio.wait_for(second, 5)

    assert asyncio.run(cancelled()) == 0
