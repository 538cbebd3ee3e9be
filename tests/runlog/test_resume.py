"""Killing a run at any moment and giving the command again must equal a run that was never killed."""

import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns, replay_episode
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Record, Task, Turn
from vehbench_runners import Plan, make_backend, run_tasks

PROTOCOL = Protocol()


class KilledWriter(TurnWriter):
    """Writes `whole` turns, then `share` of the next line, then dies by SIGKILL."""

    def __init__(self, folder: Path, whole: int, share: float) -> None:
        super().__init__(folder)
        self.left, self.share = whole, share

    def append(self, turn: Turn) -> None:
        if self.left == 0:
            from vehbench_hf.runlog.lines import turn_to_line

            line = (turn_to_line(turn) + "\n").encode()
            os.write(self._descriptor, line[: int(len(line) * self.share)])
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1
        super().append(turn)


def run_all(folder: Path, tasks: list[Task], writer: TurnWriter | None = None) -> int:
    with writer or TurnWriter(folder) as open_writer:
        logged = read_turns(folder)
        assert logged.problems == []
        result = run_tasks(
            Plan(tasks, 1, PROTOCOL),
            make_backend("baseline/random", sampling=Sampling(seed=3)),
            open_writer,
            logged.turns,
        )
    return result.calls


def records(folder: Path, tasks: list[Task]) -> list[Record]:
    turns = read_turns(folder).turns
    return [
        replay_episode(task, PROTOCOL, [t for t in turns if t.task_id == task.task_id]).episode.record()
        for task in tasks
    ]


def keys(folder: Path) -> Counter[tuple[str, int, int]]:
    return Counter((t.task_id, t.index, t.attempt) for t in read_turns(folder).turns)


def killed(folder: Path, tasks: list[Task], whole: int, share: float) -> None:
    child = os.fork()
    if child == 0:
        try:
            run_all(folder, tasks, KilledWriter(folder, whole, share))
        finally:
            os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.fixture
def whole_run(small_bank: Bank, tmp_path: Path) -> Path:
    folder = tmp_path / "whole"
    folder.mkdir()
    run_all(folder, list(small_bank.tasks))
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99, 1.0])
def test_a_kill_at_any_turn_loses_and_repeats_nothing(
    share: float, small_bank: Bank, whole_run: Path, tmp_path: Path
) -> None:
    tasks = list(small_bank.tasks)
    expected, expected_keys = records(whole_run, tasks), keys(whole_run)
    total = sum(expected_keys.values())
    assert total > 40
    for whole in range(0, total, 3):
        folder = tmp_path / f"{whole}"
        folder.mkdir()
        killed(folder, tasks, whole, share)
        calls = run_all(folder, tasks)
        assert calls == total - whole - (share == 1.0)
        assert keys(folder) == expected_keys
        assert records(folder, tasks) == expected


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_several_kills_in_a_row(small_bank: Bank, whole_run: Path, tmp_path: Path) -> None:
    tasks = list(small_bank.tasks)
    folder = tmp_path / "often"
    folder.mkdir()
    for _ in range(6):
        killed(folder, tasks, 5, 0.3)
    run_all(folder, tasks)
    assert keys(folder) == keys(whole_run)
    assert records(folder, tasks) == records(whole_run, tasks)


def test_a_finished_run_makes_no_call(small_bank: Bank, whole_run: Path) -> None:
    before = (whole_run / "turns.jsonl").read_bytes()
    assert run_all(whole_run, list(small_bank.tasks)) == 0
    assert (whole_run / "turns.jsonl").read_bytes() == before


def test_turns_of_no_call_are_named_and_never_shadow_the_right_one(small_bank: Bank, whole_run: Path) -> None:
    from dataclasses import replace

    from vehbench_hf.runlog import RunSettings, load_run, write_run_json
    from vehbench_hf.types import PROBES, SPLITS

    settings = RunSettings(
        "m", small_bank.version, small_bank.fingerprint, PROBES, SPLITS, None, 1, PROTOCOL, Sampling(seed=3)
    )
    write_run_json(whole_run, {"settings": settings.flat(), "bank": "b"})
    before = load_run(whole_run, small_bank)
    assert before.problems == []
    first = read_turns(whole_run).turns[0]
    with TurnWriter(whole_run) as writer:
        writer.append(replace(first, request_hash="0" * 64))
        writer.append(replace(first, task_id="of another bank"))
    after = load_run(whole_run, small_bank)
    assert after.records == before.records
    assert len(after.problems) == 1
    assert after.problems[0].startswith("2 turns")
