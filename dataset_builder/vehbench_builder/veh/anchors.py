"""The 52 devices of the literature from which bank v2 is made, with the provenance of every field.

    python -m vehbench_builder.veh.anchors

rewrites `anchors.csv` and `anchor_provenance.csv` beside this file from the tables in `dataset_builder/literature/`.
The devices are parameterised from the literature. They are no validation of the oracle: tip masses that no source
gives were completed so that the oracle has the reported frequency.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from vehbench_builder.veh.beam_completion import resonance_hz
from vehbench_builder.veh.literature.complete_device import Field, Original, original_of
from vehbench_builder.veh.literature.tables import DeviceClass, Documentation, Literature, Selected, read_literature
from vehbench_builder.veh.similarity import Projection, project
from vehbench_hf.paper.release.anchors import anchors as released_anchors
from vehbench_hf.types import Anchor, Design, Split
from vehbench_oracle import VARIABLES

ANCHORS = Path(__file__).with_name("anchors.csv")
PROVENANCE = Path(__file__).with_name("anchor_provenance.csv")

DIGITS = 12
"""Significant digits in the files: what processors and versions of numpy agree on. Devices are rounded, then judged."""


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


def build(literature: Literature) -> tuple[str, str]:
    """The text of `anchors.csv` and of `anchor_provenance.csv`.

    Raises LiteratureError for a selected device that the rules do not complete.
    """
    rows: list[dict[str, str]] = []
    lines: list[dict[str, str]] = []
    for selected in literature.selected:
        original = original_of(selected, literature)
        stored = {name: rounded(value) for name, value in original.design.items()}
        projection = project(stored)
        row = _row(selected, literature, original, stored, projection)
        rows.append(row)
        lines.extend(_line(row, field, projection) for field in original.fields)
    return _csv(rows), _csv(lines)


def rounded(value: float) -> float:
    """`value` at the digits of the files."""
    return float(_text(value))


def main() -> None:
    """Rewrite both files."""
    for path, text in zip((ANCHORS, PROVENANCE), build(read_literature()), strict=True):
        path.write_text(text, encoding="utf-8", newline="")
        print(f"{path.name}: {text.count(chr(10)) - 1} lines")  # noqa: T201


def _row(
    selected: Selected, literature: Literature, original: Original, stored: Design, projection: Projection
) -> dict[str, str]:
    paper = literature.reported[selected.key]
    aliases = {anchor["doi"]: anchor["doi_released"] for anchor in released_anchors()}
    design = {name: rounded(value) for name, value in projection.design.items()}
    pair = (original.piezo, original.substrate)
    return {
        "key": selected.key,
        "doi": paper.doi,
        "doi_released": aliases.get(paper.doi) or "",
        "title": paper.title,
        "year": str(paper.year),
        "split": selected.split,
        "device_class": selected.device_class,
        "documentation": selected.documentation,
        **{name: _text(value) for name, value in design.items()},
        **{f"original_{name}": _text(value) for name, value in stored.items()},
        "piezo": original.piezo,
        "substrate": original.substrate,
        "paper_frequency_hz": _text(original.paper_frequency_hz),
        "acceleration_g": _text(original.acceleration_g),
        "resonance_hz": _text(resonance_hz(design, *pair)),
        "original_resonance_hz": _text(resonance_hz(stored, *pair)),
        "kappa": _text(projection.kappa),
        "outside": " ".join(projection.outside),
        "clipped": " ".join(projection.clipped),
        "remark": selected.remark,
    }


def _line(row: Mapping[str, str], field: Field, projection: Projection) -> dict[str, str]:
    return {
        "key": row["key"],
        "doi": row["doi"],
        "field": field.name,
        "unit": field.unit,
        "stated": field.stated,
        "value": field.value if isinstance(field.value, str) else _text(field.value),
        "projected_value": row[field.name] if field.name in VARIABLES else "",
        "clipped": "yes" if field.name in projection.clipped else "",
        "status": field.status,
        "rule": field.rule,
        "evidence": field.evidence,
    }


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


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.{DIGITS}g}"


def _csv(rows: Iterable[Mapping[str, str]]) -> str:
    rows = list(rows)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


if __name__ == "__main__":
    main()
