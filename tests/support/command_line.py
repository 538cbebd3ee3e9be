"""The command `vehbench`, run in this process: a new one takes seconds to start."""

import contextlib
import io
import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from vehbench_cli import main


class Done(NamedTuple):
    """How a command ended, with what it wrote."""

    returncode: int
    stdout: str
    stderr: str


def vehbench(*arguments: object, cwd: Path | None = None, **environment: str) -> Done:
    """Run a command in a folder, with more variables in its environment."""
    handler = signal.getsignal(signal.SIGTERM)
    out, err = io.StringIO(), io.StringIO()
    try:
        with (
            contextlib.chdir(cwd or Path.cwd()),
            mock.patch.dict(os.environ, environment),
            mock.patch.object(sys, "argv", ["vehbench", *map(str, arguments)]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main()
    except SystemExit as end:
        code = end.code
    else:
        code = 0
    finally:
        signal.signal(signal.SIGTERM, handler)
    return Done(code if isinstance(code, int) else int(code is not None), out.getvalue(), err.getvalue())
