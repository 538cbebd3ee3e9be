"""The tables of what was read in the literature, as typed rows. They lie in `dataset_builder/literature/`.

Tables and tools belong to a checkout of the repository and are no part of an installed package: only what is computed
from them ships.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from vehbench_builder.veh.anchors import DeviceClass, Documentation
from vehbench_hf.errors import UserError
from vehbench_hf.types import SPLITS, Split

FOLDER = Path(__file__).resolve().parents[1]

Kind = Literal["abstract", "quotation", "secondary", "none"]
"""Where a value was read: the paper's abstract, a quotation of the paper, another author's use of it, nowhere."""

NUMBERS = (
    "beam_length_mm",
    "beam_width_mm",
    "substrate_thickness_um",
    "piezo_thickness_um",
    "tip_mass_g",
    "load_resistance_ohm",
    "resonance_hz",
    "acceleration_g",
    "power_uw",
)


class LiteratureError(UserError):
    """A table of the literature that is absent or does not say what it should."""


@dataclass(frozen=True)
class Screened:
    """One paper that was looked at. `reason_group` is empty for a kept one."""

    doi: str
    title: str
    kept: bool
    reason_group: str
    reason: str
    judged_from: str


@dataclass(frozen=True)
class Reported:
    """What one kept paper reports, as far as it was seen; `values` lacks what was not.

    `piezo_thickness_um` is that of one layer. `device` is equal for papers on the same device. `check` says how the
    authors' release compares with the paper: "confirmed", "differs", "not_found", empty where it does not list it.
    """

    key: str
    doi: str
    title: str
    year: int | None
    check: str
    device: str
    layers: str
    piezo_material: str
    substrate_material: str
    values: dict[str, float]


@dataclass(frozen=True)
class Evidence:
    """One value and where it was read; `against_release` as `check` of `Reported`, for this value."""

    key: str
    field: str
    value: float | None
    kind: Kind
    against_release: str


@dataclass(frozen=True)
class Derived:
    """A value that a paper states through others; `rule` and `inputs` say how to compute it."""

    rule: str
    inputs: tuple[float, ...]
    kind: Kind
    words: str


@dataclass(frozen=True)
class Selected:
    """A device that became an anchor. `own_frequency`: the frequency in the paper is that of the beam."""

    key: str
    split: Split
    device_class: DeviceClass
    documentation: Documentation
    own_frequency: bool
    remark: str


@dataclass(frozen=True)
class Literature:
    """All tables; `not_selected` maps the key of a kept device to the reason why it is no anchor."""

    screened: tuple[Screened, ...]
    reported: dict[str, Reported]
    evidence: tuple[Evidence, ...]
    derived: dict[tuple[str, str], Derived]
    selected: tuple[Selected, ...]
    not_selected: dict[str, str]

    def kind_of(self, key: str, field: str, value: float) -> Kind:
        """Where `value` was read. Raises LiteratureError when no line of evidence has it."""
        for line in self.evidence:
            if (line.key, line.field, line.value) == (key, field, value):
                return line.kind
        raise LiteratureError(
            f"evidence.csv has no line for {key}, {field} = {value:g}; expected one for every value of reported.csv. "
            "Add the line or empty the value."
        )


def normalised_doi(text: str) -> str:
    """A DOI in lower case and without a resolver in front; empty stays empty.

    Raises LiteratureError for what is no DOI.
    """
    doi = re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)", "", text.strip().lower())
    if doi and not re.fullmatch(r"10\.\d{4,9}/\S+", doi):
        raise LiteratureError(f"{text!r} is no DOI; expected 10.<registrant>/<suffix>.")
    return doi


def read_literature(folder: Path = FOLDER) -> Literature:
    """Read all tables. Raises LiteratureError for an absent table and for a word where a number belongs."""
    selection = list(_rows(folder, "selection.csv"))
    return Literature(
        screened=tuple(
            Screened(
                normalised_doi(r["doi"]),
                r["title"],
                r["kept"] == "yes",
                r["reason_group"],
                r["reason"],
                r["judged_from"],
            )
            for r in _rows(folder, "papers.csv")
        ),
        reported={r["key"]: _reported(r) for r in _rows(folder, "reported.csv")},
        evidence=tuple(
            Evidence(
                r["key"], r["field"], _number(r["value"]), cast(Kind, _one_of(r["kind"], Kind)), r["against_release"]
            )
            for r in _rows(folder, "evidence.csv")
        ),
        derived={
            (r["key"], r["field"]): Derived(
                r["rule"],
                tuple(float(x) for x in r["inputs"].split()),
                cast(Kind, _one_of(r["evidence"], Kind)),
                r["words"],
            )
            for r in _rows(folder, "derived.csv")
        },
        selected=tuple(
            Selected(
                key=r["key"],
                split=next(split for split in SPLITS if split == r["split"]),
                device_class=cast(DeviceClass, _one_of(r["device_class"], DeviceClass)),
                documentation=cast(Documentation, _one_of(r["documentation"], Documentation)),
                own_frequency=r["frequency_of"] == "beam",
                remark=r["remark"],
            )
            for r in selection
            if r["split"]
        ),
        not_selected={r["key"]: r["remark"] for r in selection if not r["split"]},
    )


def _reported(r: dict[str, str]) -> Reported:
    values = {name: _number(r[name]) for name in NUMBERS}
    return Reported(
        key=r["key"],
        doi=normalised_doi(r["doi"]),
        title=r["title"],
        year=int(r["year"]) if r["year"] else None,
        check=r["check"],
        device=r["device"],
        layers=r["layers"],
        piezo_material=r["piezo_material"],
        substrate_material=r["substrate_material"],
        values={name: value for name, value in values.items() if value is not None},
    )


def _rows(folder: Path, name: str) -> Iterator[dict[str, str]]:
    path = folder / name
    if not path.is_file():
        raise LiteratureError(
            f"{path} is missing; the tables of the literature come with a checkout of the repository, not with an "
            "installed package. Run this in a checkout."
        )
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def _number(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise LiteratureError(f"{text!r} stands where a number belongs in the tables of the literature.") from None


def _one_of(text: str, words: object) -> str:
    if text not in get_args(words):
        raise LiteratureError(f"{text!r} in the tables of the literature; expected one of {get_args(words)}.")
    return text
