"""What cannot be published, submitted or checked, and what goes wrong between here and the Hub."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from vehbench_hf.errors import UserError


class HubError(UserError):
    """A name, a run, a record or a file from the Hub that is not what it must be; the text says what to do."""


@contextmanager
def hub_failures(what: str) -> Iterator[None]:
    """Raise HubError, beginning with `what`, for anything that the Hub, its client or the line to it raises."""
    # The base of all errors of the client's HTTP library, whichever that is in the installed version.
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

    try:
        yield
    except UserError:
        raise
    # A lost connection is no OSError, an upload that failed a RuntimeError, a token that fits no header a ValueError.
    except (HTTPError, OSError, ValueError, RuntimeError) as error:
        raise HubError(f"{what}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    """The first line of an error of the Hub, which may go on for pages. A refused header would show its token."""
    line = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    return re.sub(r"Bearer .*|hf_\w+", "(token)", line)
