"""What is published can be loaded by the real clients, and nothing wrong is published."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from vehbench_builder.documents.export import write_dataset
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.names import HubError
from vehbench_hf.hub.publication import PlannedRepo, card_problems, plan_publication
from vehbench_hf.paths import shipped

PUSH = """
import sys
from pathlib import Path
from vehbench_hf.hub.publication import plan_publication, push_publication
for address in push_publication(plan_publication("org", Path(sys.argv[1]), Path(sys.argv[2]))):
    print(address)
"""
RESULTS = """
import json, sys
from datasets import load_dataset
rows = load_dataset("org/vehbench-results", split="results")
assert list(load_dataset("org/vehbench-results", split="results", streaming=True)) == rows.to_list()
assert load_dataset("org/vehbench-results")["results"].features == rows.features
assert {rows.features[name].dtype for name in ("value", "low", "high")} == {"float64"}, rows.features
assert {rows.features[name].dtype for name in ("n", "ok", "infra_error")} == {"int64"}, rows.features
print(json.dumps(list(rows["model_id"])))
"""
LOAD = """
import sys
import evaluate
from datasets import load_dataset
from vehbench_hf import load
from vehbench_hf.metrics.example import cases
whole = load("p2", bank=sys.argv[1])
p2 = load_dataset("org/vehbench", "p2")
assert {name: rows.to_list() for name, rows in p2.items()} == {name: rows.to_list() for name, rows in whole.items()}
assert list(load_dataset("org/vehbench", "p2", split="dev", streaming=True)) == whole["dev"].to_list()
assert load_dataset("org/vehbench")["dev"].to_list() == whole["dev"].to_list()  # by default
test = load_dataset("org/vehbench", "p4_ranking", split="test")
assert test.to_list() == load("p4_ranking", "test", bank=sys.argv[1]).to_list()
assert len(test) == 5, test
metric = evaluate.load("org/p4_tau")
for case in cases("p4_tau"):
    found = metric.compute(predictions=case["predictions"], references=case["references"])
    assert {name: found[name] for name in case["result"]} == case["result"]
