"""A run stops where no further request can succeed, waits where a server asks it to, and follows what it serves."""

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_server import Answer, FakeServer, completion, failure
from openai_runs import FINE, run, tasks_of
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.sampling import Sampling
from vehbench_runners import RunStopped


def refused(message: str, status: int = 400, **more: Any) -> Callable[[dict[str, Any], int], Any]:
    return lambda body, number: failure(status, message, **more)


TOO_NEW = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (
            refused("Unsupported value: 'temperature' does not support 0 with this model.", param="temperature"),
            "--temp",
        ),
        (refused("temperature: Extra inputs are not permitted", 422), "--temperature"),
        (refused(TOO_NEW, param="max_tokens"), "--request-field max_completion_tokens=NUMBER"),
        (
            refused("max_tokens is too large: 32768. This model supports at most 16384 completion tokens."),
            "--max-tokens",
        ),
        (refused("Incorrect API key provided: sk-very-secret.", 401), "MY_KEY"),
        (refused("The model `m` does not exist", 404), "the server has other-model"),
        (refused("Country not supported", 403), "Country not supported"),
        (refused("You exceeded your current quota", 429, code="insufficient_quota"), "quota"),
        (refused("Rate limit", 429, headers={"retry-after": "7200"}), "wait 7200 s"),
        (refused("roles must alternate"), "roles must alternate"),
    ],
)
def test_a_request_that_can_never_succeed_stops_the_run_at_once(
    small_bank: Bank,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: Callable[[dict[str, Any], int], Any],
    says: str,
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    models = Answer(b'{"data": [{"id": "other-model"}]}')
    with FakeServer(script, models=models) as server:
        tasks = list(small_bank.tasks)
        options = {"concurrency": 2, "key_variable": "MY_KEY"}
        result, turns = run(tmp_path, server.url, tasks, sampling=Sampling(temperature=0.0), **options)
    assert result.stopped is not None
    assert says in str(result.stopped)
    assert "very-secret" not in str(result.stopped)
    assert len(server.requests) <= 4
    assert len(turns) <= 2
    assert server.headers[0]["authorization"] == "Bearer sk-very-secret"


def test_a_parameter_refused_after_good_replies_leaves_one_task_unscored(small_bank: Bank, tmp_path: Path) -> None:
    bad = failure(400, "Invalid 'seed'", param="seed")
    tasks = tasks_of(small_bank, "p1")
    with FakeServer(lambda body, number: bad if number == 2 else FINE) as server:
        result, _ = run(tmp_path, server.url, tasks, sampling=Sampling(seed=1), concurrency=1)
    assert result.stopped is None
    assert Counter(result.outcomes.values()) == {"ok": 4, "infra_error": 1}


def test_a_missing_server_is_reported_at_once(small_bank: Bank, tmp_path: Path) -> None:
    with FakeServer(lambda body, number: FINE) as server:
        url = server.url
    begun = time.monotonic()
    with pytest.raises(RunStopped, match=r"cannot connect to http://127\.0\.0\.1:\d+/v1.*server running"):
        run(tmp_path, url, list(small_bank.tasks))
    assert time.monotonic() - begun < 10


def test_a_server_that_dies_stops_the_run_and_another_one_finishes_it(small_bank: Bank, tmp_path: Path) -> None:
    tasks = list(small_bank.tasks)
    reply = completion('{"action": "declare_infeasible", "ranking": ["A", "B", "C", "D", "E"]}')

    def script(body: dict[str, Any], number: int) -> Any:
        if number == 4:
            first.die()
        return reply

    first = FakeServer(script)
    with first:
        begun = time.monotonic()
        result, turns = run(tmp_path, first.url, tasks, concurrency=2, patience_s=1.0)
    assert time.monotonic() - begun < 20
    assert result.stopped is not None
    assert "cannot connect" in str(result.stopped)
    done = [turn for turn in turns if turn.reply.error is None]
    assert 3 <= len(done) <= 4
    with FakeServer(lambda body, number: reply) as second:
        result, turns = run(tmp_path, second.url, tasks, concurrency=2)
    assert result.stopped is None
    assert "infra_error" not in result.outcomes.values()
    again = Counter((turn.task_id, turn.index, turn.attempt) for turn in turns if turn.reply.error is None)
    assert set(again.values()) == {1}
    assert len(done) + len(second.requests) == len(again)


@pytest.mark.slow
def test_few_calls_are_refused_once_the_limit_of_a_server_is_known(tmp_path: Path) -> None:
    tasks = tasks_of(open_bank("v2"), "p1")[:160]
    refusals = 0

    def script(body: dict[str, Any], number: int) -> Any:
        nonlocal refusals
        if server.at_once > 6:
            refusals += 1
            return failure(429, "too many at once")
        return Answer(FINE.body, delay_s=0.2)

    server = FakeServer(script)
    with server:
        result, turns = run(tmp_path, server.url, tasks, concurrency=48, max_retries=6)
    assert Counter(result.outcomes.values()) == {"ok": 160}
    assert len(turns) == 160
    assert 1 <= refusals < 100  # waits alone, without a lower limit, leave about 150


def test_every_call_waits_as_long_as_the_server_asks(small_bank: Bank, tmp_path: Path) -> None:
    times: list[float] = []

    def script(body: dict[str, Any], number: int) -> Any:
        times.append(time.monotonic())
        return failure(429, "wait", {"retry-after": "1"}) if number == 0 else Answer(FINE.body, delay_s=0.3)

    with FakeServer(script) as server:
        result, _ = run(tmp_path, server.url, tasks_of(small_bank, "p1"), concurrency=2)
    assert Counter(result.outcomes.values()) == {"ok": 5}
    assert len(times) == 6
    assert min(times[2:]) - times[0] >= 1.0


def test_a_server_says_what_it_serves_and_requests_follow_it(small_bank: Bank, tmp_path: Path) -> None:
    entry = {"id": "m", "owned_by": "vllm", "max_model_len": 16384}
    models = Answer(json.dumps({"data": [{"id": "other"}, entry]}).encode())
    sampling = Sampling(seed=3, structured=True, reasoning_tokens=500, extra={"top_k": 5})
    with FakeServer(lambda body, number: FINE, models=models) as server:
        run(tmp_path, server.url, tasks_of(small_bank, "p1")[:1], sampling=sampling, epochs=2, concurrency=1)
    one, two = server.requests
    assert (one["seed"], two["seed"]) == (3, 4)
    assert (one["top_k"], one["thinking_token_budget"]) == (5, 500)
    assert "max_tokens" not in one  # 32768 do not fit, and this engine then allows what is left
    assert one["response_format"]["json_schema"]["schema"]["required"] == ["action", "reason", "missing_fields"]
