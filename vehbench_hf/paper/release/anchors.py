"""The 52 papers behind the released tasks: our own table, with repaired identifiers."""

import csv
import re
from functools import cache
from pathlib import Path

from vehbench_hf.errors import ReleaseError
from vehbench_hf.types import Anchor

TABLE = Path(__file__).with_name("anchors.csv")


def anchor(name: str) -> Anchor:
    """The paper that the release calls `name`: a DOI as printed there (27 of 52 are malformed) or a P1 key.

    `key` is the short key where the release has one, else the repaired DOI with an underscore for every
    character that is no letter or digit. `doi` is repaired and in lower case; `doi_released` is as printed.

    Raises ReleaseError for a name that is not in our table.
    """
    paper = _by_name().get(name)
    if paper is None:
        raise ReleaseError(
            f"the release names a paper {name[:80]!r}; expected one of the {len(anchors())} in {TABLE.name}."
        )
    return paper.copy()


@cache
def anchors() -> tuple[Anchor, ...]:
    """All 52 papers, in the order of the table."""
    with TABLE.open(encoding="utf-8", newline="") as stream:
        return tuple(
            Anchor(
                key=row["p1_anchor_key"] or re.sub(r"[^a-z0-9]", "_", row["doi"]),
                doi=row["doi"],
                doi_released=row["doi_released"],
                title=row["title"],
                year=int(row["year"]),
            )
            for row in csv.DictReader(stream)
        )


@cache
def _by_name() -> dict[str, Anchor]:
    return {name: paper for paper in anchors() for name in (paper["key"], paper["doi_released"]) if name}
