"""A server process of our own: started, waited for, and stopped with everything it started itself."""

import asyncio
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from vehbench_runners.backend import RunStopped
from vehbench_runners.local.kill_on_exit import KillOnExit

START_LIMIT_S = 3600.0
"""Large weights may have to be downloaded first."""
STOP_LIMIT_S = 20.0
_POLL_S = 0.5
_TAIL_LINES = 25


class LocalServer:
    """`command` with `--host` and `--port` added, up while the context is entered; `url` is where it listens.

    The process leads a group of its own, so that Ctrl-C in a terminal reaches it through us only. Should this process
    be killed outright, a shell takes the group down.
    """

    def __init__(self, command: Sequence[str], *, start_limit_s: float = START_LIMIT_S) -> None:
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [*command, "--host", "127.0.0.1", "--port", str(self.port)]
        self._start_limit_s = start_limit_s
        self._process: subprocess.Popen[bytes] | None = None
        self._kill_on_exit: KillOnExit | None = None
        self._log: Path | None = None

    async def __aenter__(self) -> Self:
        """Start it and wait until `/health` answers. Raises RunStopped with the end of its log when it does not."""
        with tempfile.NamedTemporaryFile(prefix="vehbench-server-", suffix=".log", delete=False) as log:
            self._log = Path(log.name)
            try:
                self._process = subprocess.Popen(
                    self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
            except OSError as error:
                raise RunStopped(f"cannot start {self._command[0]}: {error.strerror}") from None
        try:
            self._kill_on_exit = KillOnExit(signal.SIGTERM, [-self._process.pid])
            await self._wait_until_healthy()
        except BaseException:
            await asyncio.to_thread(self.stop)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        died = self.has_died
        await asyncio.to_thread(self.stop)
        if self._log is not None and not died:
            self._log.unlink(missing_ok=True)

    @property
    def has_died(self) -> bool:
        """Whether it ended by itself."""
        return self._process is not None and self._process.poll() is not None

    def account(self) -> str:
        """How it ended, and the end of its log."""
        assert self._process is not None
        assert self._log is not None
        with contextlib.suppress(OSError):
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
            tail = "\n  ".join(line[:300] for line in lines[-_TAIL_LINES:])
            return f"(exit code {self._process.poll()}). The end of its log {self._log}:\n  {tail}"
        return f"(exit code {self._process.poll()}); its log {self._log} cannot be read"

    def stop(self) -> None:
        """Stop it and what it started: politely, and after a while by force."""
        if self._kill_on_exit is not None:
            self._kill_on_exit.release()
            self._kill_on_exit = None
        if self._process is None:
            return
        _signal_group(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_LIMIT_S)
        _signal_group(self._process.pid, signal.SIGKILL)  # what its leader left behind
        self._process.wait()

    async def _wait_until_healthy(self) -> None:
        until = time.monotonic() + self._start_limit_s
        while not await asyncio.to_thread(_is_healthy, self.port):
            if self.has_died:
                raise RunStopped(f"the server ended before it was ready {self.account()}")
            if time.monotonic() > until:
                raise RunStopped(f"the server was not ready after {self._start_limit_s:g} s {self.account()}")
            await asyncio.sleep(_POLL_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)  # not by way of a proxy
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
