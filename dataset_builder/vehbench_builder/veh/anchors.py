"""The 52 devices of the literature from which bank v2 is made, with the provenance of every field.

`dataset_builder/literature/tools` of a checkout makes the files from the tables of what was read. The devices are
parameterised from the literature. They are no validation of the oracle: tip masses that no source gives were completed
so that the oracle has the reported frequency.
"""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from vehbench_hf.types import Anchor, Design, Split
from vehbench_oracle import VARIABLES

ANCHORS = Path(__file__).with_name("anchors.csv")
PROVENANCE = Path(__file__).with_name("anchor_provenance.csv")

DeviceClass = Literal["A", "A*", "A-sim", "B", "B*"]
"""A: excited at its base; A*: borderline; A-sim: simulated; B, B*: excited otherwise, lends its geometry only."""

Documentation = Literal["sound", "weak"]


@dataclass(frozen=True)
class AnchorDesign:
    """One device of the literature, ready for the probes.

    `design` lies in the oracle's declared domain; it is `original` scaled by `kappa` where that lies outside.
    `outside` names the variables that did, `clipped` those that scaling did not bring in. `resonance_hz` is the
    oracle's for `design`, `original_resonance_hz` for `original`. `paper_frequency_hz` belongs to the original device
    and is None where the paper's frequency is not the beam's; `acceleration_g` is the paper's, None where not seen.
    `damping_ratio` None means the oracle's default: no paper's own was seen. `documentation` is "weak" where sources
    contradict each other or the device is no plain cantilever.
    """

    key: str
    doi: str
    doi_released: str | None
    title: str
    year: int
    split: Split
    device_class: DeviceClass
    documentation: Documentation
    inside_domain: bool
    design: Design
    original: Design
    piezo: str
    substrate: str
    damping_ratio: float | None
    paper_frequency_hz: float | None
    acceleration_g: float | None
    resonance_hz: float
    original_resonance_hz: float
    kappa: float
    outside: tuple[str, ...]
    clipped: tuple[str, ...]
    remark: str

    @property
    def anchor(self) -> Anchor:
        """The reference to the paper in a dataset row."""
        return {
            "key": self.key,
            "doi": self.doi,
            "doi_released": self.doi_released,
            "title": self.title,
            "year": self.year,
        }


@cache
def load_anchors() -> tuple[AnchorDesign, ...]:
    """The 52 anchors in the order of the file, which ships with the package."""
    with ANCHORS.open(encoding="utf-8", newline="") as stream:
        return tuple(_parse(row) for row in csv.DictReader(stream))


def read_provenance() -> list[dict[str, str]]:
    """The rows of `anchor_provenance.csv`: one for every field of every anchor."""
    with PROVENANCE.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _parse(row: dict[str, Any]) -> AnchorDesign:
    outside = tuple(row["outside"].split())
    return AnchorDesign(
        key=row["key"],
        doi=row["doi"],
        doi_released=row["doi_released"] or None,
        title=row["title"],
        year=int(row["year"]),
        split=cast(Split, row["split"]),
        device_class=cast(DeviceClass, row["device_class"]),
        documentation=cast(Documentation, row["documentation"]),
        inside_domain=not outside,
        design={name: float(row[name]) for name in VARIABLES},
        original={name: float(row[f"original_{name}"]) for name in VARIABLES},
        piezo=row["piezo"],
        substrate=row["substrate"],
        damping_ratio=None,
        paper_frequency_hz=_known(row["paper_frequency_hz"]),
        acceleration_g=_known(row["acceleration_g"]),
        resonance_hz=float(row["resonance_hz"]),
        original_resonance_hz=float(row["original_resonance_hz"]),
        kappa=float(row["kappa"]),
        outside=outside,
        clipped=tuple(row["clipped"].split()),
        remark=row["remark"],
    )


def _known(text: str) -> float | None:
    return float(text) if text else None
