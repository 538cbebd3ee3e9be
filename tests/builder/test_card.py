"""Card and datasheet say what is in the bank: every figure is computed, limits come first, and the recipe runs."""

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from judged import judge_for
from vehbench_builder.documents.card import own_text, render_card, render_datasheet, with_header, write_documents
from vehbench_builder.documents.columns import MEANINGS, described, leaves, meaning_of
from vehbench_builder.documents.figures import figures_of
from vehbench_builder.veh.figures import figures_of_anchors, figures_of_oracle, forcing_of_a_bare_beam
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.schema import CANARY
from vehbench_hf.paths import shipped
from vehbench_hf.types import PROBES, Task

TEXTS = ["cards/dataset_card.md", "cards/datasheet.md"]
RENDERERS = [render_card, render_datasheet]


@pytest.mark.parametrize("name", TEXTS)
def test_no_figure_is_typed_by_hand(name: str) -> None:
    text = shipped(name).read_text(encoding="utf-8")
    for away in (r"```.*?```", r"\{%.*?%\}", r"\{\{.*?\}\}", r"`[^`]*`"):
        text = re.sub(away, " ", text, flags=re.DOTALL)
    for name_with_digits in (r"arXiv:\d+\.\d+", r"doi:\S+", r"\bP[1-4]\b", r"in 2026"):
        text = re.sub(name_with_digits, " ", text)
    assert re.findall(r"\S*\d\S*", text) == []


@pytest.mark.parametrize("render", RENDERERS)
def test_every_placeholder_is_filled_and_the_canary_comes_last(small_bank: Bank, render: Any) -> None:
    text = render(small_bank)
    assert not re.search(r"\{\{|\}\}|\{%|None|nan\b|\binf\b", text)
    assert text.count(CANARY) == 1
    assert text.rstrip().endswith(CANARY)


def test_limits_come_first(small_bank: Bank) -> None:
    assert re.findall(r"^## (.*)$", render_card(small_bank), flags=re.MULTILINE)[0] == "Limits, first"


def test_a_datasheet_has_all_its_parts(small_bank: Bank) -> None:
    text = render_datasheet(small_bank)
    parts = re.split(r"^## .*$", text, flags=re.MULTILINE)[1:]
    assert re.findall(r"^## (.*)$", text, flags=re.MULTILINE) == [
        "Motivation",
        "Composition",
        "Collection process",
        "Preprocessing, cleaning, labeling",
        "Uses",
        "Distribution",
        "Maintenance",
    ]
    for part in parts:
        assert re.findall(r"\*\*[^*]+\?\*\* \S", part)
        assert not re.findall(r"\?\*\*\s*(\n\n|\Z)", part)


def counted_in(text: str, config: str) -> list[str]:
    """The numbers of a config's line in the first table."""
    (line,) = re.findall(rf"^\| `{config}` \| [^|]*\|((?: \d+ \|){{2,}})$", text, flags=re.MULTILINE)
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("config", PROBES)
def test_the_table_counts_the_tasks_that_the_bank_has(small_bank: Bank, config: Any) -> None:
    splits = [str(len(small_bank.select([config], [split]))) for split in ("dev", "test_id", "test_ood")]
    total = str(len(small_bank.select([config])))
    assert counted_in(render_card(small_bank), config) == [*splits, total, total]
    headline = Bank(
        small_bank.path, {**small_bank.manifest, "headline_splits": ["test_id", "test_ood"]}, small_bank.tasks
    )
    assert counted_in(render_card(headline), config)[-1] == str(int(splits[1]) + int(splits[2]))


def changed(bank: Bank, probe: str, change: Any) -> Bank:
    """The bank with the first task of a probe replaced by what `change` makes of it."""
    first = next(task for task in bank.tasks if task.probe == probe)
    tasks = tuple(change(task) if task is first else task for task in bank.tasks)
    return Bank(bank.path, bank.manifest, tasks)


def test_an_infeasible_candidate_is_reported(small_bank: Bank) -> None:
    def break_a_limit(task: Task) -> Task:
        first, *others = task.spec["candidates"]
        broken = {**first, "slack": {**first["slack"], "disp_limit_mm": -0.1}}
        return dataclasses.replace(task, spec={**task.spec, "candidates": [broken, *others]})

    assert figures_of(small_bank)["p4"]["infeasible"] == 0
    figures = figures_of(changed(small_bank, "p4", break_a_limit))["p4"]
    assert (figures["infeasible"], figures["candidates"]) == (1, 25)
    assert figures["least_slack"] < 0
    assert "1 of 25 candidates break a limit" in render_card(changed(small_bank, "p4", break_a_limit))


