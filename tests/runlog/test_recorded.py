"""Imported logs survive damage: what cannot be read is named, and no half episode is scored as a whole one."""

import json
from pathlib import Path

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.runlog.recorded import read_recorded, write_recorded_run
from vehbench_hf.types import Record, Step, Task


@pytest.fixture
def task(small_bank: Bank) -> Task:
    return next(task for task in small_bank.tasks if task.probe == "p2")


@pytest.fixture
def folder(task: Task, tmp_path: Path) -> Path:
    steps = (Step("replan"), Step("replan"), Step("declare_infeasible"))
    record = Record(task.task_id, "p2", "ok", steps, recorded=True)
    write_recorded_run(
        tmp_path,
        model="m",
        bank_version="b",
        bank_fingerprint="f",
        bank_path="..",
        records=[record],
        replies={},
        notes=[],
        reference_generation=None,
    )
    return tmp_path


def lines(folder: Path) -> list[bytes]:
    return (folder / "turns.jsonl").read_bytes().splitlines(keepends=True)


def test_what_was_written_comes_back(folder: Path, task: Task) -> None:
    records, problems = read_recorded(folder, [task])
    assert problems == []
    assert [step.action for step in records[task.task_id][0].steps] == ["replan", "replan", "declare_infeasible"]


@pytest.mark.parametrize(
    "change",
    [
        {"ranking": 5},
        {"repairs": None},
        {"outcome": "fine"},
        {"reference_power_uw": "x"},
        {"reference_power_uw": 10**400},
        {"verdict": {"feasible": "no"}},
        {"verdict": 3},
        {"design": [1]},
    ],
)
def test_a_damaged_step_takes_its_episode_out_and_is_named(change: dict[str, object], folder: Path, task: Task) -> None:
    first, second, third = lines(folder)
    body = json.loads(second)
    body["recorded"] |= change
    (folder / "turns.jsonl").write_bytes(first + json.dumps(body).encode() + b"\n" + third)
    records, problems = read_recorded(folder, [task])
    assert records == {}
    assert problems[0].startswith("turns.jsonl:2")
    assert "left out" in problems[1]


def test_a_file_written_twice_counts_once(folder: Path, task: Task) -> None:
    whole = (folder / "turns.jsonl").read_bytes()
    (folder / "turns.jsonl").write_bytes(whole + whole)
    records, problems = read_recorded(folder, [task])
    assert len(records[task.task_id][0].steps) == 3
    assert len(problems) == 3
