"""The board shows verified records only, and what others wrote as text."""

import html
import json
import shutil
from pathlib import Path

import pytest

import made_runs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.failures import HubError
from vehbench_hf.hub.leaderboard import read_results, write_board
from vehbench_hf.hub.submission import make_submission
from vehbench_hf.protocol import Protocol


@pytest.fixture
def results(small_published: None, run_of_small: Path, small_bank: Bank, tmp_path: Path) -> Path:
    """A copy of the results dataset with three records: two default ones and one with another protocol."""
    folder = tmp_path / "results"
    best = made_runs.make_run(tmp_path / "best", small_bank, made_runs.gold)
    other = made_runs.make_run(tmp_path / "other", small_bank, made_runs.gold, protocol=Protocol(retries=0))
    for model, run in (("org/model", run_of_small), ("org/best", best), ("org/other", other)):
        made = make_submission(run, small_bank, model, "org", tmp_path / f"out-{run.name}")
        shutil.copytree(made.results, folder, dirs_exist_ok=True)
    return folder


def test_an_unverified_record_does_not_rank(results: Path, small_bank: Bank, tmp_path: Path) -> None:
    files = sorted((results / "records").iterdir())
    forged = json.loads(files[0].read_text())
    forged["scores"]["probes"]["p1"]["headline"]["value"] = 0.9999
    files[0].write_text(json.dumps(forged))
    (results / "records" / "broken.json").write_text("{")
    board = read_results(results, small_bank)
    assert {record["id"] for record in board.records} == {file.stem for file in files[1:]}
    assert [name for name, _ in board.left_out] == [files[0].name, "broken.json"]
    page, data = write_board(board, tmp_path / "page")
    text = page.read_text(encoding="utf-8")
    assert "99.99" not in text
    assert forged["model_id"] not in {row["model_id"] for row in json.loads(data.read_text())["rows"]}
    assert "scores.probes.p1.headline.value" in text


def test_records_that_do_not_compare_have_tables_of_their_own(results: Path, small_bank: Bank, tmp_path: Path) -> None:
    board = read_results(results, small_bank)
    assert board.left_out == ()
    text = write_board(board, tmp_path / "page")[0].read_text(encoding="utf-8")
    first, second = text.split("<h2>")[1:]
    tables = {
        name: table for table in (first, second) for name in ("org/model", "org/best", "org/other") if name in table
    }
    assert tables["org/model"] == tables["org/best"] != tables["org/other"]
    assert "protocol.retries = 0" in tables["org/other"]
    best = tables["org/best"][tables["org/best"].index("org/best") :].split("</tr>")[0]
    assert best.count("100.00<br>") == best.count("rank 1<") == 4
    behind = tables["org/model"][tables["org/model"].index("org/model") :].split("</tr>")[0]
    assert "rank 2<" in behind


def test_the_text_of_a_record_stays_text(results: Path, small_bank: Bank, tmp_path: Path) -> None:
    name = "<script>alert(1)</script>.json"
    (results / "records" / name.replace("/", "%")).write_text("{")
    text = write_board(read_results(results, small_bank), tmp_path / "page")[0].read_text(encoding="utf-8")
    assert "<script" not in text
    assert html.escape("<script>") in text


def test_a_folder_that_is_no_copy_is_refused_and_one_without_records_says_so(small_bank: Bank, tmp_path: Path) -> None:
    with pytest.raises(HubError, match="no copy of the results dataset"):
        read_results(tmp_path, small_bank)
    (tmp_path / "records").mkdir()
    text = write_board(read_results(tmp_path, small_bank), tmp_path / "page")[0].read_text(encoding="utf-8")
    assert "No verified record" in text
