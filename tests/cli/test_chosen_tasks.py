"""A run of chosen tasks, and the name for both test splits."""

import json
from pathlib import Path

import pytest

from command_line import vehbench
from vehbench_cli.options import read_splits
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.runlog import read_turns


def test_only_the_named_tasks_are_run_and_scored(small_bank: Bank, tmp_path: Path) -> None:
    chosen = [small_bank.select([probe])[-1].task_id for probe in ("p1", "p4")]
    command = ["run", "--bank", small_bank.path, "--out", tmp_path / "run"]
    named = [part for task_id in chosen for part in ("--task", task_id)]
    assert vehbench(*command, *named).returncode == 0
    assert {turn.task_id for turn in read_turns(tmp_path / "run").turns} == set(chosen)
    scores = json.loads((tmp_path / "run" / "scores.json").read_text())
    assert (sorted(scores["probes"]), scores["complete"]) == (["p1", "p4"], True)
    assert " 0 calls made now" in vehbench(*command, *named[2:], *named[:2]).stderr
    other = vehbench(*command, *named[:2])
    assert other.returncode == 2
    assert "task: " in other.stderr


@pytest.mark.parametrize("more", [("--task", "nowhere"), ("--limit", 3), ("--isomorphic",), ("--subset", "x")])
def test_a_task_that_is_not_there_or_another_choice_beside_it_is_refused(
    more: tuple[object, ...], small_bank: Bank, tmp_path: Path
) -> None:
    task_id = small_bank.tasks[0].task_id
    done = vehbench("run", "--bank", small_bank.path, "--out", tmp_path / "run", "--task", task_id, *more)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_test_stands_for_both_test_splits() -> None:
    assert read_splits("test") == ("test_id", "test_ood")
    assert read_splits("dev, test") == ("dev", "test_id", "test_ood")
    assert read_splits("all") == ("dev", "test_id", "test_ood", "train")
    with pytest.raises(UserError, match="--split"):
        read_splits("tests")
