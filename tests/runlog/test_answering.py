"""A run is of one model: another server under its name does not go on with it, and a folder may be moved."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from command_line import vehbench
from fake_server import Answer, FakeServer, completion
from made_runs import make_run, mixed
from vehbench_hf.bank.bank import Bank, bank_with
from vehbench_hf.errors import BankError, RunError
from vehbench_hf.runlog import load_run
from vehbench_hf.runlog.answering import answering
from vehbench_hf.runlog.begin import note_backend

FINE = completion('{"action": "propose_design"}')
FIRST = {"kind": "openai", "base_url": "http://a.example/v1", "client": "openai 1", "engine": "vllm", "context": 4096}


@pytest.fixture
def run(small_bank: Bank, tmp_path: Path) -> Path:
    folder = make_run(tmp_path / "run", small_bank, mixed, limit=1)
    note_backend(folder, FIRST, same_model=False)
    return folder


@pytest.mark.parametrize(
    "change",
    [
        {"base_url": "http://a.example/other/v1"},
        {"base_url": "http://b.example/v1"},
        {"engine": None},
        {"context": 8192},
    ],
)
def test_another_server_goes_on_only_where_the_user_says_that_it_is_the_same_model(
    change: dict[str, Any], run: Path, small_bank: Bank
) -> None:
    other = {**FIRST, **change}
    with pytest.raises(RunError, match="--same-model"):
        note_backend(run, other, same_model=False)
    assert load_run(run, small_bank).problems == []
    note_backend(run, other, same_model=True)
    (problem,) = load_run(run, small_bank).problems
    assert "2 backends" in problem
    note_backend(run, FIRST, same_model=False)


@pytest.mark.parametrize("change", [{"client": "openai 2"}, {"request": {"temperature": 0}}, {}])
def test_the_same_server_goes_on_with_another_client(change: dict[str, Any], run: Path, small_bank: Bank) -> None:
    note_backend(run, {**FIRST, **change}, same_model=False)
    assert load_run(run, small_bank).problems == []


def test_weights_are_known_by_what_they_are_before_where_they_lie() -> None:
    here = {"kind": "vllm", "weights": {"path": "/a", "commit": None, "fingerprint": "f" * 16}, "dtype": "bfloat16"}
    there = {**here, "weights": {**here["weights"], "path": "/b"}}  # type: ignore[dict-item]
    assert answering(here) == answering(there)
    assert answering({**here, "dtype": "float16"}) != answering(here)
    assert answering({**here, "weights": {"path": "/a"}}) != answering(here)


def test_score_says_that_a_run_is_of_several_backends(run: Path, small_bank: Bank) -> None:
    note_backend(run, {**FIRST, "context": 1}, same_model=True)
    done = vehbench("score", run, "--bank", small_bank.path)
    assert "2 backends" in done.stdout + done.stderr


def test_a_run_folder_may_be_moved_when_its_bank_is_where_banks_lie(
    run: Path, small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "deeper" / "er" / "run"
    shutil.copytree(run, moved)
    lost = vehbench("score", moved)
    assert lost.returncode == 2
    assert "--bank" in lost.stderr
    monkeypatch.setattr("vehbench_hf.bank.bank.DEFAULT_BANK", str(small_bank.path))
    assert vehbench("score", moved).returncode in (0, 3)


def test_a_fingerprint_that_no_bank_has_is_refused_with_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(BankError, match="among v2, v1"):
        bank_with("0" * 64, [tmp_path])


def test_two_servers_have_two_run_folders(small_bank: Bank, tmp_path: Path) -> None:
    command = ("run", "--model", "openai/m", "--bank", small_bank.path, "--limit", 1, "--probes", "p1", "--base-url")
    with FakeServer(lambda body, number: FINE) as first, FakeServer(lambda body, number: FINE) as second:
        for server in (first, second, first):
            assert vehbench(*command, server.url, cwd=tmp_path).returncode == 0
        assert len(first.requests) == 1
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_other_weights_behind_the_name_are_another_model(small_bank: Bank, tmp_path: Path) -> None:
    served = [Answer(json.dumps({"data": [{"id": "m", "root": root}]}).encode()) for root in ("org/a", "org/b")]
    command = ("run", "--model", "openai/m", "--bank", small_bank.path, "--limit", 1, "--probes", "p1", "--out")
    with FakeServer(lambda body, number: FINE, models=served[0]) as server:
        assert vehbench(*command, tmp_path / "run", "--base-url", server.url).returncode == 0
        assert vehbench(*command, tmp_path / "run", "--base-url", server.url).returncode == 0
        server.models = served[1]
        other = vehbench(*command, tmp_path / "run", "--base-url", server.url)
    assert other.returncode == 2
    assert "org/b" in other.stderr


@pytest.mark.parametrize("bank", ["../../gone/bank_v2", "", "/etc/passwd", "a\x00b", "n" * 5000])
def test_a_bank_that_is_not_where_it_was_is_asked_for(bank: str, run: Path, small_bank: Bank) -> None:
    info = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(info | {"bank": bank}))
    lost = vehbench("score", run)
    assert lost.returncode == 2
    assert "--bank" in lost.stderr
