"""The settings of a run: everything a score depends on, flat as `run.json` stores it, and the name of the folder."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from types import GenericAlias
from typing import Any, get_args, get_origin, get_type_hints

from vehbench_hf.bank.row_types import faults
from vehbench_hf.domains import DEFAULT_DOMAIN, domain_of
from vehbench_hf.errors import RunError
from vehbench_hf.prompts import prompts_fingerprint
from vehbench_hf.protocol import Protocol
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Probe, Split
from vehbench_hf.versions import PROMPTS_VERSION, PROTOCOL_VERSION

MAX_EPOCHS = 10_000


@dataclass(frozen=True)
class RunSettings:
    """Everything that a score depends on. Equal settings mean the same run, which can be taken up again.

    `task` holds the ids of chosen tasks, in which case probes, splits and limit choose nothing; else it is empty.
    `isomorphic` is the fingerprint of the bank's isomorphic rows in an isomorphism audit, else None. The fingerprints
    of prompts and oracle are those of the domain unless others are given.
    """

    model: str
    bank_version: str
    bank_fingerprint: str
    probes: tuple[Probe, ...]
    splits: tuple[Split, ...]
    limit: int | None
    epochs: int
    protocol: Protocol
    sampling: Sampling = Sampling()
    weights: Weights = Weights()
    subset: str | None = None
    isomorphic: str | None = None
    prompts_version: str = PROMPTS_VERSION
    prompts_fingerprint: str = ""
    protocol_version: str = PROTOCOL_VERSION
    oracle_fingerprint: str = ""
    domain: str = DEFAULT_DOMAIN
    task: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Fill in the fingerprints. Raises BankError for an unknown domain."""
        domain = domain_of(self.domain)
        object.__setattr__(self, "prompts_fingerprint", self.prompts_fingerprint or prompts_fingerprint(self.domain))
        object.__setattr__(self, "oracle_fingerprint", self.oracle_fingerprint or domain.fingerprint())

    def flat(self) -> dict[str, Any]:
        """Settings as one level of JSON values, nested names joined with a dot.

        The first domain and tasks that nobody chose go unsaid, so that runs from before there were others keep their
        hash.
        """
        body = asdict(self)
        if not self.task:
            del body["task"]
        if self.domain == DEFAULT_DOMAIN:
            del body["domain"]
        nested = {group: body.pop(group) for group in ("protocol", "sampling", "weights")}
        flat = {**body, **{f"{group}.{name}": nested[group][name] for group in nested for name in nested[group]}}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in flat.items()}

    @property
    def hash8(self) -> str:
        """Eight hexadecimal digits that stand for the settings."""
        return hashlib.sha256(json.dumps(self.flat(), sort_keys=True).encode()).hexdigest()[:8]


def run_folder_name(settings: RunSettings, server: str = "") -> str:
    """`<model>-<bank>-<hash8>`; characters of the model's name that are not plain become hyphens.

    One name at two servers may be two models, so that the address of a `server` goes into the hash.
    """
    hash8 = hashlib.sha256(f"{settings.hash8} {server}".encode()).hexdigest()[:8] if server else settings.hash8
    model = re.sub(r"[^A-Za-z0-9.]+", "-", settings.model).strip("-.")[:60] or "model"
    return f"{model}-{settings.bank_version}-{hash8}"


def domain_of_settings(settings: dict[str, Any]) -> str:
    """The name of the domain that `RunSettings.flat` stored, or left unsaid."""
    return str(settings.get("domain", DEFAULT_DOMAIN))


@cache
def setting_kinds() -> dict[str, Any]:
    """The type of every setting under its stored name, from the dataclasses that `RunSettings` is made of."""
    hints = get_type_hints(RunSettings)
    groups = {name: get_type_hints(hints.pop(name)) for name in ("protocol", "sampling", "weights")}
    hints |= {f"{group}.{name}": kind for group, kinds in groups.items() for name, kind in kinds.items()}
    # A tuple is stored as a list.
    return {n: GenericAlias(list, get_args(k)[:1]) if get_origin(k) is tuple else k for n, k in hints.items()}


def setting_faults(settings: Mapping[str, Any]) -> Iterator[str]:
    """What in stored settings is not of its type, or would do harm where it is printed. Unknown names pass.

    Settings are printed above every table, and those of a run folder may have been written by anybody.
    """
    kinds = setting_kinds()
    for name, value in settings.items():
        yield from faults(value, kinds.get(name, Any), f"settings.{name}", DEFAULT_DOMAIN)
        texts = (name, *(value if isinstance(value, list) else (value,)))
        if not all(text.isprintable() for text in texts if isinstance(text, str)):
            yield f"settings.{name} is {ascii(value)[:60]}, expected a text without control characters"
    epochs = settings.get("epochs", 1)
    if isinstance(epochs, int) and not 1 <= epochs <= MAX_EPOCHS:
        yield f"settings.epochs is {epochs}, expected a whole number from 1 to {MAX_EPOCHS}"


def protocol_of(settings: dict[str, Any]) -> Protocol:
    """The protocol that `RunSettings.flat` stored. Raises RunError for one that this version does not know."""
    prefix = "protocol."
    stored = {name.removeprefix(prefix): value for name, value in settings.items() if name.startswith(prefix)}
    try:
        return Protocol(**stored)
    except TypeError:
        raise RunError(f"run.json: the protocol {str(stored)[:200]} is not one of this version.") from None
