"""A busy or absent server is waited for by time, all calls together; a call that fails alone is given up by tries."""

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fake_server import Answer, FakeServer, completion, failure
from vehbench_hf.bank.bank import Bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_runners import BackendOptions, Plan, RunResult, make_backend, run_tasks

FINE = completion('{"action": "propose_design"}')


def run(folder: Path, url: str, bank: Bank, count: int, **options: Any) -> RunResult:
    backend = make_backend("openai/m", options=BackendOptions(base_url=url, **options))
    with TurnWriter(folder) as writer:
        return run_tasks(Plan(bank.select(["p1"])[:count], 1, Protocol()), backend, writer, read_turns(folder).turns)


@pytest.mark.parametrize(
    "away",
    [
        failure(502, "bad gateway"),
        failure(500, "internal"),
        failure(503, "Loading model"),
        failure(429, "slow down"),
        Answer(FINE.body, reset_after=20),
    ],
    ids=["502", "500", "loading", "busy", "reset"],
)
def test_an_outage_costs_no_task_and_is_probed_by_one_call(away: Answer, bank_v2: Bank, tmp_path: Path) -> None:
    ends = [0.0]
    during = [0]

    def script(body: dict[str, Any], number: int) -> Answer:
        if number == 20:
            ends[0] = time.monotonic() + 3
        if time.monotonic() < ends[0]:
            during[0] += 1
            return away
        return FINE

    with FakeServer(script) as server:
        result = run(tmp_path, server.url, bank_v2, 60, concurrency=16, max_retries=2)
    assert result.stopped is None
    assert Counter(result.outcomes.values()) == {"ok": 60}
    assert 5 <= during[0] < 30


def test_without_any_success_a_run_stops_when_its_patience_ends(bank_v2: Bank, tmp_path: Path) -> None:
    begun = time.monotonic()
    with FakeServer(lambda body, number: failure(503, "Loading model")) as server:
        result = run(tmp_path, server.url, bank_v2, 40, concurrency=8, patience_s=2.0)
    assert "nothing has come through for 2 s (--patience), lastly: HTTP 503: Loading model" in str(result.stopped)
    assert 2.0 <= time.monotonic() - begun < 20.0
    assert result.outcomes == {}


def test_a_call_that_fails_while_others_come_through_is_given_up_by_tries(bank_v2: Bank, tmp_path: Path) -> None:
    tasks = bank_v2.select(["p1"])[:60]
    bad: list[str] = []

    def script(body: dict[str, Any], number: int) -> Answer:
        text = body["messages"][-1]["content"]
        if number == 3:
            bad.append(text)
        return failure(500, "cannot parse") if text in bad else Answer(FINE.body, delay_s=0.2)

    with FakeServer(script) as server:
        result = run(tmp_path, server.url, bank_v2, 60, concurrency=4, max_retries=2)
    assert result.stopped is None
    assert len(result.outcomes) == len(tasks)
    asked = Counter(request["messages"][-1]["content"] for request in server.requests)
    lost = Counter(result.outcomes.values())["infra_error"]
    assert lost >= 1  # several tasks may have the same first brief
    assert 3 * lost <= asked[bad[0]] <= 5 * lost  # tries before another call came through do not count


@pytest.mark.parametrize("status", [408, 504, 524])
def test_a_gateway_that_gave_up_after_a_long_wait_is_asked_twice(status: int, small_bank: Bank, tmp_path: Path) -> None:
    with FakeServer(lambda body, number: Answer(b"<html>timeout</html>", status, delay_s=1.6)) as server:
        result = run(tmp_path, server.url, small_bank, 1)
    assert Counter(result.outcomes.values()) == {"infra_error": 1}
    assert len(server.requests) == 2


def test_a_quota_that_says_when_it_is_full_again_is_waited_for(small_bank: Bank, tmp_path: Path) -> None:
    times: list[float] = []

    def script(body: dict[str, Any], number: int) -> Answer:
        times.append(time.monotonic())
        return failure(429, "no", {"x-ratelimit-reset-requests": "1s500ms"}) if number == 0 else FINE

    with FakeServer(script) as server:
        result = run(tmp_path, server.url, small_bank, 5, concurrency=1)
    assert Counter(result.outcomes.values()) == {"ok": 5}
    assert times[1] - times[0] >= 1.5
