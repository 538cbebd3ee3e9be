"""A record whose every number follows from its log can still mislead; it stays off the board."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.failures import HubError
from vehbench_hf.hub.leaderboard import read_results, write_board
from vehbench_hf.hub.submitted_record import (
    log_hashes,
    make_record,
    public_run_json,
    record_id,
    rows_text,
    run_json_hash,
)
from vehbench_hf.runlog import load_run
from vehbench_hf.runlog.differences import deviations
from vehbench_hf.scoring import score_run
from vehbench_hf.types import Task

Change = Callable[[Any], Any]


@pytest.fixture
def results(made_once: Path, tmp_path: Path) -> Path:
    """A copy of the results dataset with one honest record."""
    return shutil.copytree(made_once, tmp_path / "results")


def nothing(value: Any) -> None:
    pass


def forge(results: Path, bank: Bank, turns: Change = nothing, run: Change = nothing, record: Change = nothing) -> None:
    """Change log, `run.json` or record, and compute every hash and score again from what they then hold."""
    (file,) = (results / "records").iterdir()
    log = results / "logs" / file.stem
    lines = [json.loads(line) for line in (log / "turns.jsonl").read_text().splitlines()]
    lines = turns(lines) or lines
    (log / "turns.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    info = json.loads((log / "run.json").read_text())
    run(info)
    (log / "run.json").write_text(json.dumps(info))
    scores = score_run(load_run(log, bank, tasks=bank.tasks))
    body = json.loads(file.read_text()) | {
        "log": log_hashes(log),
        "settings": info["settings"],
        "deviations": deviations(info["settings"]),
        "run_json": run_json_hash(public_run_json(info)),
        "comparability": scores["comparability"],
        "scores": {name: value for name, value in scores.items() if name not in ("versions", "problems")},
    }
    record(body)
    body["id"] = record_id(body)
    file.unlink()
    log.rename(log.with_name(body["id"]))
    file.with_name(f"{body['id']}.json").write_text(json.dumps(body))
    (results / "rows" / f"{file.stem}.jsonl").unlink()
    if not record_is_broken(body):
        (results / "rows" / f"{body['id']}.jsonl").write_text(rows_text(body))


def record_is_broken(body: Any) -> bool:
    probes = body["scores"].get("probes", {}).values()
    return not all({"headline", "outcomes"} <= set(found) and "interval" in found["headline"] for found in probes)


def left_out(results: Path, bank: Bank) -> str:
    board = read_results(results, bank)
    assert board.records == ()
    ((_, reason),) = board.left_out
    return reason


def test_a_record_without_a_forgery_ranks(results: Path, small_bank: Bank) -> None:
    forge(results, small_bank)
    assert len(read_results(results, small_bank).records) == 1


def test_a_log_without_the_tasks_that_went_badly_does_not_rank(results: Path, small_bank: Bank) -> None:
    forge(results, small_bank, turns=lambda turns: [t for t in turns if "p4" not in t["task"] or "::01" in t["task"]])
    assert "the run is incomplete" in left_out(results, small_bank)


def written_step(task: Task) -> dict[str, Any]:
    """A step whose verdict nobody computed, as in an imported log."""
    verdict = {"feasible": True, "objective": 1e9, "metrics": {}, "slack": {}, "violations": []}
    step: dict[str, Any] = {
        "action": "propose_design",
        "design": None,
        "verdict": verdict | {"total_violation": 0.0, "message": ""},
    }
    step |= {"ranking": task.gold["ranking"] or [], "missing_fields": [], "repairs": [], "harness_action": None}
    place = {"task": task.task_id, "epoch": 0, "index": 0, "attempt": 0, "time": "2026-11-30"}
    return {**place, "recorded": step | {"outcome": "ok", "reference_power_uw": None}}


def test_a_log_with_written_verdicts_does_not_rank(results: Path, small_bank: Bank) -> None:
    def imported(info: dict[str, Any]) -> None:
        info["kind"] = "recorded"

    forge(results, small_bank, turns=lambda _: [written_step(task) for task in small_bank.tasks], run=imported)
    assert "no run of a language model" in left_out(results, small_bank)


@pytest.mark.parametrize(
    ("name", "value"),
    [("model", "baseline/reference"), ("model", "vllm/org/other"), ("isomorphic", "x"), ("prompts_version", "<b>")],
)
def test_a_run_that_could_not_be_submitted_does_not_rank(
    name: str, value: str, results: Path, small_bank: Bank
) -> None:
    forge(results, small_bank, run=lambda info: info["settings"].update({name: value}))
    assert left_out(results, small_bank).startswith("scores: ")


@pytest.mark.usefixtures("small_published")
@pytest.mark.parametrize("name", ["subset", "isomorphic"])
def test_a_part_of_the_tasks_cannot_be_submitted(name: str, run_of_small: Path, small_bank: Bank) -> None:
    info = json.loads((run_of_small / "run.json").read_text())
    info["settings"][name] = "p3_intervention"
    (run_of_small / "run.json").write_text(json.dumps(info))
    with pytest.raises(HubError, match=f"made with --{name} p3_intervention"):
        make_record(run_of_small, small_bank, "org/model")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda record: record["scores"]["probes"].pop("p1"), "scores.probes.p1: missing"),
        (lambda record: record["scores"]["probes"]["p1"].pop("outcomes"), "scores.probes.p1.outcomes: missing"),
        (
            lambda record: record["scores"]["probes"]["p1"]["headline"].pop("interval"),
            "scores.probes.p1.headline.interval: missing",
        ),
        (lambda record: record["versions"].update(vehbench=["<b>"]), "the field versions.vehbench"),
        (lambda record: record["versions"].update(run="x"), "versions.run: stated x"),
    ],
)
def test_a_record_that_hides_a_part_of_its_scores_does_not_rank(
    change: Change, words: str, results: Path, small_bank: Bank
) -> None:
    forge(results, small_bank, record=change)
    assert words in left_out(results, small_bank)


def test_rows_of_other_numbers_stay_off_the_board(results: Path, small_bank: Bank) -> None:
    (rows,) = (results / "rows").iterdir()
    rows.write_text(rows.read_text().replace('"value": ', '"value": 1'))
    assert "does not hold the headlines" in left_out(results, small_bank)


def test_an_odd_file_among_the_records_is_left_out(results: Path, small_bank: Bank, tmp_path: Path) -> None:
    (results / "records" / "folder.json").mkdir()
    (results / "records" / "device.json").symlink_to("/dev/zero")
    name = os.fsdecode(b"\xff\x1b[2J.json")
    try:
        (results / "records" / name).write_text("{")
    except OSError:
        name = "\x1b[2J.json"
        (results / "records" / name).write_text("{")
    board = read_results(results, small_bank)
    assert (len(board.records), len(board.left_out)) == (1, 3)
    assert all(text.isprintable() for pair in board.left_out for text in pair)
    write_board(board, tmp_path / "page")


@pytest.mark.parametrize("name", ["turns.jsonl", "run.json"])
def test_a_log_without_an_end_is_left_out(name: str, results: Path, small_bank: Bank) -> None:
    (log,) = (results / "logs").iterdir()
    (log / name).unlink()
    (log / name).symlink_to("/dev/zero")
    assert f"{name} is no file" in left_out(results, small_bank)
    (log / name).unlink()
    with (log / name).open("wb") as stream:
        stream.truncate(2_000_000_000)
    assert "holds more than a log may" in left_out(results, small_bank)


def test_a_log_of_empty_lines_is_left_out(results: Path, small_bank: Bank) -> None:
    (log,) = (results / "logs").iterdir()
    (log / "turns.jsonl").write_bytes(b"\n" * 1_000_001)
    assert "has more than 1000000 lines" in left_out(results, small_bank)
