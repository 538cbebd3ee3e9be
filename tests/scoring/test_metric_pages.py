"""Every number has a page, and the examples on the pages are what the code computes."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judged import judge_for
from vehbench_hf.analysis.stage_choice import mean_norm
from vehbench_hf.paths import shipped
from vehbench_hf.scoring import Row, readable, score_parts
from vehbench_hf.scoring.repeats import repeats
from vehbench_hf.scoring.values import row_mean
from vehbench_hf.statistics import estimate, holm_adjusted, interval, p_value, repeat_interval, smallest_detectable
from vehbench_hf.types import PROBES, Step

PAGES = sorted(shipped("cards/metrics").glob("*.md"))
EXAMPLE = re.compile(r"```json example\n(.*?)```", re.DOTALL)
DECIMALS = 1e-6


def examples_of(page: Path) -> list[dict[str, Any]]:
    return [json.loads(block) for block in EXAMPLE.findall(page.read_text(encoding="utf-8"))]


EXAMPLES = [
    pytest.param(example, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, example in enumerate(examples_of(page))
]
SCORED = [p for p in EXAMPLES if "probe" in p.values[0]]
COMPUTED = [p for p in EXAMPLES if "function" in p.values[0]]


def row_of(make, probe: str, number: int, row: dict[str, Any]) -> Row:
    name = f"t{number}"
    if probe == "p1":
        return Row(*make.triage(row["action"], row["gold"], name, subtype=row["subtype"]))
    if probe == "p4":
        task = make.pool(name, sensitive=row.get("sensitive", ""), dominated=row.get("dominated", ""))
        return Row(task, make.rank(task, row["answer"]))
    power = row.get("reference_uw")
    gold: dict[str, Any] = {"reference": {"design": None, "power_uw": power, "power_uw_older": None}}
    gold["reference"]["upper_bound_uw"] = power
    return (search if probe == "p2" else recovery)(make, name, row, gold)


def search(make, name: str, row: dict[str, Any], gold: dict[str, Any]) -> Row:
    task = make.task("p2", name, gold=gold)
    short = {"freq_error_pct_limit": "freq", "stress_limit_mpa": "stress", "disp_limit_mm": "disp"}
    steps = []
    for turn in row["turns"]:
        if turn == "replan":
            steps.append(Step("replan"))
            continue
        slack = {short[limit]: value for limit, value in turn.get("slack", {}).items()}
        changes = {"tip_mass_g": turn["tip_mass_g"]} if "tip_mass_g" in turn else {}
        steps.append(make.propose(make.verdict(turn["power_uw"], **slack), **changes))
    return Row(task, make.record(task, *steps))


def recovery(make, name: str, row: dict[str, Any], gold: dict[str, Any]) -> Row:
    """The beam of the P3 pages under the limits they name."""
    spec = {
        "constraints": {
            "stress_limit_mpa": 30.0,
            "disp_limit_mm": 5.0,
            "freq_error_pct_limit": 4.0,
            "power_target_uw": 50.0,
        },
        "excitation": {"frequency_hz": 136.0, "acceleration_g": 0.5, "stated": []},
        "materials": {"piezo": "PZT-5A", "substrate": "stainless_steel", "damping_ratio": None},
    }
    trap = {"type": "x", "variable": "tip_mass_g", "direction": "increase", "secondary_constraint": None, "claims": []}
    task = make.task("p3", name, spec=spec, gold={**gold, "trap": trap})
    last = make.design(tip_mass_g=2.9)
    verdict = judge_for(task.spec, last)
    stored = {"feasible": False, "power_uw": verdict.objective, "slack": verdict.slack, "violations": []}
    task.spec["history"] = [{"design": last, "note": "", "verdict": {**stored, "metrics": None}}]
    designs = [make.design(tip_mass_g=mass) for mass in row["tip_masses_g"]]
    steps = [Step("propose_design", design=design, verdict=judge_for(task.spec, design)) for design in designs]
    return Row(task, make.record(task, *steps))


@pytest.mark.parametrize("example", SCORED)
def test_an_example_has_the_result_that_its_page_says(make, example):
    rows = [row_of(make, example["probe"], number, row) for number, row in enumerate(example["rows"])]
    found = score_parts(example["probe"], rows, example["convention"])
    for name, value in example["values"].items():
        assert found[name].value == (None if value is None else pytest.approx(value, abs=DECIMALS)), name
    for name, (numerator, of) in example.get("rates", {}).items():
        assert (found[name].numerator, found[name].denominator) == (pytest.approx(numerator), of), name
    among = score_parts(example["probe"], [row for row in rows if readable(row)], example["convention"])
    for name, value in example.get("parsed", {}).items():
        assert among[name].value == pytest.approx(value, abs=DECIMALS), name


@pytest.mark.parametrize("example", COMPUTED)
def test_a_statistic_has_the_result_that_its_page_says(make, example):
    n = None
    if example["function"] in ("interval", "difference"):
        values = [value for paper in example["papers"] for value in paper]
        clusters = [str(place) for place, paper in enumerate(example["papers"]) for _ in paper]
        limits = tuple(example["limits"]) if "limits" in example else None
        mean = estimate(row_mean(values).mean, np.ones(len(values)), clusters, limits=limits)
        if example["function"] == "interval":
            found = interval(mean)
        else:
            found = [*interval(mean), p_value(mean), smallest_detectable(mean)]
    elif example["function"] == "mean_norm":
        found = [mean_norm(example["held_out"], example["best"])]
    elif example["function"] == "repeats":
        found = repeat_interval(example["repeats"])
    elif example["function"] == "holm":
        found = holm_adjusted(example["p_values"])
    else:
        tasks = [make.task("p3", f"t{number}") for number in range(len(example["tries"]))]
        tries = [(task, x) for task, listed in zip(tasks, example["tries"], strict=True) for x in enumerate(listed)]
        rows = [Row(task, make.record(task, epoch=epoch)) for task, (epoch, _) in tries]
        column = row_mean(bool(x) for _, (_, x) in tries)
        part = repeats(rows, column.mean, example["k"], column)["pass"]
        found, n = [part["value"]], part["n"]
    assert list(found) == pytest.approx(example["values"], abs=5e-5)
    assert n == example.get("n")


@pytest.mark.parametrize("probe", PROBES)
def test_every_reported_number_is_explained_on_a_page(make, probe):
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES if page.name.startswith(probe))
    for convention in ("defined", "released"):
        names = score_parts(probe, [], convention)
        assert names
        for name in names:
            assert f"`{name}`" in text, name


def test_every_page_has_its_limits_and_its_example():
    assert len(PAGES) == 11
    for page in PAGES:
        if page.name == "README.md":
            continue
        text = page.read_text(encoding="utf-8")
        assert re.search(r"^## What (it does|they do|the intervals do) not (test|hold)", text, re.MULTILINE), page
        assert examples_of(page), page
