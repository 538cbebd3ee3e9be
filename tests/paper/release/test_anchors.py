"""A task must point to the right paper, under an identifier that resolves."""

import csv
import json
import re
from pathlib import Path

import pytest

from vehbench_hf.errors import ReleaseError
from vehbench_hf.paper.release.anchors import anchor, anchors
from vehbench_hf.paper.release.manifest import task_file
from vehbench_hf.types import Task


def test_every_doi_is_repaired_as_in_the_independent_transcription(reference_dir: Path) -> None:
    with (reference_dir / "anchors_upstream.csv").open(encoding="utf-8", newline="") as stream:
        transcribed = list(csv.DictReader(stream))
    assert len(transcribed) == len(anchors())
    for row in transcribed:
        paper = anchor(row["doi_released"])
        assert paper["doi"] == row["doi"].lower()
        if row["p1_anchor_key"]:
            assert anchor(row["p1_anchor_key"]) == paper
            assert paper["key"] == row["p1_anchor_key"]


@pytest.mark.parametrize("paper", anchors(), ids=lambda paper: str(paper["key"]))
def test_a_repair_changes_separators_and_nothing_else(paper: dict[str, str]) -> None:
    assert re.fullmatch(r"10\.\d{4,9}/[^\s_]+", paper["doi"])
    assert re.sub(r"[^a-z0-9]", "", paper["doi"]) == re.sub(r"[^a-z0-9]", "", paper["doi_released"].lower())


def test_no_two_papers_share_a_key_or_a_doi() -> None:
    for column in ("key", "doi", "doi_released"):
        assert len({paper[column] for paper in anchors()}) == len(anchors())


def test_a_task_points_to_the_paper_that_the_release_says(release_dir: Path, tasks: list[Task]) -> None:
    by_id = {task.task_id: task for task in tasks}
    for probe in ("p2", "p3", "p4"):
        for line in (release_dir / task_file(probe)).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            paper = by_id[row["task_id"]].anchor
            assert paper is not None
            assert paper["doi_released"] == row["anchor_paper_doi"]


def test_an_unknown_paper_is_refused_by_name() -> None:
    with pytest.raises(ReleaseError, match=r"10\.1000/unknown"):
        anchor("10.1000/unknown")


def test_a_caller_cannot_change_the_table() -> None:
    anchor("sna2019")["title"] = "changed"
    assert anchor("sna2019")["title"] != "changed"
