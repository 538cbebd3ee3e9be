"""The folders in `metrics/` are complete Spaces, and what their cards and cases say is so."""

import ast
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

import vehbench_hf
from vehbench_hf.metrics.page import read_page
from vehbench_hf.probes import BENCHMARK, ProbeInfo

METRICS = Path(__file__).resolve().parents[2] / "metrics"


def header(folder: Path) -> tuple[dict[str, Any], str]:
    _, front, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), text


def test_every_space_is_a_metric_of_the_mapping() -> None:
    assert sorted(path.name for path in METRICS.iterdir() if path.is_dir()) == sorted(
        info.headline for info in BENCHMARK
    )


@pytest.mark.parametrize("names", BENCHMARK, ids=lambda names: names.headline)
def test_a_space_has_all_its_files_and_lines_of_its_card(names: ProbeInfo) -> None:
    folder = METRICS / names.headline
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert files == {f"{names.headline}.py", "app.py", "tests.py", "README.md", "requirements.txt"}
    card, text = header(folder)
    assert card["sdk"] == "gradio"
    assert re.fullmatch(r"\d+\.\d+\.\d+", card["sdk_version"])
    assert card["app_file"] == "app.py"
    assert card["tags"] == ["evaluate", "metric"]
    assert {"title", "emoji", "colorFrom", "colorTo", "pinned", "description", "license"} <= card.keys()
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert sections == ["Limits, first", "How to use", "Inputs", "Output", "Example", "Citation"]
    assert names.headline in text
    page = read_page(names.headline)
    assert f"Probe {names.probe.upper()} of" in " ".join(page.description.split())
    assert page.usage.strip().startswith("Inputs")
    assert "## Output" not in page.usage
    assert f"`{names.headline}`: " in page.usage
    assert "vehbench-hf" in (folder / "requirements.txt").read_text()


@pytest.mark.parametrize("names", BENCHMARK, ids=lambda names: names.headline)
def test_a_module_imports_in_a_way_that_evaluate_can_scan(names: ProbeInfo) -> None:
    source = (METRICS / names.headline / f"{names.headline}.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            assert len(node.names) == 1
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            # A class of `evaluate.Metric` imported by name would be taken for the module's own.
            assert not any(alias.name[:1].isupper() for alias in node.names)


@pytest.mark.parametrize("names", BENCHMARK, ids=lambda names: names.headline)
def test_a_case_of_a_space_gives_its_stated_result(names: ProbeInfo) -> None:
    cases = runpy.run_path(str(METRICS / names.headline / "tests.py"))["test_cases"]
    assert len(cases) == 2
    metric = vehbench_hf.load_metric(names.headline)
    assert metric.name == names.headline
    for case in cases:
        found = metric.compute(predictions=case["predictions"], references=case["references"])
        assert {name: found[name] for name in case["result"]} == case["result"]
    assert cases[0]["result"] != cases[1]["result"]
