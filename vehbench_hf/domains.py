"""The domains of design problems by name. A further domain is its own folders and one line here."""

from vehbench_hf.errors import BankError
from vehbench_oracle.domain import Domain
from vehbench_oracle.veh import domain as veh

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (veh.DOMAIN,)}
"""In the order in which documents list them."""
DEFAULT_DOMAIN = veh.DOMAIN.name
"""The domain of a brief for which none is named."""


def domain_of(name: str) -> Domain:
    """The domain of a name, as rows hold it. Raises BankError for a name that is not listed."""
    if not isinstance(name, str) or name not in DOMAINS:
        raise BankError(f"unknown domain {str(name)[:60]!r}; this version has {', '.join(DOMAINS)}.")
    return DOMAINS[name]


class OwnBrief(veh.BriefColumns):
    """The domains' own columns of a brief, for type checkers: a row has those of its own domain only."""


class OwnVerdict(veh.VerdictColumns):
    """The same of a history's verdict."""


class OwnReference(veh.ReferenceColumns):
    """The same of a reference."""


class OwnChanges(veh.Changes):
    """The same of what a completion fills in."""


def config_of(probe: str, domain: str) -> str:
    """The config that holds the tasks of a probe: "p1" of the first domain, "<domain>_p1" of any other."""
    return probe if domain == DEFAULT_DOMAIN else f"{domain}_{probe}"


def probe_and_domain(config: str) -> tuple[str, str]:
    """What `config_of` made a config of."""
    domain, _, probe = config.rpartition("_")
    return probe, domain or DEFAULT_DOMAIN
