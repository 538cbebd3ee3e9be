"""Episodes run through Inspect's providers as through our own client: same outcome classes, nothing lost."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fake_server import FakeServer, completion, failure
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Probe, Turn
from vehbench_runners import BackendOptions, Plan, RunResult, make_backend, run_tasks

PROTOCOL = Protocol()
GOOD = '{"action": "propose_design"}'


def run(
    bank: Bank, folder: Path, script: Any, probe: Probe = "p1", protocol: Protocol = PROTOCOL, **sampling: Any
) -> tuple[RunResult, list[Turn], list[dict[str, Any]]]:
    pytest.importorskip("inspect_ai", reason="needs the extra inspect")
    tasks = [task for task in bank.tasks if task.probe == probe]
    with FakeServer(script) as server, TurnWriter(folder) as writer:
        options = BackendOptions(base_url=server.url, max_retries=1, concurrency=1, key_variable="LOCAL_KEY")
        backend = make_backend("inspect/openai-api/local/m", sampling=Sampling(**sampling), options=options)
        result = run_tasks(Plan(tasks, 1, protocol), backend, writer, [])
    return result, read_turns(folder).turns, server.requests


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_KEY", "sk-very-secret")


def test_replies_keep_what_the_provider_said(small_bank: Bank, tmp_path: Path) -> None:
    answers = [
        completion(GOOD, reasoning_content="hm"),
        completion("cut", finish_reason="length"),
        completion("", finish_reason="content_filter"),
    ]
    result, turns, requests = run(
        small_bank,
        tmp_path,
        lambda body, number: answers[min(number, 5) // 2 if number else 0],
        seed=4,
        temperature=0.5,
    )
    assert result.stopped is None
    first = turns[0].reply
    assert (first.text, first.reasoning, first.finish_reason) == (GOOD, "hm", "stop")
    assert (first.usage.input, first.usage.cached, first.usage.output, first.usage.reasoning) == (100, 64, 20, 7)
    assert {"length", "content_filter"} <= {turn.reply.finish_reason for turn in turns}
    assert requests[0]["temperature"] == 0.5
    assert requests[0]["seed"] == 4
    assert len(requests) == len(turns)


def test_failures_outside_the_model_are_unscored(small_bank: Bank, tmp_path: Path) -> None:
    overflow = failure(400, "maximum context length is 100 tokens", code="context_length_exceeded")
    result, turns, _ = run(small_bank, tmp_path, lambda body, number: completion(GOOD) if number == 0 else overflow)
    assert Counter(result.outcomes.values()) == {"ok": 1, "infra_error": 4}
    assert all((turn.reply.error or "").startswith("context overflow") for turn in turns[1:])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (failure(400, "Unsupported parameter: 'temperature'", param="temperature"), "temperature"),
        (failure(401, "bad key sk-very-secret"), "HTTP 401"),
    ],
)
def test_what_holds_for_every_call_stops_the_run(small_bank: Bank, tmp_path: Path, answer: Any, says: str) -> None:
    result, turns, _ = run(small_bank, tmp_path, lambda body, number: answer, temperature=0.0)
    assert says in str(result.stopped)
    assert "very-secret" not in str(result.stopped)
    assert turns == []


def test_fields_by_hand_go_where_they_belong(small_bank: Bank, tmp_path: Path) -> None:
    _, _, requests = run(
        small_bank, tmp_path, lambda body, number: completion(GOOD), extra={"presence_penalty": 0.5, "min_p": 0.1}
    )
    assert (requests[0]["presence_penalty"], requests[0]["min_p"]) == (0.5, 0.1)


def test_reasoning_is_replayed_only_where_the_protocol_says_so(small_bank: Bank, tmp_path: Path) -> None:
    for replay, shown in (("none", False), ("all", True)):
        folder = tmp_path / replay
        folder.mkdir()
        reply = completion('{"action": "replan", "reason": "x"}', reasoning_content="deep thought")
        protocol = Protocol(replay_reasoning=replay)  # type: ignore[arg-type]
        _, _, requests = run(small_bank, folder, lambda body, number, r=reply: r, "p2", protocol)
        assert ("deep thought" in json.dumps(requests[5])) == shown


def test_structured_replies_are_asked_for_by_schema(small_bank: Bank, tmp_path: Path) -> None:
    _, _, requests = run(small_bank, tmp_path, lambda body, number: completion(GOOD), structured=True)
    schema = requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["action", "reason", "missing_fields"]


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    with pytest.raises(UserError, match=r"pip install 'vehbench-hf\[inspect\]'"):
        make_backend("inspect/anthropic/some-model")


def test_a_name_without_provider_is_refused() -> None:
    with pytest.raises(UserError, match="inspect/PROVIDER/NAME"):
        make_backend("inspect/some-model")
