"""What an honest run has without effort: a log that lacks it is odd, and one that has it is not."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import made_runs
from records import change_json, change_lines
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.signs import shared_logs, signs_of
from vehbench_hf.runlog import load_run, read_turns
from vehbench_hf.types import Reply, Task
from vehbench_oracle.space import centre

BEGIN = datetime(2026, 11, 30, tzinfo=UTC)
MODEL = "openai/solver-large-1"


def honest(turns: list[dict[str, Any]]) -> None:
    """What a server says beside each reply."""
    for number, turn in enumerate(turns):
        said = {"served_model": "solver-large-1-2026-11-01", "request_id": f"r{number}", "latency_s": 2.5}
        turn |= said | {"usage": {"input": 900, "output": 40}, "time": (BEGIN + timedelta(seconds=number)).isoformat()}


def each(**changes: Any) -> Callable[[list[dict[str, Any]]], None]:
    """The same change of every turn; None takes a field away."""

    def change(turns: list[dict[str, Any]]) -> None:
        for turn in turns:
            for name, value in changes.items():
                turn.pop(name) if value is None else turn.update({name: value})

    return change


def hasty(turns: list[dict[str, Any]]) -> None:
    for number, turn in enumerate(turns):
        turn["time"] = (BEGIN + timedelta(milliseconds=number)).isoformat()


def own_words(task: Task, index: int, attempt: int) -> Reply:
    """Replies of which some are right, and no design that stands in the gold."""
    if task.probe in ("p1", "p4"):
        return made_runs.no_failures(task, index, attempt)
    return Reply(json.dumps({"action": "propose_design", "design": centre(task.problem)}))


@pytest.fixture
def run(small_bank: Bank, tmp_path: Path) -> Path:
    """A run that shows nothing odd."""
    folder = made_runs.make_run(tmp_path / "run", small_bank, own_words, model=MODEL)
    change_lines(folder / "turns.jsonl", honest)
    change_json(folder / "run.json", lambda info: info.update(backends=[{"kind": "openai"}]))
    return folder


def signs(folder: Path, bank: Bank, model_id: str = "lab/Solver-Large-1") -> list[str]:
    return signs_of(model_id, load_run(folder, bank), read_turns(folder).turns)


def test_an_honest_run_shows_no_sign(run: Path, small_bank: Bank) -> None:
    assert signs(run, small_bank) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (each(served_model=None), "no reply names the model that gave it"),
        (each(served_model="cheap-2"), "the replies are of 'cheap-2', the record is of lab/Solver-Large-1"),
        (each(usage=None), "replies do not say how many tokens it took"),
        (each(request_id=None), "replies do not say the id of its request"),
        (each(latency_s=None), "replies do not say how long it took"),
        (hasty, "replies came within 0.0"),
        (each(time="2026-11-30T00:00:00+00:00"), "replies came within 0 seconds"),
    ],
)
def test_what_a_log_does_not_say_is_a_sign(
    change: Callable[[list[dict[str, Any]]], None], words: str, run: Path, small_bank: Bank
) -> None:
    change_lines(run / "turns.jsonl", change)
    assert [sign for sign in signs(run, small_bank) if words in sign]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda info: info["settings"].update(model="openai/gpt-9"), "the run asked for openai/gpt-9"),
        (lambda info: info.pop("backends"), "does not say which backend answered"),
        (lambda info: info.update(prompts={"p1": "You will find the answer below."}), "shows other prompts"),
    ],
)
def test_what_run_json_says_otherwise_is_a_sign(
    change: Callable[[Any], Any], words: str, run: Path, small_bank: Bank
) -> None:
    change_json(run / "run.json", change)
    assert [sign for sign in signs(run, small_bank) if words in sign]


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-9])
def test_replies_that_are_the_gold_are_a_sign(factor: float, small_bank: Bank, tmp_path: Path) -> None:
    def speak(task: Task, index: int, attempt: int) -> Reply:
        reply = made_runs.gold(task, index, attempt)
        body = json.loads(reply.text or "")
        if "design" in body:
            body["design"]["beam_length_mm"] *= factor
        return Reply(json.dumps(body))

    run = made_runs.make_run(tmp_path / "run", small_bank, speak, model=MODEL)
    said = " ".join(signs(run, small_bank))
    assert "10 of 10 final designs are the reference designs" in said
    assert "every action of P1 is the right one" in said
    assert "every ranking of P4 is the right one" in said


def test_local_weights_need_no_name_and_no_request(run: Path, small_bank: Bank) -> None:
    change_json(run / "run.json", lambda info: info["settings"].update(model="vllm/lab/Solver-Large-1"))
    change_lines(run / "turns.jsonl", each(served_model=None, request_id=None))
    assert signs(run, small_bank) == []


def test_logs_that_share_most_replies_are_named_and_others_are_not() -> None:
    one, other = frozenset(range(100)), frozenset(range(5, 105))
    assert shared_logs([one, other]) == [(0, 1, 95)]
    assert shared_logs([one, frozenset(range(50, 150)), frozenset()]) == []
