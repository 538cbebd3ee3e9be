"""Waiting as long as asked, never longer than sensible, and never with more calls in flight than a server bears."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_runners.openai.limiter import Limiter
from vehbench_runners.openai.retries import backoff, quota_reset, retry_after

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
        ({"retry-after": "6s"}, 6.0),
        ({"retry-after": "1m30s"}, 90.0),
    ],
)
def test_the_wait_a_server_asks_for_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


EPOCH = int(NOW.timestamp())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-reset-requests": "1s"}, 1.0),
        ({"x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-requests": "8.64s"}, 8.64),
        ({"x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-reset-requests": "1h2m3s"}, 3723.0),
        ({"x-ratelimit-reset": str(EPOCH + 40)}, 40.0),
        ({"x-ratelimit-reset": str(1000 * EPOCH + 40_500)}, 40.5),
        ({"x-ratelimit-reset": str(EPOCH - 40)}, 0.0),
        ({"x-ratelimit-reset": "12"}, 12.0),
        ({"ratelimit-reset": "7"}, 7.0),
        ({"anthropic-ratelimit-requests-reset": "2026-11-30T12:00:21Z"}, 21.0),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, 1.0),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "9",
                "x-ratelimit-reset-tokens": "6m0s",
                "x-ratelimit-remaining-tokens": "0",
            },
            360.0,
        ),
        ({"x-ratelimit-reset": "soon"}, None),
        ({"x-ratelimit-reset": "-3"}, None),
        ({"x-ratelimit-reset": ""}, None),
    ],
)
def test_the_end_of_a_quota_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    read = quota_reset(headers, NOW)
    assert read == (None if seconds is None else pytest.approx(seconds))


@given(text=st.text(max_size=40) | st.from_regex(r"[0-9.]{0,9}[dhms]{0,3}[0-9]{0,30}s?", fullmatch=True))
def test_no_header_breaks_a_run(text: str) -> None:
    for seconds in (retry_after({"retry-after": text}, NOW), quota_reset({"x-ratelimit-reset": text}, NOW)):
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
            slot = await limiter.acquire()
            running += 1
            most = max(most, running)
            over = capacity is not None and running > capacity
            await asyncio.sleep(0.001)
            running -= 1
            if over:
                refused += 1
                limiter.refused(slot)
                limiter.release(slot)
                await asyncio.sleep(0.001)
                continue
            limiter.came_through(slot)
            limiter.release(slot)
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
            limiter.release(ticket)
        return limiter.limit

    assert asyncio.run(burst()) == pytest.approx(7.0)


def test_the_limit_never_reaches_nothing_and_grows_back() -> None:
    async def down_and_up() -> Limiter:
        limiter = Limiter(8)
        for _ in range(50):
            slot = await limiter.acquire()
            limiter.refused(slot)
            limiter.release(slot)
        assert limiter.limit == 1.0
        for _ in range(40):
            limiter.came_through(slot)
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
        slot = await limiter.acquire()
        first, second = asyncio.create_task(limiter.acquire()), asyncio.create_task(limiter.acquire())
        await asyncio.sleep(0)
        limiter.release(slot)  # wakes the first, which is cancelled before it runs
        first.cancel()
        return (await asyncio.wait_for(second, 5)).cuts

    assert asyncio.run(cancelled()) == 0


def test_a_tenth_of_refusals_at_random_leaves_the_limit_high() -> None:
    chance = random.Random(1)

    async def refusing() -> float:
        limiter, lowest = Limiter(64), 64.0
        for _ in range(3000):
            slot = await limiter.acquire()
            if chance.random() < 0.1:
                limiter.refused(slot)
            else:
                limiter.came_through(slot)
            limiter.release(slot)
            limiter.in_flight = 63  # as if the others were under way
            lowest = min(lowest, limiter.limit)
            limiter.in_flight = 0
        return lowest

    assert asyncio.run(refusing()) > 30


def test_refusals_after_many_good_calls_still_cut_the_limit() -> None:
    async def turned() -> float:
        limiter = Limiter(8)
        for number in range(5000):
            slot = await limiter.acquire()
            limiter.came_through(slot) if number < 4900 else limiter.refused(slot)
            limiter.release(slot)
        return limiter.limit

    assert asyncio.run(turned()) < 2.0


def test_one_call_at_a_time_probes_a_server_that_answers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vehbench_runners.openai.limiter.FIRST_PROBE_S", 0.001)
    monkeypatch.setattr("vehbench_runners.openai.limiter.LONGEST_PROBE_S", 0.01)
    running = most = probes = 0

    async def call(limiter: Limiter) -> None:
        nonlocal running, most, probes
        while True:
            slot = await limiter.acquire()
            probes += slot.probing
            running += slot.probing
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= slot.probing
            limiter.release(slot)
            if probes >= 6:
                limiter.came_through(slot)
                return
            limiter.failed(slot)

    async def outage() -> Limiter:
        limiter = Limiter(16)
        await asyncio.gather(*(call(limiter) for _ in range(16)))
        return limiter

    limiter = asyncio.run(outage())
    assert most == 1
    assert 6 <= probes <= 8
    assert (limiter.probing, limiter.in_flight, limiter.limit) == (False, 0, 16.0)


def test_a_stuck_call_holds_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vehbench_runners.openai.limiter.SHORTEST_STALL_S", 0.02)

    async def stuck() -> tuple[int, int, int]:
        limiter = Limiter(1)
        for _ in range(5):
            quick = await limiter.acquire()
            limiter.came_through(quick)
            limiter.release(quick)
        slow = await limiter.acquire()
        waiting = asyncio.create_task(limiter.acquire())
        limiter.free_stuck()
        assert limiter.stuck == 0
        await asyncio.sleep(0.05)
        limiter.free_stuck()
        second = await asyncio.wait_for(waiting, 5)
        counts = limiter.stuck, limiter.in_flight
        limiter.release(slow)
        limiter.release(second)
        return (*counts, limiter.in_flight)

    assert asyncio.run(stuck()) == (1, 1, 0)
