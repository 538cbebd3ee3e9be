"""The oracle's material for a material of the literature.

The oracle knows four piezoelectric materials and four substrates. The substrate nearest to another one is the one at
the smallest distance in (ln E, ln density), the two constants that it contributes. The constants here are handbook
values that decide between four candidates and enter nothing else; the choice does not change when each of them is
off by 5 %.
"""

import math
from typing import Literal, NamedTuple

from literature.tools.literature_tables import LiteratureError
from vehbench_oracle.veh.materials import SUBSTRATE, Substrate

Status = Literal["reported", "nearest", "completed"]

CONSTANTS = {
    "copper": Substrate(120e9, 8960.0),
    "phosphor bronze": Substrate(110e9, 8800.0),
    "beryllium bronze": Substrate(128e9, 8250.0),
    "unnamed metal (100 GPa, 7165 kg/m3)": Substrate(100e9, 7165.0),
    "silicon": Substrate(169e9, 2330.0),
    "silicon dioxide": Substrate(70e9, 2200.0),
    "PEN": Substrate(6.1e9, 1360.0),
    "SU-8 meshed core": Substrate(2e9, 1190.0),
}
"""Young's modulus in Pa and density in kg/m3; silicon along <110>, SU-8 as a solid."""

SAME_SUBSTRATE = {
    "steel": "stainless_steel",
    "stainless steel": "stainless_steel",
    "stainless steel 17-4PH": "stainless_steel",
    "brass": "brass",
    "titanium": "titanium",
    "Ti alloy": "titanium",
}

DEFAULT_SUBSTRATE = {"unimorph": "stainless_steel", "bimorph": "brass"}

SAME_PIEZO = {"PZT-5A": "PZT-5A", "PZ-5A": "PZT-5A", "PZT-5H": "PZT-5H"}

PIEZO_FAMILIES = (
    ("PVDF", "PVDF", "a film of the PVDF family"),
    ("P(VDF-TrFE)", "PVDF", "a film of the PVDF family"),
    ("MFC", "MFC-M8528", "a macro-fibre composite"),
    ("single-crystal macro-fibre composite", "MFC-M8528", "a macro-fibre composite"),
    ("PZT", "PZT-5A", "PZT without a grade that the oracle knows"),
    ("QP16N", "PZT-5A", "a packaged PZT ceramic"),
    ("KNN", "PZT-5A", "a lead-free perovskite, for which the oracle has no entry"),
)
"""How the paper's word begins, the oracle's material, and what the two share."""


class Material(NamedTuple):
    """An oracle material with the reason for it."""

    name: str
    status: Status
    rule: str


def substrate_for(stated: str, layers: str) -> Material:
    """The oracle's substrate for the paper's word, empty if none was seen.

    Raises LiteratureError for a material without constants.
    """
    if not stated:
        default = DEFAULT_SUBSTRATE[layers]
        return Material(default, "completed", f"no substrate stated: {default} for a {layers}")
    if stated in SAME_SUBSTRATE:
        return Material(SAME_SUBSTRATE[stated], "reported", "the oracle's entry of that name")
    if stated not in CONSTANTS:
        raise LiteratureError(f"no constants for the substrate {stated!r}; add them to `match_material.CONSTANTS`.")
    name = nearest_substrate(CONSTANTS[stated])
    return Material(name, "nearest", "nearest of the oracle's four in (ln E, ln density)")


def nearest_substrate(material: Substrate) -> str:
    """The oracle's substrate at the smallest distance in (ln E, ln density)."""

    def distance(name: str) -> float:
        other = SUBSTRATE[name]
        return math.hypot(
            math.log(material.youngs_modulus / other.youngs_modulus), math.log(material.density / other.density)
        )

    return min(SUBSTRATE, key=distance)


def piezo_for(stated: str) -> Material:
    """The oracle's piezoelectric material for the paper's word, empty if none was seen.

    Raises LiteratureError for a word of no known family.
    """
    if not stated:
        return Material("PZT-5A", "completed", "no piezoelectric material stated: PZT-5A")
    if stated in SAME_PIEZO:
        return Material(SAME_PIEZO[stated], "reported", "the oracle's entry of that name")
    for beginning, name, shared in PIEZO_FAMILIES:
        if stated.startswith(beginning):
            return Material(name, "nearest", f"{shared}: the oracle's {name}")
    raise LiteratureError(
        f"no family for the piezoelectric material {stated!r}; add it to `match_material.PIEZO_FAMILIES`."
    )
