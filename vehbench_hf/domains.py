"""The domains of design problems by name. A further domain is its own folders and one line here."""

from vehbench_hf.errors import BankError
from vehbench_oracle.domain import Domain
from vehbench_oracle.veh.domain import DOMAIN as VEH

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (VEH,)}
"""In the order in which documents list them."""
DEFAULT_DOMAIN = VEH.name
"""The domain of a brief for which none is named."""


def domain_of(name: str) -> Domain:
    """The domain of a name, as rows hold it. Raises BankError for a name that is not listed."""
    if name not in DOMAINS:
        raise BankError(f"unknown domain {name[:60]!r}; this version has {', '.join(DOMAINS)}.")
    return DOMAINS[name]
