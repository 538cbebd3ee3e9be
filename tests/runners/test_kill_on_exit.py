"""Processes of a run that is killed end with it, those that ended by themselves are passed over."""

import os
import subprocess
import sys

import pytest

from vehbench_runners.local.kill_on_exit import processes_below


def test_a_process_that_has_ended_is_left_out_of_the_list() -> None:
    pytest.importorskip("psutil", reason="needs psutil, which comes with vLLM")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is a zombie until it is waited for
    child = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'input()']).wait()"
    alive = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE)
    try:
        while len(processes_below()) < 2:
            assert alive.poll() is None
        found = processes_below()
        assert alive.pid in found
        assert ended.pid not in found
    finally:
        alive.communicate()
        ended.wait()
