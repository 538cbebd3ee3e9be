"""A run that cannot or must not go on stops, keeps everything that was done, and goes on later where it stopped."""

import asyncio
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

from vehbench_cli.progress import used_text
from vehbench_hf.bank.bank import Bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_hf.types import Message, Reply, Task, Usage
from vehbench_hf.user_files.prices import Price
from vehbench_runners import Budget, Plan, RunResult, RunStopped, run_tasks
from vehbench_runners.backend import Position, Speaker
from vehbench_runners.budget import CALLS_AT_FIRST
from vehbench_runners.run import MAX_FAILURES_IN_A_ROW

GOOD = Reply(json.dumps({"action": "propose_design"}), usage=Usage(input=100, output=10))


class Scripted:
    """A backend that calls `answer` with the number of the call, `latency_s` after it was asked."""

    is_language_model = True

    def __init__(self, answer: Callable[[int], Reply], concurrency: int = 1, latency_s: float = 0.001) -> None:
        self.answer, self.concurrency, self.latency_s = answer, concurrency, latency_s
        self.calls = self.open = 0
        self.in_flight = self.most = 0

    async def __aenter__(self) -> Self:
        self.open += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.open -= 1

    def speaker_for(self, task: Task) -> Speaker:
        async def speak(messages: list[Message], position: Position) -> Reply:
            self.calls += 1
            number = self.calls
            self.in_flight += 1
            self.most = max(self.most, self.in_flight)
            await asyncio.sleep(self.latency_s)
            self.in_flight -= 1
            return self.answer(number)

        return speak

    def description(self) -> dict[str, Any]:
        return {}

    def request_text(self, task: Task, messages: list[Message]) -> str:
        return ""

    def trouble(self) -> str:
        return ""

    def stop(self, reason: RunStopped) -> None:
        pass

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        return None


def run(tmp_path: Path, tasks: list[Task], backend: Scripted, budget: Budget | None = None) -> RunResult:
    logged = read_turns(tmp_path).turns
    with TurnWriter(tmp_path) as writer:
        result = run_tasks(Plan(tasks, 1, Protocol()), backend, writer, logged, budget=budget)
    assert backend.open == 0
    return result


def test_a_parameter_that_the_model_refuses_stops_the_run_at_once(small_bank: Bank, tmp_path: Path) -> None:
    def refuse(number: int) -> Reply:
        raise RunStopped("the model does not take temperature; leave out --temperature")

    backend = Scripted(refuse, concurrency=3, latency_s=0.3)  # so that a busy machine begins all three
    result = run(tmp_path, small_bank.select(["p1"]), backend)
    assert "leave out --temperature" in str(result.stopped)
    assert (result.calls, result.outcomes, backend.calls) == (0, {}, 3)
    assert read_turns(tmp_path).turns == []


def test_calls_in_flight_are_kept_when_a_run_stops(small_bank: Bank, tmp_path: Path) -> None:
    def third_stops(number: int) -> Reply:
        if number == 3:
            raise RunStopped("gone")
        return GOOD

    result = run(tmp_path, small_bank.select(["p1"]), Scripted(third_stops, concurrency=3))
    assert result.stopped is not None
    assert len(read_turns(tmp_path).turns) == result.calls >= 2
    again = run(tmp_path, small_bank.select(["p1"]), Scripted(lambda number: GOOD))
    assert (again.stopped, again.resumed, again.calls) == (None, result.calls, 5 - result.calls)


def test_a_dead_server_stops_the_run(bank_v2: Bank, tmp_path: Path) -> None:
    backend = Scripted(lambda number: Reply(None, finish_reason=None, error="connection refused"))
    result = run(tmp_path, bank_v2.select(["p1"]), backend)
    assert backend.calls == MAX_FAILURES_IN_A_ROW
    assert "connection refused" in str(result.stopped)
    assert set(result.outcomes.values()) == {"infra_error"}


def test_one_success_between_failures_begins_the_count_anew(bank_v2: Bank, tmp_path: Path) -> None:
    bad = Reply(None, finish_reason=None, error="502")
    tasks = bank_v2.select(["p1"])[: 3 * MAX_FAILURES_IN_A_ROW]
    result = run(tmp_path, tasks, Scripted(lambda n: GOOD if n % MAX_FAILURES_IN_A_ROW == 0 else bad))
    assert result.stopped is None
    assert len(result.outcomes) == len(tasks)


def test_prompts_that_are_too_long_keep_no_later_task_from_being_run(bank_v2: Bank, tmp_path: Path) -> None:
    overflow = Reply(None, finish_reason=None, error="context overflow: 5000 tokens")
    tasks = bank_v2.select(["p1"])[: 3 * MAX_FAILURES_IN_A_ROW]
    backend = Scripted(lambda n: GOOD if n in (1, len(tasks)) else overflow)
    result = run(tmp_path, tasks, backend)
    assert result.stopped is None
    assert [*result.outcomes.values()][-1] == "ok"
    again = run(tmp_path, tasks, Scripted(lambda n: overflow))
    assert (again.stopped, again.calls) == (None, len(tasks) - 2)


def test_a_context_that_no_prompt_fits_stops_the_run(bank_v2: Bank, tmp_path: Path) -> None:
    overflow = Reply(None, finish_reason=None, error="context overflow: 5000 tokens")
    result = run(tmp_path, bank_v2.select(["p1"]), Scripted(lambda n: overflow))
    assert result.calls == MAX_FAILURES_IN_A_ROW
    assert "context overflow" in str(result.stopped)


