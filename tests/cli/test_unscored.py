"""A run tells what it does and why tasks are unscored, and lets calls in flight come back when it is interrupted."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import vehbench
from fake_server import Answer, FakeServer, completion, failure
from vehbench_cli.unscored import advice, unscored_text
from vehbench_hf.bank.bank import Bank
from vehbench_hf.runlog import read_turns

FINE = completion('{"action": "propose_design"}')


def test_reasons_are_counted_by_kind() -> None:
    reasons = [f"HTTP 500: internal {number} (asked 7 times)" for number in range(6)]
    reasons += [f"context overflow: HTTP 400: {number} tokens" for number in range(4)]
    assert unscored_text(reasons) == "infra_error 10: 6 x HTTP 500, 4 x context overflow"
    many = [f"trouble {letter}\x1b[31m: x" for letter in "abcdefgh"]
    assert unscored_text(many).endswith("3 x other")
    assert "\x1b" not in unscored_text(many)


@pytest.mark.parametrize(
    ("reasons", "helps", "again"),
    [
        (["HTTP 500: x"], "", True),
        (["the connection broke off: x"], "", True),
        (["HTTP 429: slow down"], "", True),
        (["context overflow: HTTP 400: x"], "--max-tokens", False),
        (["HTTP 400: roles must alternate"], "turns.jsonl", False),
        (["no answer within 5 s (--timeout)"], "--timeout", False),
        (["an unreadable reply that ended with 'odd'"], "server's log", False),
        (["HTTP 500: x", "context overflow: x"], "--max-tokens", True),
        ([], "", True),
    ],
)
def test_the_same_command_is_advised_only_where_it_can_help(reasons: list[str], helps: str, again: bool) -> None:
    text = " ".join(advice(reasons))
    assert helps in text
    assert ("same command again" in text) == again


def arguments(bank: Bank, url: str, out: Path, *more: object) -> list[object]:
    command = ["run", "--model", "openai/m", "--base-url", url, "--bank", bank.path, "--probes", "p1", "--out", out]
    return [*command, *more]


def test_a_run_ends_with_why_tasks_are_unscored(small_bank: Bank, tmp_path: Path) -> None:
    def script(body: dict[str, Any], number: int) -> Answer:
        if number == 1:
            return failure(400, "maximum context length is 10 tokens", code="context_length_exceeded")
        if number == 2:
            return completion("half an ans", finish_reason="gone_away")
        return FINE if number != 3 else failure(500, "internal")

    with FakeServer(script) as server:
        options = ("--concurrency", 1, "--max-retries", 0, "--request-field", "max_tokens=null")
        done = vehbench(*arguments(small_bank, server.url, tmp_path / "run", *options))
    assert done.returncode == 3
    assert "infra_error 3: " in done.stderr
    for part in ("1 x context overflow", "1 x HTTP 500", "1 x an unreadable reply that ended with 'gone_away'"):
        assert part in done.stderr
    assert "longer context" in done.stderr


def test_without_a_terminal_a_line_tells_the_state_from_time_to_time(
    small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vehbench_cli.progress.SILENCE_S", 0.2)
    slow = Answer(FINE.body, delay_s=0.5)
    with FakeServer(lambda body, number: failure(503, "Loading [/model]") if number == 0 else slow) as server:
        done = vehbench(*arguments(small_bank, server.url, tmp_path / "run", "--concurrency", 1))
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if "in flight" in line]
    assert len(lines) >= 3
    assert "last error: HTTP 503: Loading [/model]" in lines[1]
    assert "P1 0/5" in lines[0]


@pytest.fixture
def running(small_bank: Bank, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], FakeServer]]:
    """A run with two calls in flight, the first of which comes back after a second."""

    def script(body: dict[str, Any], number: int) -> Answer:
        return Answer(FINE.body, delay_s=1.0 if number == 0 else 2.0)

    with FakeServer(script) as server:
        command = arguments(small_bank, server.url, tmp_path / "run", "--concurrency", 2)
        process = subprocess.Popen(
            [sys.executable, "-c", "from vehbench_cli import main; main()", *map(str, command)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while len(server.requests) < 2 and process.poll() is None:
            time.sleep(0.02)
        yield process, server
        process.kill()


def test_the_first_interrupt_lets_calls_in_flight_come_back(
    running: tuple[subprocess.Popen[str], FakeServer], tmp_path: Path
) -> None:
    process, server = running
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "waiting for 2 calls" in errors
    assert "Traceback" not in errors
    assert len(server.requests) == 2
    assert len(read_turns(tmp_path / "run").turns) == 2


def test_the_second_interrupt_stops_at_once(running: tuple[subprocess.Popen[str], FakeServer], tmp_path: Path) -> None:
    process, _ = running
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert len(read_turns(tmp_path / "run").turns) <= 1
    assert json.loads((tmp_path / "run" / "run.json").read_text())["kind"] == "model"
