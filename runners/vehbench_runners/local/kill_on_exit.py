"""What happens to the processes that this one started when it is killed outright: a shell takes them down."""

import contextlib
import subprocess
from collections.abc import Sequence
from signal import Signals


class KillOnExit:
    """A shell that waits on a pipe from this process. When the pipe closes by our death, it signals `processes`.

    A negative number stands for the process group of that number, as in `kill`.
    """

    def __init__(self, number: Signals, processes: Sequence[int]) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", f"read line; kill -{number.value} {' '.join(map(str, processes))}"],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def release(self) -> None:
        """Let the processes live, before the numbers can belong to other processes."""
        self._shell.kill()
        self._shell.communicate()


def processes_below() -> list[int]:
    """Every process that this one started, and that those started; needs psutil.

    Python's own that cleans up shared memory is left out: it ends by itself, and should do its work before.
    """
    import psutil

    running = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has ended meanwhile
            if not any("resource_tracker" in word for word in process.cmdline()):
                running.append(process.pid)
    return running
