"""Every figure on cards/errata.md is what the release gives."""

import re
from pathlib import Path
from typing import Any

import pytest

from errata_figures import FIGURES, Figures
from vehbench_cli import app
from vehbench_hf.paper.reproduce import Inputs, PrintedTable, Reproduction
from vehbench_hf.paths import shipped

PAGE = shipped("cards/errata.md").read_text(encoding="utf-8")
MARK = re.compile(r"<!-- figures: (\w+) -->\n\n(\|.*?)(?:\n\n|\Z)", re.DOTALL)


def tables() -> dict[str, list[list[str]]]:
    """By name the rows of each marked table, without header and rule."""
    found = {}
    for name, table in MARK.findall(PAGE):
        found[name] = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return found


@pytest.fixture(scope="module")
def figures(inputs: Inputs, found: Reproduction, printed: dict[str, PrintedTable], release_dir: Path) -> Any:
    return Figures(inputs, found, printed, release_dir, {row[0] for row in tables()["table_2"]})


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_what_the_release_gives(figures: Any, name: str) -> None:
    assert tables()[name] == FIGURES[name](figures)


def test_every_table_of_the_page_is_computed() -> None:
    assert tables().keys() == FIGURES.keys()
    assert PAGE.count("\n|---") == len(FIGURES)


def test_every_point_names_a_command() -> None:
    points = re.split(r"^## \d+\. ", PAGE, flags=re.MULTILINE)[1:]
    assert len(points) >= len(FIGURES)
    for point in points:
        assert re.search(r"^Command", point, flags=re.MULTILINE), point.splitlines()[0]


def test_every_command_of_the_page_exists() -> None:
    known = {command.name for command in app.registered_commands}
    named = set(re.findall(r"vehbench ([a-z-]+) ", PAGE))
    assert named
    assert named <= known
