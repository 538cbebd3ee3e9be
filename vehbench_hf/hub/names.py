"""Names on the Hub: our repositories, and those of others, checked before they are used anywhere."""

import re

from vehbench_hf.hub.failures import HubError

DATASET = "vehbench"
RESULTS = "vehbench-results"
"""Names of the two dataset repositories below an organisation."""
PUBLISHED_BANK = "veh-v2"
"""The version of the bank in the dataset, and of every submitted run."""

_PART = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?")


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


def _plain(part: str) -> bool:
    return _PART.fullmatch(part) is not None and ".." not in part and "--" not in part
