"""The command line keeps its contract: exit codes, clean standard output, no traceback for a user's mistake."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import made_runs
from command_line import vehbench
from vehbench_hf.bank.bank import Bank


@pytest.fixture(autouse=True)
def _on_the_small_bank(small_bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a test of the command line takes a second and not ten."""
    monkeypatch.setenv("VEHBENCH_BANK", str(small_bank.path))


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from vehbench_cli import main; main()", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_bare_run_evaluates_the_baseline_and_says_what_it_is(tmp_path: Path) -> None:
    done = vehbench("run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "not a language model" in done.stderr
    for word in ("P1", "P2", "P3", "P4", "turns.jsonl", "veh-small-1 | prompts 1 | protocol 1 | scorer 2 | defined"):
        assert word in done.stdout
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("baseline-anchor-veh-small-1-")
    again = vehbench("run", cwd=tmp_path)
    assert again.returncode == 0
    assert " 0 calls made now" in again.stderr
    assert again.stdout == done.stdout


def test_without_a_bank_the_benchmark_itself_is_run(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from vehbench_cli import main; main()", "run", "--limit", "3"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VEHBENCH_")}
    done = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "veh-v2 | prompts 1 | protocol 1 | scorer 2 | defined" in done.stdout


def test_two_runs_of_one_command_give_identical_scores(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert vehbench("run", "--model", "baseline/random", "--out", tmp_path / name).returncode == 0
    first, second = ((tmp_path / name / "scores.json").read_bytes() for name in ("a", "b"))
    assert first == second


def test_score_json_is_all_there_is_on_standard_output(tmp_path: Path) -> None:
    assert vehbench("run", "--out", tmp_path / "run").returncode == 0
    done = vehbench("score", tmp_path / "run", "--json")
    assert done.returncode == 0
    scores = json.loads(done.stdout)
    assert set(scores) >= {"schema", "versions", "bank", "convention", "model", "complete", "usage", "probes"}
    assert set(scores["probes"]) == {"p1", "p2", "p3", "p4"}
    for found in scores["probes"].values():
        assert set(found["headline"]) >= {"name", "value", "interval", "n"}
        assert set(found) >= {"all", "parts", "outcomes", "splits"}
    assert json.loads((tmp_path / "run" / "scores.json").read_text()) == scores


def test_a_run_folder_with_other_settings_is_refused_and_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert vehbench("run", "--out", out, "--limit", 2).returncode == 0
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    refused = vehbench("run", "--out", out, "--limit", 3, "--seed", 7)
    assert refused.returncode == 2
    assert "limit: the run has 2, now 3" in refused.stderr
    assert "sampling.seed: the run has null, now 7" in refused.stderr
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["run", "--model", "openai/"], "baseline/anchor"),
        (["run", "--model", "nonsense"], "baseline/anchor"),
        (["run", "--bank", "nowhere"], "manifest.json"),
        (["run", "--probes", "p5"], "p1"),
        (["run", "--split", "nonsense"], "test_ood"),
        (["run", "--probes", ""], "--probes"),
        (["run", "--limit", "0"], "--limit"),
        (["run", "--limit", "many"], "--limit"),
        (["run", "--out", "/dev/null/x"], "run folder"),
        (["run", "--no-such-option"], "No such option"),
        (["score", "nowhere"], "run.json"),
        (["score", "/dev/null"], "run.json"),
        (["score"], "Usage"),
        (["import", "nowhere"], "nowhere"),
        (["import", "/dev/null"], "/dev/null"),
        (["reproduce", "nowhere"], "nowhere"),
        (["tasks", "no-such-task"], "no-such-task"),
        (["no-such-command"], "No such command"),
    ],
)
def test_a_mistake_ends_with_words_and_exit_code_2(arguments: list[str], word: str, tmp_path: Path) -> None:
    done = vehbench(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_bank_v1_before_its_import_says_how_to_get_it(tmp_path: Path) -> None:
    done = vehbench("run", "--bank", "v1", cwd=tmp_path, VEHBENCH_HOME=str(tmp_path / "home"))
    assert done.returncode == 2
    assert "vehbench import" in done.stderr


@pytest.mark.slow
def test_import_without_out_serves_bank_v1_from_anywhere(release_dir: Path, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    assert vehbench("import", release_dir, VEHBENCH_HOME=home).returncode == 0
    done = vehbench("run", "--bank", "v1", "--limit", 2, cwd=tmp_path, VEHBENCH_HOME=home)
    assert done.returncode == 0, done.stderr
    assert "veh-v1 | prompts 1 | protocol 1 | scorer 2 | released" in done.stdout


def test_a_moved_bank_is_found_by_option_and_a_wrong_one_refused(small_bank: Bank, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(small_bank.path, tmp_path / "bank")
    assert vehbench("run", "--bank", tmp_path / "bank", "--out", tmp_path / "run").returncode == 0
    (tmp_path / "bank").rename(tmp_path / "moved")
    lost = vehbench("score", tmp_path / "run")
    assert lost.returncode == 2
    assert vehbench("score", tmp_path / "run", "--bank", tmp_path / "moved").returncode == 0


def test_a_wrong_bank_is_refused_for_scoring(bank_v1: Bank, tmp_path: Path) -> None:
    assert vehbench("run", "--out", tmp_path / "run", "--limit", 1).returncode == 0
    done = vehbench("score", tmp_path / "run", "--bank", bank_v1.path)
    assert done.returncode == 2
    assert "not the bank" in done.stderr


def test_damage_to_the_log_is_named_and_repaired_by_the_same_command(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert vehbench("run", "--out", out).returncode == 0
    scores, log = (out / "scores.json").read_bytes(), out / "turns.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0], b"garbage\n", *lines[2:]]))
    scored = vehbench("score", out, "--json")
    assert scored.returncode == 0
    assert json.loads(scored.stdout)["complete"] is False
    assert "turns.jsonl:2" in json.loads(scored.stdout)["problems"][0]
    again = vehbench("run", "--out", out)
    assert again.returncode == 0
    assert " 1 calls made now" in again.stderr
    repaired = json.loads((out / "scores.json").read_text())
    assert repaired["complete"] is True
    assert repaired["probes"] == json.loads(scores)["probes"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 130), (signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_stopped_run_goes_on_to_the_same_scores(
    number: signal.Signals, code: int, bank_v1: Bank, tmp_path: Path
) -> None:
    arguments = ["run", "--model", "baseline/random", "--bank", bank_v1.path, "--probes", "p2,p4", "--out"]
    assert vehbench(*arguments, tmp_path / "whole").returncode == 0
    stopped = tmp_path / "stopped"
    process = start(*arguments, stopped)
    log = stopped / "turns.jsonl"
    while process.poll() is None and not (log.exists() and log.stat().st_size > 10_000):
        time.sleep(0.002)
    process.send_signal(number)
    _, errors = process.communicate()
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    done = vehbench(*arguments, stopped)
    assert done.returncode == 0, done.stderr
    assert (stopped / "scores.json").read_bytes() == (tmp_path / "whole" / "scores.json").read_bytes()


def test_tasks_shows_the_prompt_and_hides_gold(small_bank: Bank) -> None:
    listed = vehbench("tasks", "--probes", "p1")
    assert listed.returncode == 0
    ids = [line.split()[-1] for line in listed.stdout.splitlines()]
    assert ids == [task.task_id for task in small_bank.tasks if task.probe == "p1"]
    shown = vehbench("tasks", ids[0])
    assert "[system]" in shown.stdout
    assert ids[0] not in shown.stdout
    assert json.loads(vehbench("tasks", ids[0], "--row").stdout)["task_id"] == ids[0]


def test_help_names_every_option_of_the_contract() -> None:
    shown = vehbench("run", "--help", COLUMNS="200", TERM="dumb")
    for option in ("--model", "--probes", "--split", "--limit", "--bank", "--out"):
        assert option in shown.stdout


def test_options_come_from_the_environment_too(tmp_path: Path) -> None:
    done = vehbench("run", cwd=tmp_path, VEHBENCH_MODEL="baseline/propose", VEHBENCH_LIMIT="1")
    assert done.returncode == 0
    assert "baseline/propose" in done.stdout


def test_two_commands_cannot_claim_one_folder(tmp_path: Path) -> None:
    from vehbench_hf.runlog import TurnWriter

    (tmp_path / "run").mkdir()
    with TurnWriter(tmp_path / "run"):
        done = vehbench("run", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "another process" in done.stderr
    assert not (tmp_path / "run" / "run.json").exists()
    assert vehbench("run", "--out", tmp_path / "run").returncode == 0


def test_what_a_kill_before_the_first_line_leaves_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json.123.tmp").write_text("{")
    assert vehbench("run", "--out", tmp_path / "run", "--limit", 1).returncode == 0


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    refused = vehbench("run", "--out", tmp_path)
    assert refused.returncode == 2
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_run_folder_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "er")
    assert vehbench("run", "--out", tmp_path / "link", "--limit", 1).returncode == 0
    assert vehbench("score", tmp_path / "link").returncode == 0


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "vehbench_hf", "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("vehbench ")


@pytest.mark.parametrize("command", [["import", "RELEASE"], ["tasks", "--bank", "v1"], ["install"]])
def test_a_user_without_a_home_folder_is_told_what_to_set(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", "~/.cache/huggingface/datasets")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    for name in ("VEHBENCH_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    done = vehbench(*command, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "HOME" in done.stderr


@pytest.mark.parametrize("command", ["score", "compare", "route", "verify", "experiment"])
@pytest.mark.parametrize(
    "settings",
    [
        {"model": "openai/x\x1b]0;PWNED\x07\x1b[2J"},
        {"model": "\ud800"},
        {"model": 3},
        {"prompts_version": "1\x1b[31m"},
        {"protocol_version": ["1"]},
        {"epochs": 10**9},
        {"limit": "2"},
        {"splits": [[]]},
        {"protocol.p2_stop": {}},
        {"domain": "\x1b[2J"},
    ],
)
def test_settings_of_a_stranger_are_refused_in_printable_words(
    command: str, settings: dict[str, object], run_of_a_stranger: Path
) -> None:
    info = json.loads((run_of_a_stranger / "run.json").read_text())
    info["settings"] |= settings
    (run_of_a_stranger / "run.json").write_text(json.dumps(info))
    given = {"compare": [run_of_a_stranger] * 2, "route": [run_of_a_stranger] * 2}
    first = ["control"] if command == "experiment" else []
    done = vehbench(command, *first, *given.get(command, [run_of_a_stranger]))
    assert done.returncode == 2, done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def run_of_a_stranger(small_bank: Bank, tmp_path: Path) -> Path:
    return made_runs.make_run(tmp_path / "run", small_bank, made_runs.no_failures)
