"""A build must not write over another bank, nor leave workers behind when it is killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vehbench_builder import build
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_hf.bank.bank import Bank


def test_a_build_does_not_write_over_another_bank(
    small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("tasks were built")

    monkeypatch.setattr(build, "build_tasks", never)
    there = Path(shutil.copytree(small_bank.path, tmp_path / "bank"))
    with pytest.raises(BuildError, match="holds another bank, veh-small-1"):
        build.build_bank(BuildSpec(7, 1, fresh=True), there)
    (tmp_path / "file").touch()
    with pytest.raises(BuildError, match="no folder"):
        build.build_bank(BuildSpec(7, 1, fresh=True), tmp_path / "file")


_PARENT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from vehbench_builder.one_thread import end_with_parent
if __name__ == "__main__":
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=end_with_parent) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills a process by signal")
def test_no_worker_outlives_a_killed_build(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    os.kill(worker, 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 20
    while _alive(worker) and time.monotonic() < until:
        time.sleep(0.1)
    assert not _alive(worker)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not (stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] == "Z")
