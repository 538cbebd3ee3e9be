"""Material constants of the oracle (paper, appendix B) and the spellings under which they are known."""

import re
from typing import NamedTuple, TypeVar

from vehbench_oracle.errors import UnknownMaterialError


class Piezo(NamedTuple):
    """Piezo layer: d31 in m/V, permittivity relative to vacuum, Young's modulus in Pa, density in kg/m3."""

    d31: float
    relative_permittivity: float
    youngs_modulus: float
    density: float


class Substrate(NamedTuple):
    """Constants of a substrate layer: Young's modulus in Pa, density in kg/m3."""

    youngs_modulus: float
    density: float


PIEZO: dict[str, Piezo] = {
    "PZT-5A": Piezo(-171e-12, 1700.0, 61e9, 7750.0),
    "PZT-5H": Piezo(-274e-12, 3800.0, 60e9, 7500.0),
    "MFC-M8528": Piezo(-170e-12, 800.0, 30e9, 5400.0),
    "PVDF": Piezo(-23e-12, 13.0, 2e9, 1780.0),
}

SUBSTRATE: dict[str, Substrate] = {
    "stainless_steel": Substrate(200e9, 7900.0),
    "aluminum": Substrate(70e9, 2700.0),
    "brass": Substrate(100e9, 8500.0),
    "titanium": Substrate(114e9, 4510.0),
}

_PIEZO_SPELLINGS = {
    "mfc": "MFC-M8528",
    "m8528": "MFC-M8528",
    "pvdffilm": "PVDF",
    "polyvinylidenefluoride": "PVDF",
}
_SUBSTRATE_SPELLINGS = {
    "steel": "stainless_steel",
    "stainless": "stainless_steel",
    "aluminium": "aluminum",
    "al": "aluminum",
    "ti": "titanium",
}


T = TypeVar("T")


def _squeeze(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _find(name: str, table: dict[str, T], spellings: dict[str, str], kind: str) -> T:
    if isinstance(name, str):
        key = _squeeze(name)
        for known in table:
            if key == _squeeze(known):
                return table[known]
        if key in spellings:
            return table[spellings[key]]
    raise UnknownMaterialError(kind, f"{kind}: unknown material {str(name)[:60]!r}; known are {', '.join(table)}")


def piezo(name: str | Piezo) -> Piezo:
    """Constants of a piezoelectric material; case, spaces, hyphens and underscores do not matter.

    Constants of one's own are returned as they are. Raises UnknownMaterialError with the list of known names.
    """
    return name if isinstance(name, Piezo) else _find(name, PIEZO, _PIEZO_SPELLINGS, "piezo material")


def substrate(name: str | Substrate) -> Substrate:
    """Constants of a substrate material; "aluminium" and "steel" are read as aluminum and stainless_steel.

    Constants of one's own are returned as they are. Raises UnknownMaterialError with the list of known names.
    """
    return name if isinstance(name, Substrate) else _find(name, SUBSTRATE, _SUBSTRATE_SPELLINGS, "substrate material")