def test_the_faults_of_the_authors_bank_show(bank_v1: Bank) -> None:
    figures = figures_of(bank_v1)
    broken = sum(
        not all(value >= 0 for value in judge_for(task.spec, candidate["design"]).slack.values())
        for task in bank_v1.select(["p4"])
        for candidate in task.spec["candidates"]
    )
    assert figures["p4"]["infeasible"] == broken > 0
    assert figures["anchors"]["shared"] > 0
    assert figures["references"]["bounded"] == 0
    assert figures["references"]["worst"] is None
    assert "None" not in render_card(bank_v1) + render_datasheet(bank_v1)


def test_a_reference_far_from_its_bound_is_reported(small_bank: Bank) -> None:
    def with_bound(share: float | None) -> Bank:
        def change(task: Task) -> Task:
            reference = dict(task.gold["reference"] or {})
            reference["upper_bound_uw"] = None if share is None else reference["power_uw"] * share
            return dataclasses.replace(task, gold={**task.gold, "reference": reference})  # type: ignore[arg-type,typeddict-item]

        return changed(small_bank, "p2", change)

    before = figures_of(with_bound(None))["references"]
    tight = figures_of(with_bound(1.005))["references"]
    assert tight["within"] == {1: before["within"][1] + 1, 2: before["within"][2] + 1, 5: before["within"][5] + 1}
    for percent in (1, 2, 5):
        # A bound on a step of the ladder may round to a last digit above it.
        counts = figures_of(with_bound(1 + percent / 100 + 1e-13))["references"]["within"]
        assert counts[percent] == before["within"][percent] + 1
    assert figures_of(with_bound(1e6))["references"]["worst"] == pytest.approx(1e6 - 1)
    assert figures_of(with_bound(None))["references"]["bounded"] == figures_of(small_bank)["references"]["bounded"] - 1


def test_a_lost_witness_or_certificate_is_reported(small_bank: Bank) -> None:
    def strip(task: Task) -> Task:
        return dataclasses.replace(task, gold={**task.gold, "witness": None, "certificate": None})

    before = figures_of(small_bank)["p1"]
    tasks = tuple(strip(task) if task.probe == "p1" else task for task in small_bank.tasks)
    after = figures_of(Bank(small_bank.path, small_bank.manifest, tasks))["p1"]
    assert (before["witnessed"], before["certified"]) == (before["workable"], before["infeasible"])
    assert (after["witnessed"], after["certified"]) == (0, 0)
    assert after["workable"] == before["workable"] > 0 < before["infeasible"]


def test_an_unproven_lack_of_information_is_reported(small_bank: Bank) -> None:
    def completed(*verdicts: bool) -> dict[str, int]:
        ways = [{"name": "x", "changes": {}, "feasible": v, "witness": None, "certificate": None} for v in verdicts]
        tasks = tuple(
            dataclasses.replace(task, gold={**task.gold, "completions": ways})  # type: ignore[typeddict-item]
            for task in small_bank.select(["p1"])
        )
        found = figures_of(Bank(small_bank.path, small_bank.manifest, tasks))["p1"]
        return {name: found[name] for name in ("open", "both")}

    assert completed(True, False) == {"open": 1, "both": 1}
    assert completed(True, True) == completed(False) == completed() == {"open": 1, "both": 0}


def test_isomorphic_probes_are_named_on_a_card_only_where_there_are_some(small_bank: Bank) -> None:
    shipped_bank = open_bank("v2")
    part = shipped_bank.manifest["isomorphic"]
    text = render_card(shipped_bank)
    assert f"{part['groups']} groups of three rows, {part['rows']} in all" in text
    assert part["fingerprint"] in text
    header = {one["config_name"]: one for one in yaml.safe_load(text.split("---\n")[1])["configs"]}
    assert [one["path"] for one in header["isomorphic"]["data_files"]] == [file["path"] for file in part["files"]]
    assert part["fingerprint"][:16] in header["isomorphic"]["description"]
    assert f"{part['rows']}\nrows of isomorphic probes" in render_datasheet(shipped_bank)
    assert not re.search("groups of three|rows of isomorphic|somorphic probes", render_card(small_bank))
    assert "isomorphic" not in render_datasheet(small_bank)


def test_a_recovery_task_without_a_witness_is_reported(small_bank: Bank) -> None:
    before = figures_of(small_bank)["p3"]
    assert before["witnessed"] == before["tasks"] == 5
    assert before["least_slack"] >= 0.0045

    def strip(task: Task) -> Task:
        return dataclasses.replace(task, gold={**task.gold, "witness": None})

    assert figures_of(changed(small_bank, "p3", strip))["p3"]["witnessed"] == 4


