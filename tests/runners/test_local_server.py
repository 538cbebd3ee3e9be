"""A server that was started is stopped with its children, however the run ends, and says why it did not start."""

import asyncio
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from vehbench_runners.backend import RunStopped
from vehbench_runners.local.server_process import LocalServer

SERVER = """
import http.server, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(str(child.pid))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()
print("listening soon", flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
"""

RUNNER = """
import asyncio, signal, sys
from vehbench_runners.local.server_process import LocalServer
def interrupt(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGTERM, interrupt)
async def main():
    async with LocalServer([sys.executable, "-c", sys.argv[1], sys.argv[2]]):
        print("up", flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""


def command(file: Path) -> list[str]:
    return [sys.executable, "-c", SERVER, str(file)]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone_within(pid: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_alive(pid)


def test_a_server_is_up_inside_and_gone_outside(tmp_path: Path) -> None:
    async def main() -> None:
        async with LocalServer(command(tmp_path / "child")) as server:
            with urllib.request.urlopen(f"{server.url}/health") as answer:
                assert answer.status == 200
            assert is_alive(int((tmp_path / "child").read_text()))

    asyncio.run(main())
    assert gone_within(int((tmp_path / "child").read_text()), 10)


def test_a_server_that_ends_at_once_shows_its_last_words() -> None:
    async def main() -> None:
        async with LocalServer([sys.executable, "-c", "import sys; sys.exit('unrecognized arguments: --foo')"]):
            pytest.fail("it never was up")

    with pytest.raises(RunStopped, match=r"exit code 1[\s\S]*unrecognized arguments: --foo"):
        asyncio.run(main())


def test_a_server_that_never_gets_ready_is_given_up_and_stopped(tmp_path: Path) -> None:
    hang = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(600)"

    async def main() -> None:
        async with LocalServer([sys.executable, "-c", hang], start_limit_s=2.0):
            pytest.fail("it never was up")

    with pytest.raises(RunStopped, match="not ready after 2 s"):
        asyncio.run(main())
    assert gone_within(int((tmp_path / "pid").read_text()), 10)


def test_a_command_that_is_not_there_is_named() -> None:
    async def main() -> None:
        async with LocalServer(["/no/such/server"]):
            pytest.fail("it never was up")

    with pytest.raises(RunStopped, match="cannot start /no/such/server"):
        asyncio.run(main())


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_signal_leaves_a_server_behind(tmp_path: Path, number: signal.Signals) -> None:
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER, SERVER, str(tmp_path / "child")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert runner.stdout is not None
    with runner.stdout:
        assert runner.stdout.readline() == "up\n"
        child = int((tmp_path / "child").read_text())
        assert is_alive(child)
        runner.send_signal(number)
        runner.wait(30)
    assert gone_within(child, 10)
