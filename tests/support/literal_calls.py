"""The literal calls of `datasets` and `evaluate` in a new process that reaches no Hub, and what they should give."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.bank.schema import task_to_row


def run(code: str, *arguments: str, cwd: Path, home: Path) -> str:
    """The last line that `code` prints, with `home` as the libraries' cache."""
    environment = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()[-1]


def rows_of(bank: Bank) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The rows of a bank by probe and split."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for task in bank.tasks:
        found.setdefault(task.probe, {}).setdefault(task.split, []).append(task_to_row(task))
    return found


def part_of(bank: Bank, out: Path) -> Bank:
    """Another version of the data: the last task of every config and split."""
    last = {(task.probe, task.split): task for task in bank.tasks}
    write_bank(out, last.values(), version="veh-part-1", convention="defined", card="\n# A part\n")
    return open_bank(out)
