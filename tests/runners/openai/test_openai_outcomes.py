"""Whatever a server does, each task ends in the right outcome class, and no finished call is lost or made again."""

import json
import os
import runpy
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fake_server import Answer, FakeServer, completion, failure
from openai_runs import FINE, GOOD, PROTOCOL, outcomes, run, tasks_of
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.prompts import opening
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import read_turns
from vehbench_hf.types import Outcome, Task
from vehbench_runners import BackendOptions, Budget, make_backend


def at_first(bad: Any, then: Any = FINE) -> Callable[[int], Any]:
    return lambda asked: bad if asked == 0 else then


def always(answer: Any) -> Callable[[int], Any]:
    return lambda asked: answer


EMPTY = Answer(b'{"id": "x", "choices": [], "usage": {"prompt_tokens": 5}}')
OVERFLOW = failure(400, "This model's maximum context length is 4096 tokens.", code="context_length_exceeded")
IN_BODY = Answer(json.dumps({"error": {"code": 503, "message": "no provider has room"}}).encode())
THINKING = completion(f"<think>a {{}} b</think>so<think>{GOOD.replace('propose', 'replan')}</think>{GOOD}")
HUGE = completion(GOOD + "x" * 10_000_000)
SLOW = Answer(FINE.body, pieces=4, pause_s=0.1)

# name: (what the server does with a task's n-th request, outcome class, requests, turns in the log)
BEHAVIOURS: dict[str, tuple[Callable[[int], Any], Outcome, int, int]] = {
    "fine": (always(FINE), "ok", 1, 1),
    "429 with seconds": (at_first(failure(429, "slow down", {"retry-after": "1"})), "ok", 2, 1),
    "429 bare": (at_first(failure(429, "slow down")), "ok", 2, 1),
    "500": (at_first(failure(500, "boom")), "ok", 2, 1),
    "500 for ever": (always(failure(500, "boom")), "infra_error", 3, 1),
    "hang": (at_first(Answer(hang=True)), "ok", 2, 1),
    "reset in mid-body": (at_first(Answer(FINE.body, reset_after=30)), "ok", 2, 1),
    "reset for ever": (always(Answer(FINE.body, reset_after=30)), "infra_error", 3, 1),
    "error in a 200": (at_first(IN_BODY), "ok", 2, 1),
    "empty choices": (always(EMPTY), "infra_error", 3, 1),
    "wrong JSON": (always(Answer(FINE.body[:-10])), "infra_error", 3, 1),
    "no HTTP": (at_first(Answer(raw=b"HTTP/9.9 banana\r\nno header\r\n\r\n")), "ok", 2, 1),
    "no gzip": (at_first(Answer(FINE.body, headers={"content-encoding": "gzip"})), "ok", 2, 1),
    "a web page": (at_first(Answer(b"<html>bad gateway</html>", 502)), "ok", 2, 1),
    "cut by length": (always(completion("{", finish_reason="length")), "truncated", 3, 3),
    "cut while thinking": (always(completion("<think>well", finish_reason="length")), "truncated", 3, 3),
    "cut once": (at_first(completion("{", finish_reason="length")), "ok", 2, 2),
    "content filter": (always(completion("", finish_reason="content_filter")), "refused", 1, 1),
    "filtered prompt": (always(failure(400, "blocked", code="content_filter")), "refused", 1, 1),
    "refusal": (always(completion(None, refusal="I will not")), "refused", 1, 1),
    "context overflow": (always(OVERFLOW), "infra_error", 2, 1),
    "limit does not fit": (at_first(OVERFLOW), "ok", 2, 1),
    "10 MB": (always(HUGE), "truncated", 3, 3),
    "two think tags": (always(THINKING), "ok", 1, 1),
    "slow": (always(SLOW), "ok", 1, 1),
    "prose": (always(completion("I would rather not say.")), "format_error", 3, 3),
    "null": (always(completion(None)), "infra_error", 3, 1),
}


@pytest.mark.slow
def test_each_misbehaviour_ends_in_its_class_and_nothing_is_lost(tmp_path: Path) -> None:
    by_brief: dict[str, Task] = {}
    for task in tasks_of(open_bank("v2"), "p1"):
        by_brief.setdefault(opening("p1", task.spec, PROTOCOL)[-1]["content"], task)
    chosen = dict(zip(BEHAVIOURS, by_brief.items(), strict=False))
    asked: Counter[str] = Counter()

    def script(body: dict[str, Any], number: int) -> Any:
        text = body["messages"][-1]["content"]
        name = next(name for name, (brief, _) in chosen.items() if text.startswith(brief))
        asked[name] += 1
        return BEHAVIOURS[name][0](asked[name] - 1)

    tasks = [task for _, task in chosen.values()]
    names = {task.task_id: name for name, (_, task) in chosen.items()}
    budget = Budget()
    with FakeServer(script) as server:
        result, turns = run(tmp_path, server.url, tasks, concurrency=8, timeout_s=3.0, budget=budget)
    assert result.stopped is None
    expected = {names[task.task_id]: BEHAVIOURS[names[task.task_id]][1] for task in tasks}
    assert {names[task_id]: outcome for (task_id, _), outcome in result.outcomes.items()} == expected
    assert {names[task_id]: outcome for task_id, outcome in outcomes(tasks, turns).items()} == expected
    for name, (_, outcome, requests, _) in BEHAVIOURS.items():
        # tries that failed before another call came through do not count
        assert requests <= asked[name] <= requests + 2 * (outcome == "infra_error"), name
    assert Counter(names[turn.task_id] for turn in turns) == {name: lines for name, (*_, lines) in BEHAVIOURS.items()}
    assert 1 < server.most_at_once <= 8

    answered = [turn for turn in turns if turn.reply.usage.input is not None]
    assert len(answered) == len(turns) - sum(outcome == "infra_error" for outcome in expected.values()) - 1
    assert (budget.input, budget.cached, budget.output, budget.reasoning) == tuple(
        n * len(answered) for n in (100, 64, 20, 7)
    )
    huge = next(turn.reply for turn in turns if names[turn.task_id] == "10 MB")
    assert huge.text is not None
    assert len(huge.text) == 4_000_000
    assert huge.finish_reason == "length"
    overflow = next(turn.reply for turn in turns if names[turn.task_id] == "context overflow")
    assert (overflow.error or "").startswith("context overflow")


