"""What happens to the processes that this one started when it is killed outright: a shell takes them down."""

import subprocess
from collections.abc import Sequence
from signal import Signals


class Guard:
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
        """Give up guarding, before the numbers can belong to other processes."""
        self._shell.kill()
        self._shell.communicate()
