"""Appending to a turn file: one writer, one line at a time, nothing ever rewritten."""

import contextlib
import os
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from vehbench_hf.errors import RunError
from vehbench_hf.runlog.lines import turn_to_line
from vehbench_hf.types import Turn


class TurnWriter:
    """The open `turns.jsonl` of a run. Use as a context manager.

    Opening takes the file's lock (released by the operating system when the process dies) and cuts off a half-written
    last line. Raises RunError when another process holds the lock, or when the disk takes no more.
    """

    def __init__(self, folder: Path, name: str = "turns.jsonl") -> None:
        self.file = folder / name
        self._lock = FileLock(f"{self.file}.lock")
        self._descriptor = -1

    def __enter__(self) -> "TurnWriter":
        try:
            self._lock.acquire(timeout=0)
            self._descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o644)
            os.ftruncate(self._descriptor, _end_of_last_line(self.file))
        except Timeout:
            raise RunError(
                f"{self.file} is being written by another process; wait for it, or give another --out."
            ) from None
        except OSError as error:
            self._lock.release()
            raise RunError(f"cannot write {self.file}: {error.strerror}; give another --out.") from None
        return self

    def append(self, turn: Turn) -> None:
        """Write one turn. When this returns, the line survives the death of the process."""
        data = (turn_to_line(turn) + "\n").encode("ascii")
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            with contextlib.suppress(OSError):  # no line of another call must follow the half of this one
                os.ftruncate(self._descriptor, _end_of_last_line(self.file))
            raise RunError(
                f"{self.file} takes no more ({error.strerror}); all earlier turns are kept. Make room and give the "
                "same command again."
            ) from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)
        self._lock.release()


def _end_of_last_line(file: Path) -> int:
    """The offset behind the last line break."""
    with file.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            stream.seek(start)
            place = stream.read(end - start).rfind(b"\n")
            if place >= 0:
                return start + place + 1
            end = start
    return 0
