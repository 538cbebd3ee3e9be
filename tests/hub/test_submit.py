"""A submission says what the log gives, goes out as one pull request a repository, and carries no secret."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import eval_result_entries_to_yaml, parse_eval_result_entries

import made_runs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.names import HubError
from vehbench_hf.hub.submission import Submission, make_submission
from vehbench_hf.hub.submitted_record import headline_rows, make_record
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import load_run
from vehbench_hf.runlog.begin import note_backend
from vehbench_hf.scoring import score_run
from vehbench_hf.types import Reply

PUSH = """
import sys
from pathlib import Path
import vehbench_hf.hub.submitted_record
vehbench_hf.hub.submitted_record.published_bank = lambda: {"version": "veh-small-1", "fingerprint": ""}
from vehbench_hf.bank.bank import open_bank
from vehbench_hf.errors import UserError
from vehbench_hf.hub.push import push_submission
from vehbench_hf.hub.submission import make_submission
bank, run, model, out, *pushes = sys.argv[1:]
for push in pushes:
    made = make_submission(Path(run), open_bank(bank), model, "org", Path(out))
    try:
        print(*push_submission(made, model_repository=push == "model"), sep="\\n")
    except UserError as error:
        print(error)
"""


def submit(run: Path, bank: Bank, out: Path, model_id: str = "org/model") -> Submission:
    return make_submission(run, bank, model_id, "org", out)


@pytest.mark.usefixtures("small_published")
def test_the_eval_file_is_what_the_hub_reads(run_of_small: Path, small_bank: Bank, tmp_path: Path) -> None:
    made = submit(run_of_small, small_bank, tmp_path / "out")
    text = (made.model / ".eval_results" / "vehbench.yaml").read_text(encoding="utf-8")
    written = yaml.safe_load(text)
    entries = parse_eval_result_entries(written)
    assert eval_result_entries_to_yaml(entries) == written
    scores = score_run(load_run(run_of_small, small_bank))
    assert {entry.task_id: entry.value for entry in entries} == {
        task.task_id: round(100 * scores["probes"][task.probe]["headline"]["value"], 2) for task in BENCHMARK
    }
    for entry in entries:
        assert entry.dataset_id == "org/vehbench"
        assert entry.date == "2026-11-30"
        assert entry.source_url is not None
        hub = "https://huggingface.co/datasets/org/vehbench-results"  # whatever mirror this machine goes by
        assert entry.source_url == f"{hub}/blob/main/records/{made.record['id']}.json"
        assert entry.notes is not None
        assert scores["comparability"] in entry.notes
        assert "default settings" in entry.notes
        assert entry.verify_token is None
    assert "date: '2026-11-30'" in text


@pytest.mark.usefixtures("small_published")
def test_the_record_has_all_its_parts(run_of_small: Path, small_bank: Bank, tmp_path: Path) -> None:
    made = submit(run_of_small, small_bank, tmp_path / "out")
    name = made.record["id"]
    files = {str(path.relative_to(made.results)) for path in made.results.rglob("*") if path.is_file()}
    assert files == {f"records/{name}.json", f"rows/{name}.jsonl", f"logs/{name}/run.json", f"logs/{name}/turns.jsonl"}
    record = json.loads((made.results / "records" / f"{name}.json").read_text())
    assert record == made.record
    assert record["deviations"] == {}
    for probe in record["scores"]["probes"].values():
        assert {"headline", "outcomes", "parts"} <= probe.keys()
        assert len(probe["headline"]["interval"] or [0, 0]) == 2
    rows = [json.loads(line) for line in (made.results / "rows" / f"{name}.jsonl").read_text().splitlines()]
    assert rows == headline_rows(record)
    assert [row["task_id"] for row in rows] == [task.task_id for task in BENCHMARK]
    assert str(small_bank.path) not in (made.results / "logs" / name / "run.json").read_text()
    again = submit(run_of_small, small_bank, tmp_path / "out")
    assert again.record == made.record


@pytest.mark.usefixtures("small_published")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"limit": 3}, r"made with --limit 3"),
        ({"splits": ("dev",)}, r"lacks a split of the headline"),
        ({"model": "baseline/anchor"}, r"no run of a language model"),
        ({"model": "vllm/org/other"}, r"was made with vllm/org/other; the submission says org/model"),
    ],
)
def test_a_run_that_is_none_is_refused(options: dict[str, Any], words: str, small_bank: Bank, tmp_path: Path) -> None:
    run = made_runs.make_run(tmp_path / "run", small_bank, made_runs.gold, **options)
    with pytest.raises(HubError, match=words):
        make_record(run, small_bank, "org/model")


@pytest.mark.usefixtures("small_published")
def test_an_incomplete_run_is_refused(small_bank: Bank, tmp_path: Path) -> None:
    def fails_once(task: Any, index: int, attempt: int) -> Reply:
        failed = task.task_id == "v2::p2::dev::0006"
        return Reply(None, error="timeout") if failed else made_runs.gold(task, index, attempt)

    run = made_runs.make_run(tmp_path / "run", small_bank, fails_once)
    with pytest.raises(HubError, match="is incomplete"):
        make_record(run, small_bank, "org/model")


def test_a_run_on_another_bank_is_refused(run_of_small: Path, small_bank: Bank) -> None:
    with pytest.raises(HubError, match=r"bank veh-small-1; submissions are on veh-v2"):
        make_record(run_of_small, small_bank, "org/model")


@pytest.mark.usefixtures("small_published")
def test_every_deviation_is_named(small_bank: Bank, tmp_path: Path) -> None:
    protocol = Protocol(p2_stop="budget", retries=0)
    run = made_runs.make_run(tmp_path / "run", small_bank, made_runs.gold, protocol=protocol, epochs=2)
    made = submit(run, small_bank, tmp_path / "out")
    assert made.record["deviations"] == {"epochs": 2, "protocol.p2_stop": "budget", "protocol.retries": 0}
    notes = yaml.safe_load((made.model / ".eval_results" / "vehbench.yaml").read_text())[0]["notes"]
    assert 'protocol.p2_stop="budget"' in notes
    assert "default settings" not in notes


@pytest.mark.usefixtures("small_published")
@pytest.mark.parametrize(
    "model_id", ["model", "a/b/c", "../../etc", "org/..", "org/mo del", "https://hf.co/org/m", "/m"]
)
def test_a_model_id_never_becomes_a_path(model_id: str, run_of_small: Path, small_bank: Bank, tmp_path: Path) -> None:
    with pytest.raises(HubError, match="expected a repository of the Hub as ORG/NAME"):
        submit(run_of_small, small_bank, tmp_path / "out", model_id)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("small_published")
def test_a_key_in_the_log_is_not_published(small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")

    def leaks(task: Any, index: int, attempt: int) -> Reply:
        right = made_runs.gold(task, index, attempt)
        return Reply(f"key sk-0123456789abcdef {right.text}")

    run = made_runs.make_run(tmp_path / "run", small_bank, leaks)
    with pytest.raises(HubError, match=r"holds the value of \$SOME_API_KEY") as caught:
        submit(run, small_bank, tmp_path / "out")
    assert "sk-0123456789abcdef" not in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("small_published")
def test_a_folder_in_the_way_is_kept(run_of_small: Path, small_bank: Bank, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("years")
    with pytest.raises(HubError, match="in the way and no earlier submission"):
        submit(run_of_small, small_bank, tmp_path / "out")
    assert (tmp_path / "out" / "thesis.tex").read_text() == "years"


@pytest.mark.usefixtures("small_published")
def test_a_run_that_two_servers_answered_is_refused(small_bank: Bank, run_of_small: Path, tmp_path: Path) -> None:
    for url in ("http://a.example/v1", "http://b.example/v1"):
        note_backend(run_of_small, {"kind": "openai", "base_url": url}, same_model=True)
    with pytest.raises(HubError, match="2 backends"):
        submit(run_of_small, small_bank, tmp_path / "out")


@pytest.fixture
def published(hub: Any, small_bank: Bank) -> Any:
    """The Hub with the dataset, the results dataset and a model."""
    manifest = (small_bank.path / "manifest.json").read_bytes()
    repo = hub.repo("dataset", "org/vehbench")
    repo.commit("main", {"manifest.json": manifest})
    hub.repo("dataset", "org/vehbench-results")
    hub.repo("model", "maker/model")
    return hub


@pytest.mark.slow
def test_a_second_submission_updates_the_pull_request_of_the_first(
    published: Any, at_hub: Any, small_bank: Bank, run_of_small: Path, tmp_path: Path
) -> None:
    arguments = (small_bank.path, run_of_small, "maker/model", tmp_path / "out")
    sent_twice = at_hub(PUSH, *arguments, "model", "model").splitlines()
    assert [line.split()[0] for line in sent_twice] == ["opened", "opened", "updated", "updated"]
    model = published.repo("model", "maker/model")
    assert len(model.pulls) == 1
    assert published.files("model", "maker/model") == {}
    sent = published.files("model", "maker/model", "refs/pr/1")
    assert list(sent) == [".eval_results/vehbench.yaml"]
    revision = published.repo("dataset", "org/vehbench").heads["main"]
    entries = parse_eval_result_entries(yaml.safe_load(sent[".eval_results/vehbench.yaml"]))
    assert {entry.dataset_revision for entry in entries} == {revision}
    # Until the results are taken over, the record stands in their pull request alone.
    assert all("/vehbench-results/blob/refs%2Fpr%2F1/records/" in str(entry.source_url) for entry in entries)
    assert len(published.repo("dataset", "org/vehbench-results").pulls) == 1
    results = published.files("dataset", "org/vehbench-results", "refs/pr/1")
    assert {path.split("/")[0] for path in results} == {"records", "rows", "logs"}
    # A closed one is left alone.
    model.pulls[0]["status"] = "closed"
    third = at_hub(PUSH, *arguments, "model").splitlines()
    assert [line.split()[0] for line in third] == ["updated", "opened"]
    assert published.unknown == []


@pytest.mark.slow
def test_an_api_model_needs_no_repository(
    published: Any, at_hub: Any, small_bank: Bank, run_of_small: Path, tmp_path: Path
) -> None:
    arguments = (small_bank.path, run_of_small, "maker/closed", tmp_path / "out")
    refused, sent = at_hub(PUSH, *arguments, "model", "results").splitlines()
    assert "there is no model maker/closed on the Hub" in refused
    assert sent.startswith("opened ")
    assert [pull["num"] for pull in published.repo("dataset", "org/vehbench-results").pulls] == [1]
    published.repo("dataset", "org/vehbench").commit("main", {"manifest.json": b'{"fingerprint": "0"}'})
    said = at_hub(PUSH, *arguments, "results")
    assert "the tasks in org/vehbench are not those of the run" in said