def test_seed_and_versions_of_the_build_are_named(small_bank: Bank) -> None:
    build = {"seed": 17, "oracle": "abcdef", "versions": {"builder": "2.0", "numpy": "9.9"}}
    bank = Bank(small_bank.path, {**small_bank.manifest, "build": build}, small_bank.tasks)
    text = render_card(bank)
    for words in ("(seed 17)", "builder 2.0, numpy 9.9", "of the oracle: `abcdef`"):
        assert words in text
    assert "seed" not in re.sub("seeded", "", render_card(small_bank).split("## How it was made")[1].split("##")[0])


def test_a_bank_with_one_config_can_be_described(small_bank: Bank) -> None:
    for config in PROBES:
        files = [entry for entry in small_bank.manifest["files"] if entry["probe"] == config]
        part = Bank(small_bank.path, {**small_bank.manifest, "files": files}, tuple(small_bank.select([config])))
        text = render_card(part) + render_datasheet(part)
        assert not re.search(r"\{\{|None|nan\b", text)


def test_columns_and_descriptions_match() -> None:
    for config in (*PROBES, "isomorphic"):
        assert all(len(meaning_of(path)) > 3 for path in leaves(config))
    assert {column.path for column in described()} == set(MEANINGS)
    assert {column.configs for column in described(["p2"])} == {("p2",)}
    with pytest.raises(KeyError, match=r"column spec\.nonsense has no description"):
        meaning_of("spec.nonsense")


def test_the_card_states_the_units(small_bank: Bank) -> None:
    text = render_card(small_bank)
    for line in ("| `tip_mass_g` | m_t | g |", "| `load_power_uw` | P | uW |", "| `stress_limit_mpa` | MPa |"):
        assert line in text


def test_the_simplifications_of_the_oracle_have_the_stated_sizes() -> None:
    # Erturk and Inman (2008) give 1.566 for a cantilever without a tip mass.
    assert forcing_of_a_bare_beam() == pytest.approx(1.566, abs=5e-4)
    figures = figures_of_oracle()
    assert 0 < figures["permittivity_least"] < figures["permittivity_largest"] < 0.2
    assert figures["quality"] * figures["half_bandwidth_pct"] == pytest.approx(50)


def test_figures_of_anchors_do_not_contradict_each_other() -> None:
    figures = figures_of_anchors()
    assert figures["power"]["within"] <= figures["power"]["rows"] <= figures["total"]
    assert figures["frequency"]["within"] <= figures["frequency"]["rows"] <= figures["total"] - figures["fitted"]
    assert figures["scaled"] <= figures["outside"] <= figures["total"]


def test_the_documents_of_a_bank_leave_it_whole(small_bank: Bank, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(small_bank.path, tmp_path / "bank"))
    write_documents(folder)
    assert {"README.md", "DATASHEET.md", "croissant.json"} <= set(os.listdir(folder))
    bank = open_bank(folder)
    assert (bank.tasks, bank.manifest) == (small_bank.tasks, small_bank.manifest)
    assert with_header(bank, own_text(bank)) == (folder / "README.md").read_text(encoding="utf-8")
    first = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    write_documents(folder)
    assert first == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_other_rows_get_another_header(small_bank: Bank) -> None:
    def header(bank: Bank) -> Any:
        return yaml.safe_load(with_header(bank, "text").split("---\n")[1])

    other = Bank(small_bank.path, {**small_bank.manifest, "fingerprint": "0" * 64}, small_bank.tasks)
    assert header(other)["configs"] != header(small_bank)["configs"]


@pytest.mark.slow
def test_the_recipe_for_seen_tasks_runs(small_bank: Bank, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", render_card(small_bank), flags=re.DOTALL)
    (recipe,) = [block for block in blocks if "def headlines" in block]
    command = [sys.executable, "-c", "from vehbench_cli import main; main()", "run"]
    command += ["--bank", str(small_bank.path)]
    command += ["--split", "dev", "--out", "r"]
    done = subprocess.run([*command, "--model", "baseline/reference"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    call = "import json, sys; print(json.dumps(headlines(sys.argv[1], 'r', 'dev')))"
    done = subprocess.run(
        [sys.executable, "-c", recipe + call, small_bank.path], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {probe: one["n"] for probe, one in found.items()} == dict.fromkeys(PROBES, 2)
    assert [found[probe]["value"] for probe in ("p2", "p3", "p4")] == [1.0, 1.0, 1.0]