def test_what_a_reply_says_about_itself_is_kept(small_bank: Bank, tmp_path: Path) -> None:
    with FakeServer(lambda body, number: completion(GOOD, reasoning_content="hm")) as server:
        _, [turn] = run(tmp_path, server.url, tasks_of(small_bank, "p1")[:1])
    reply = turn.reply
    assert (reply.text, reply.reasoning, reply.finish_reason) == (GOOD, "hm", "stop")
    assert (reply.served_model, reply.system_fingerprint, reply.request_id) == ("served-model", "fp_1", "req-1")
    assert reply.latency_s is not None
    assert 0 < reply.latency_s < 60


KILLED = """
import sys
from pathlib import Path
from vehbench_hf.bank.bank import open_bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter
from vehbench_runners import BackendOptions, Plan, make_backend, run_tasks
tasks = [task for task in open_bank(sys.argv[3]).tasks if task.probe == "p2"]
backend = make_backend("openai/m", options=BackendOptions(base_url=sys.argv[2], concurrency=3))
with TurnWriter(Path(sys.argv[1])) as writer:
    run_tasks(Plan(tasks, 1, Protocol()), backend, writer, [])
"""


@pytest.mark.slow
def test_a_killed_run_pays_for_no_finished_turn_again(small_bank: Bank, tmp_path: Path) -> None:
    tasks = tasks_of(small_bank, "p2")
    reply = Answer(completion('{"action": "replan", "reason": "x"}').body, delay_s=0.02)

    def script(body: dict[str, Any], number: int) -> Any:
        if number == 17 and not again:
            os.kill(child.pid, signal.SIGKILL)
        return reply

    again: list[bool] = []
    with FakeServer(script) as server:
        child = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path, server.url, small_bank.path])
        assert child.wait() == -signal.SIGKILL
        before = read_turns(tmp_path).turns
        in_vain = len(server.requests) - len(before)
        assert 1 <= in_vain <= 3  # at most one call for each connection was under way
        again.append(True)
        budget = Budget()
        result, turns = run(tmp_path, server.url, tasks, concurrency=3, budget=budget)
    assert Counter(result.outcomes.values()) == {"ok": 5}
    assert len(server.requests) == 5 * 6 + in_vain
    places = Counter((turn.task_id, turn.index, turn.attempt) for turn in turns)
    assert places == {(task.task_id, index, 0): 1 for task in tasks for index in range(6)}
    assert turns[: len(before)] == before
    assert (budget.calls, budget.input, budget.output) == (30, 3000, 600)


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
@pytest.mark.parametrize(("replay", "shown"), [("none", 0), ("last", 1), ("all", 5)])
def test_reasoning_goes_back_under_the_name_it_came_by(
    small_bank: Bank, tmp_path: Path, name: str, replay: Any, shown: int
) -> None:
    reply = completion('{"action": "replan", "reason": "x"}', **{name: "deep thought"})
    with FakeServer(lambda body, number: reply) as server:
        run(tmp_path, server.url, tasks_of(small_bank, "p2")[:1], protocol=Protocol(replay_reasoning=replay))
    last = server.requests[-1]["messages"]
    assert sum(message["role"] == "assistant" for message in last) == 5
    assert [message[name] for message in last if name in message] == ["deep thought"] * shown
    assert not any(key not in ("role", "content", name) for message in last for key in message)


@pytest.mark.slow
def test_the_script_runs_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    main = runpy.run_path(str(Path(__file__).parents[3] / "runners" / "run_api.py"))["main"]
    main.__globals__["TASKS_A_PROBE"] = 1
    reply = completion('{"action": "declare_infeasible", "ranking": ["A", "B", "C", "D", "E"]}')
    with FakeServer(lambda body, number: reply) as server:
        main("openai/m", server.url)
        first = len(server.requests)
        main("openai/m", server.url)
        assert len(server.requests) == first == 4
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["p1", "p2", "p3", "p4", "log:"] * 2


@pytest.mark.parametrize("secret", ["sk-very-secret", "passw0rd"])
def test_no_secret_reaches_the_log(
    small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with FakeServer(lambda body, number: failure(500, f"cannot read {secret}")) as server:
        url = server.url.replace("127.0.0.1", "me:passw0rd@127.0.0.1") + "?token=passw0rd"
        result, turns = run(tmp_path, url, tasks_of(small_bank, "p1")[:1], max_retries=0)
    assert [turn.reply.error for turn in turns] == ["HTTP 500: cannot read *** (asked 1 times)"]
    assert server.paths == ["/v1/chat/completions?token=passw0rd"]
    assert server.headers[0]["authorization"].startswith("Basic ")
    assert secret not in "".join(file.read_text() for file in tmp_path.glob("*"))
    backend = make_backend("openai/m", options=BackendOptions(base_url=url))
    assert "passw0rd" not in json.dumps(backend.description())
    assert result.outcomes == {(turns[0].task_id, 0): "infra_error"}