@pytest.mark.parametrize("budget", [Budget(max_tokens=2500), Budget(Price(1e3, 1e3, 1e4, "USD", "2026-11-01"), 5.0)])
def test_calls_in_flight_count_towards_the_ceiling(budget: Budget, bank_v2: Bank, tmp_path: Path) -> None:
    backend = Scripted(lambda number: GOOD, concurrency=32, latency_s=0.1)  # 110 tokens or 0.2 USD each
    result = run(tmp_path, bank_v2.select(["p1"]), backend, budget)
    assert result.stopped is not None
    assert 23 <= result.calls == backend.calls <= 26
    assert budget.in_flight == 0
    assert backend.most > CALLS_AT_FIRST


@pytest.mark.parametrize("budget", [Budget(max_tokens=250), Budget(Price(1e3, 1e3, 1e4, "USD", "2026-11-01"), 0.5)])
def test_a_ceiling_counts_what_earlier_sessions_used(budget: Budget, small_bank: Bank, tmp_path: Path) -> None:
    tasks = small_bank.select(["p1"])
    first = run(tmp_path, tasks, Scripted(lambda number: GOOD), budget)
    assert first.stopped is not None
    assert first.calls == 3  # 110 tokens or 0.2 USD each: the third call goes over, the fourth is not made
    again = run(
        tmp_path, tasks, Scripted(lambda number: GOOD), Budget(budget.price, budget.max_cost, budget.max_tokens)
    )
    assert (again.calls, again.resumed) == (0, 3)
    assert again.stopped is not None
    last = Budget()
    done = run(tmp_path, tasks, Scripted(lambda number: GOOD), last)
    assert (done.stopped, done.calls) == (None, 2)
    assert (last.calls, last.input, last.output) == (5, 500, 50)


PRICE = Price(1e3, 1e3, 1e4, "USD", "2026-11-01")


@pytest.mark.parametrize("budget", [Budget(max_tokens=10**6), Budget(PRICE, 1e6)])
@pytest.mark.parametrize("usage", [Usage(), Usage(input=100), Usage(output=10), Usage(reasoning=5)])
def test_a_ceiling_that_cannot_be_kept_stops_the_run(
    budget: Budget, usage: Usage, bank_v2: Bank, tmp_path: Path
) -> None:
    budget = dataclasses.replace(budget)
    backend = Scripted(lambda number: dataclasses.replace(GOOD, usage=usage) if number == 9 else GOOD)
    tasks = bank_v2.select(["p1"])[:12]
    result = run(tmp_path, tasks, backend, budget)
    assert result.calls == 9
    assert "1 of 9 calls did not report the tokens they used" in str(result.stopped)
    assert "at least" in used_text(budget)
    again = run(tmp_path, tasks, Scripted(lambda number: GOOD), dataclasses.replace(budget, calls=0, unknown=0))
    assert again.calls == 0
    assert again.stopped is not None
    assert run(tmp_path, tasks, Scripted(lambda number: GOOD)).stopped is None


@pytest.mark.parametrize(
    "reply", [Reply(None, finish_reason="content_filter"), Reply(None, finish_reason=None, error="HTTP 500")]
)
def test_calls_that_no_model_answered_need_no_usage(reply: Reply, small_bank: Bank, tmp_path: Path) -> None:
    result = run(tmp_path, small_bank.select(["p1"]), Scripted(lambda number: reply), Budget(max_tokens=1000))
    assert result.stopped is None


def test_unknown_totals_are_no_zeros() -> None:
    budget = Budget(PRICE)
    budget.add(dataclasses.replace(GOOD, usage=Usage()))
    assert "unknown" in used_text(budget)
    assert "0" not in used_text(budget)


def test_a_full_disk_ends_all_calls(small_bank: Bank, tmp_path: Path) -> None:
    backend = Scripted(lambda number: GOOD, concurrency=2)

    class Full(TurnWriter):
        def append(self, turn: Any) -> None:
            raise OSError("No space left on device")

    with Full(tmp_path) as writer, pytest.raises(OSError, match="No space"):
        run_tasks(Plan(small_bank.select(["p1"]), 1, Protocol()), backend, writer, [])
    assert backend.calls == 2
    assert backend.open == 0


def test_replies_that_come_together_are_answered_one_by_one(bank_v2: Bank, tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []
    waiting: list[asyncio.Event] = []

    class Together(Scripted):
        """Replies to the calls in flight once all of them are; like an HTTP client, it sends in a task of its own."""

        def speaker_for(self, task: Task) -> Speaker:
            async def speak(messages: list[Message], position: Position) -> Reply:
                self.calls += 1
                number = self.calls

                async def send() -> None:
                    seen.append(("sent", number))

                seen.append(("made", number))
                await asyncio.create_task(send())
                waiting.append(arrived := asyncio.Event())
                if len(waiting) == self.concurrency:
                    for event in waiting:
                        event.set()
                    waiting.clear()
                await arrived.wait()
                return GOOD

            return speak

    run(tmp_path, bank_v2.select(["p1"])[:32], Together(lambda number: GOOD, concurrency=8))
    assert seen == [(what, number) for number in range(1, 33) for what in ("made", "sent")]