found = metric.compute(predictions=[row["gold"]["ranking"] for row in test], references=test)
print(found["p4_tau"], found["n"])
"""


@pytest.fixture
def staged(small_bank: Bank, tmp_path: Path) -> Path:
    folder = tmp_path / "dataset"
    write_dataset(small_bank, folder)
    shutil.copyfile(shipped("cards/eval.yaml"), folder / "eval.yaml")
    return folder


def plan(staged: Path, tmp_path: Path, org: str = "org") -> list[PlannedRepo]:
    stage = tmp_path / "stage"
    stage.mkdir()
    return plan_publication(org, staged, stage)


@pytest.mark.slow
def test_what_is_published_can_be_loaded(
    hub: Any, at_hub: Any, small_bank: Bank, staged: Path, made_once: Path, tmp_path: Path
) -> None:
    (tmp_path / "stage").mkdir()
    addresses = at_hub(PUSH, staged, tmp_path / "stage").splitlines()
    assert len(addresses) == 6
    names = ("README.md", "manifest.json", "croissant.json", "eval.yaml", "LICENSE-DATA")
    assert set(names) <= set(hub.files("dataset", "org/vehbench"))
    assert not [name for name in hub.files("dataset", "org/vehbench") if name.endswith(".py")]
    for metric in ("p1_composite", "p2_ratio", "p3_success", "p4_tau"):
        assert {f"{metric}.py", "README.md", "app.py", "requirements.txt"} <= set(hub.files("space", f"org/{metric}"))
    assert at_hub(LOAD, small_bank.path).split() == ["1.0", "5"]
    # Before the first record, and after it.
    assert json.loads(at_hub(RESULTS)) == ["baseline/centre"] * 4
    record = next((made_once / "records").iterdir()).stem
    files = hub.files("dataset", "org/vehbench-results")
    files[f"rows/{record}.jsonl"] = (made_once / "rows" / f"{record}.jsonl").read_bytes()
    hub.repo("dataset", "org/vehbench-results").commit("main", files)
    assert json.loads(at_hub(RESULTS)).count("org/model") == 4
    # A file of an earlier version goes, what others sent to the results dataset stays.
    hub.files("dataset", "org/vehbench")["data/old.parquet"] = b"old"
    hub.files("dataset", "org/vehbench-results")["records/0123456789abcdef.json"] = b"{}"
    shutil.rmtree(tmp_path / "stage")
    (tmp_path / "stage").mkdir()
    at_hub(PUSH, staged, tmp_path / "stage")
    assert "data/old.parquet" not in hub.files("dataset", "org/vehbench")
    assert "records/0123456789abcdef.json" in hub.files("dataset", "org/vehbench-results")
    assert hub.unknown == []


def test_a_plan_states_the_size_and_hash_of_each_file(staged: Path, tmp_path: Path) -> None:
    repos = plan(staged, tmp_path)
    kinds = [(repo.repo_id, repo.repo_type) for repo in repos]
    assert kinds == [
        ("org/vehbench", "dataset"),
        *((f"org/{name}", "space") for name in ("p1_composite", "p2_ratio", "p3_success", "p4_tau")),
        ("org/vehbench-results", "dataset"),
    ]
    for repo in repos:
        assert repo.files
        for file in repo.files:
            data = (repo.folder / file.path).read_bytes()
            assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert 'evaluate.load("org/p4_tau")' in (repos[4].folder / "README.md").read_text()
    assert "submit RUN --org org --model-id OWNER/MODEL" in (repos[5].folder / "README.md").read_text()
    card = (repos[0].folder / "README.md").read_text()
    assert 'load_dataset("org/vehbench", "p2"' in card
    assert "(https://arxiv.org/abs/2607.18181)" in card
    assert "ORG/" not in (repos[5].folder / "README.md").read_text()
    assert card_problems(repos) == []


def test_the_card_of_the_benchmark_loads_it_from_its_repository(bank_v2: Bank, tmp_path: Path) -> None:
    write_dataset(bank_v2, tmp_path / "dataset")
    repos = plan(tmp_path / "dataset", tmp_path)
    card = (repos[0].folder / "README.md").read_text()
    assert card.count("load_dataset(") == card.count('load_dataset("org/vehbench", "p2", split="dev")') == 1
    rows = [json.loads(line) for line in (repos[5].folder / "rows" / "baseline.jsonl").read_text().splitlines()]
    stated = [15.02, 1.97, 0.0, -4.24]  # the baseline `centre` in the README
    assert [row["value"] for row in rows] == pytest.approx(stated, abs=0.011)


def test_the_columns_of_the_results_are_those_that_their_card_declares(made_once: Path) -> None:
    _, front, _ = shipped("cards/results_card.md").read_text(encoding="utf-8").split("---\n", 2)
    features = yaml.safe_load(front)["dataset_info"][0]["features"]
    declared = {
        feature["name"]: {"string": str, "float64": float, "int64": int}[feature["dtype"]] for feature in features
    }
    (rows,) = (made_once / "rows").iterdir()
    for line in rows.read_text().splitlines():
        row = json.loads(line)
        assert list(row) == list(declared)
        assert all(value is None or isinstance(value, declared[name]) for name, value in row.items())


@pytest.mark.parametrize("org", ["", "a/b", "../up", "a b", "-", "o" * 120, "a--b", "a..b"])
def test_a_name_that_is_no_organisation_is_refused(org: str, staged: Path, tmp_path: Path) -> None:
    with pytest.raises(HubError, match="expected the name of an organisation"):
        plan(staged, tmp_path, org)


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("README.md", "license: cc-by-4.0", "", "org/vehbench: README.md lacks the field license"),
        ("README.md", "data/p2/dev.parquet", "data/p2/gone.parquet", "config p2 names data/p2/gone.parquet, which is"),
        ("README.md", "- split: test_ood", "- split: dev", "config p1 lists the split dev twice"),
        ("eval.yaml", "config: p4_ranking", "config: p5", "eval.yaml names config p5 and split test, not in README.md"),
        ("eval.yaml", "split: test", "split: all", "eval.yaml names config p1_triage and split all"),
    ],
)
def test_a_broken_card_of_the_dataset_is_named(
    file: str, old: str, new: str, words: str, staged: Path, tmp_path: Path
) -> None:
    replace(staged / file, old, new)
    assert any(words in problem for problem in card_problems(plan(staged, tmp_path)))


def test_a_broken_space_is_named(staged: Path, tmp_path: Path) -> None:
    repos = plan(staged, tmp_path)
    replace(repos[1].folder / "README.md", "sdk: gradio\n", "")
    without = PlannedRepo(repos[2].repo_id, "space", repos[2].folder, repos[2].files[:1])
    problems = card_problems([repos[1], without])
    assert "org/p1_composite: README.md lacks the field sdk" in problems
    assert "org/p2_ratio: p2_ratio.py is missing" in problems
