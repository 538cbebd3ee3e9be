"""Making the anchors of bank v2 from the tables of the literature.

    python -m literature.tools.make_anchors

rewrites `anchors.csv`, `anchor_provenance.csv` and `paper_powers.csv` in `vehbench_builder/veh`.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from literature.tools.complete_device import Field, Original, original_of
from literature.tools.literature_tables import Literature, Selected, read_literature
from literature.tools.similarity import Projection, project
from vehbench_builder.veh.anchors import ANCHORS, PROVENANCE
from vehbench_builder.veh.beam import resonance_hz
from vehbench_builder.veh.oracle_against_papers import POWERS
from vehbench_hf.paper.release.anchors import anchors as released_anchors
from vehbench_hf.types import Design
from vehbench_oracle import VARIABLES

DIGITS = 12
"""Significant digits in the files: what processors and versions of numpy agree on. Devices are rounded, then judged."""


class Files(NamedTuple):
    """The texts of `anchors.csv`, of `anchor_provenance.csv` and of `paper_powers.csv`."""

    anchors: str
    provenance: str
    powers: str


def build(literature: Literature) -> Files:
    """The texts of the files.

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
    return Files(_csv(rows), _csv(lines), _csv(_powers(literature)))


def rounded(value: float) -> float:
    """`value` at the digits of the files."""
    return float(_text(value))


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


def _powers(literature: Literature) -> list[dict[str, str]]:
    """The power in uW of every anchor whose paper states it with the load."""
    stated = ((anchor.key, literature.reported[anchor.key].values) for anchor in literature.selected)
    return [
        {"key": key, "power_uw": _text(values["power_uw"])}
        for key, values in stated
        if {"power_uw", "load_resistance_ohm"} <= values.keys()
    ]


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.{DIGITS}g}"


def _csv(rows: Iterable[Mapping[str, str]]) -> str:
    rows = list(rows)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def main() -> None:
    """Rewrite the files."""
    for path, text in zip((ANCHORS, PROVENANCE, POWERS), build(read_literature()), strict=True):
        path.write_text(text, encoding="utf-8", newline="")
        print(f"{path.name}: {text.count(chr(10)) - 1} lines")  # noqa: T201


if __name__ == "__main__":
    main()
