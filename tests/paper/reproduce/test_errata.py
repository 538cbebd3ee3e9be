"""Every figure on cards/errata.md is what the release gives."""

import re
from pathlib import Path
from typing import Any

import pytest

from errata_figures import FIGURES, Figures
from vehbench_cli import app
from vehbench_hf.paper.reproduce import Inputs, PrintedTable, Reproduction
from vehbench_hf.paths import shipped
from vehbench_hf.scoring import Row, score_parts

ROOT = Path(__file__).parents[3]
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


def test_numbers_in_the_text_are_what_the_release_gives(figures: Any, printed: dict[str, PrintedTable]) -> None:
    text = " ".join(PAGE.split())
    once = {row[0]: row[4] for row in FIGURES["lines"](figures)}
    assert f"`vehbench score` gives {once['qwen3.6-plus']} for qwen3.6-plus" in text
    run = figures.runs["o4-mini"]
    tasks = {task.task_id: task for task in figures.inputs.tasks}
    rows = [Row(tasks[name], record) for name, record in run.merged("p4", "test_id").items()]
    tau = score_parts("p4", rows, "released")["tau"].value
    assert f"they print {printed['26'].rows['o4-mini']['test_id_tau']} where the partial log gives {tau:.2f}" in text


def test_counts_of_cells_in_the_readme_are_those_of_a_release_with_seven_logs(found: Reproduction) -> None:
    if len(found.matched) != len({row[0] for row in tables()["table_2"]}):
        pytest.skip("the release at hand has other logs than the README counts")
    counts = [table.by_source["row_logs"] for table in found.tables.values()]
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"one of {sum(c.compared for c in counts)} cells with row logs differs" in text
    assert sum(c.compared - c.equal for c in counts) == 1
    within = [cell for table in found.tables.values() for cell in table.within if cell.source == "row_logs"]
    assert len(within) == 3
    assert "three interval ends agree only within resampling noise" in text
