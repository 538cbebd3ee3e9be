"""Names on the Hub, checked before they are used anywhere, and what goes wrong between here and there."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypedDict

from vehbench_hf.bank.bank import MANIFEST
from vehbench_hf.errors import UserError
from vehbench_hf.paths import shipped

DATASET = "vehbench"
RESULTS = "vehbench-results"
"""Names of the two dataset repositories below an organisation."""
PUBLISHED_BANK = "veh-v2"
"""The version of the bank in the dataset, and of every submitted run."""
HUB = "https://huggingface.co"
"""Where what is published stands, whatever mirror a client goes by."""

_PART = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?")


class HubError(UserError):
    """A name, a run, a record or a file from the Hub that is not what it must be; the text says what to do."""


class BankName(TypedDict):
    """A bank as a record names it."""

    version: str
    fingerprint: str


def published_bank() -> BankName:
    """The bank that is published: the one that ships."""
    manifest = json.loads(shipped("bank_v2").joinpath(MANIFEST).read_text(encoding="utf-8"))
    return {"version": PUBLISHED_BANK, "fingerprint": manifest["fingerprint"]}


def organisation(text: str) -> str:
    """An organisation or user of the Hub. Raises HubError for anything else."""
    if not _plain(text):
        raise HubError(f"expected the name of an organisation on the Hub, such as my-lab; got {text[:60]!r}.")
    return text


def repository(text: str) -> str:
    """A repository id ORG/NAME. Raises HubError for anything else."""
    parts = text.split("/")
    if len(parts) != 2 or not all(_plain(part) for part in parts):
        raise HubError(f"expected a repository of the Hub as ORG/NAME; got {text[:80]!r}.")
    return text


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
    from huggingface_hub import get_token

    line = (str(error).strip().splitlines() or [type(error).__name__])[0]
    line = line.replace(get_token() or "hf_", "(token)")
    return re.sub(r"Bearer .*|hf_\w+", "(token)", line)[:300]


def _plain(part: str) -> bool:
    return _PART.fullmatch(part) is not None and ".." not in part and "--" not in part
