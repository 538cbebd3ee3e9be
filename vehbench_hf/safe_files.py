"""Files that anybody may have written: read whole or by lines up to a size, and written so that no link is followed.

A device or a pipe has no end and may never begin; a link may lead to either, or to a file of the user. JSON from others
is read with the numbers and texts only that can be written again.
"""

import contextlib
import json
import math
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from vehbench_hf.errors import UserError

MAX_JSON_BYTES = 8_000_000
"""Of a JSON file that others may have written; a manifest of a bank is a tenth of that."""
MAX_DEPTH = 40
MAX_DIGITS = 300
"""Of a whole number, so that it still is a number where it is divided."""
MAX_LINE_BYTES = 16_000_000
"""Of a line of a log; the longest reply of a model that thinks is a tenth of that."""


def open_plain(file: Path) -> BinaryIO:
    """A plain file for reading. Raises OSError where it cannot be opened, UserError for a device, pipe or folder."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UserError(f"{printable(str(file))} is no plain file, but a device, a pipe or a folder; it is not read.")
    return os.fdopen(descriptor, "rb")


def read_plain(file: Path, most: int = MAX_JSON_BYTES) -> bytes:
    """All of a plain file. Raises OSError where it cannot be read, UserError when it has more than `most` bytes."""
    with open_plain(file) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise UserError(f"{printable(str(file))} is larger than {most} bytes, which no file of its kind is.")
    return data


def read_lines(file: Path) -> Iterator[bytes | None]:
    """The finished lines of a plain file without their line breaks, None for one that is longer than any of ours.

    What follows the last line break is a line that was being written and is left out. Raises as `open_plain`.
    """
    with open_plain(file) as stream:
        while line := stream.readline(MAX_LINE_BYTES):
            if line.endswith(b"\n"):
                yield line[:-1]
                continue
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
            if line:
                yield None


def parse_json(data: bytes | str) -> Any:
    """The value of a JSON text in UTF-8. Raises ValueError for anything that could not be written again as it is read.

    That is NaN and infinity under any name, numbers of more than 300 digits, lone surrogates, and values nested deeper
    than 40 levels.
    """
    text = data if isinstance(data, str) else data.decode("utf-8")
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_whole)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    inside = [(value, 1)]
    while inside:
        part, depth = inside.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(part, str):
            part.encode("utf-8")
        elif isinstance(part, dict):
            inside += [(item, depth + 1) for pair in part.items() for item in pair]
        elif isinstance(part, list):
            inside += [(item, depth + 1) for item in part]
    return value


def replace_file(file: Path, data: bytes) -> None:
    """Write a file in one step by way of a new neighbour: a link in its place is replaced, not followed.

    Raises OSError when the disk takes no more; the old file is then still there.
    """
    beside = file.with_name(f"{file.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        beside.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def lies_within(path: Path, folder: Path) -> bool:
    """Whether a path leads to something in a folder, links followed.

    In a snapshot of the Hub's cache every file is a link to the `blobs` beside the snapshots; those count as within.
    """
    real, home = path.resolve(), folder.resolve()
    blobs = home.parent.parent / "blobs" if home.parent.name == "snapshots" else home
    return real.is_relative_to(home) or real.is_relative_to(blobs)


def printable(line: str) -> str:
    """A line without control characters, which in a terminal could hide what stands before them, cut after 1000."""
    return "".join(c if c.isprintable() else "?" for c in line[:1000])


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is no finite number")
    return number


def _whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number has {len(text)} digits")
    return int(text)
