"""`vehbench verify RUN` checks everything that lies in a run folder and says which file is at fault."""

import json
from pathlib import Path

import pytest

from command_line import vehbench
from records import Change, change_json, change_lines
from vehbench_hf.bank.bank import Bank, open_bank, write_bank
from vehbench_hf.hub.names import HubError
from vehbench_hf.hub.rules import check_bank
from vehbench_hf.hub.run_check import run_differences
from vehbench_hf.hub.submission import make_submission
from vehbench_hf.hub.submitted_record import make_record
from vehbench_hf.runlog import load_run, write_scores
from vehbench_hf.scoring import score_run

RESULTS = "submission/results"


@pytest.fixture
def run(small_published: None, run_of_small: Path, small_bank: Bank) -> Path:
    """A run with its scores and a submission."""
    write_scores(run_of_small, score_run(load_run(run_of_small, small_bank)))
    make_submission(run_of_small, small_bank, "org/model", "org", run_of_small / "submission")
    return run_of_small


def test_a_run_with_its_scores_and_submission_verifies(run: Path, small_bank: Bank) -> None:
    assert run_differences(run, small_bank)[0] == []
    done = vehbench("verify", run, "--bank", small_bank.path)
    assert done.returncode == 0, done.stderr
    assert "This proves that the scores follow from the log" in done.stdout
    assert "sign: " in done.stdout  # nobody answered these calls


def better(body: dict[str, dict[str, dict[str, dict[str, float]]]]) -> None:
    body["probes"]["p2"]["headline"]["value"] += 0.1


@pytest.mark.parametrize(
    ("pattern", "change", "words"),
    [
        ("scores.json", better, "scores.json: scores.probes.p2.headline.value: stated"),
        (f"{RESULTS}/records/*.json", lambda r: better(r["scores"]), "scores.probes.p2.headline.value: stated"),
        (
            f"{RESULTS}/logs/*/run.json",
            lambda run: run.update(begun="2020-01-01"),
            "run.json: stated",
        ),
        ("run.json", lambda run: run["settings"].update({"sampling.top_p": 0.5}), "settings.sampling.top_p: stated"),
    ],
)
def test_a_changed_file_is_named(pattern: str, change: Change, words: str, run: Path, small_bank: Bank) -> None:
    (file,) = run.glob(pattern)
    change_json(file, change)
    lines, _ = run_differences(run, small_bank)
    named = file.relative_to(run).as_posix() if pattern != "run.json" else "submission"
    fitting = [line for line in lines if words in line]
    assert fitting, lines
    assert any(named.rpartition("/run.json")[0] in line for line in fitting)
    done = vehbench("verify", run, "--bank", small_bank.path)
    assert (done.returncode, "Nothing is proven" in done.stdout, "This proves" in done.stdout) == (1, True, False)


@pytest.mark.parametrize(
    ("pattern", "change"),
    [
        (f"{RESULTS}/rows/*.jsonl", lambda text: text.replace('"value": ', '"value": 1')),
        ("submission/model/.eval_results/vehbench.yaml", lambda text: text.replace("value: ", "value: 1")),
        ("submission/model/.eval_results/vehbench.yaml", lambda text: "[" * 500),
        (f"{RESULTS}/logs/*/turns.jsonl", lambda text: text[: len(text) // 2]),
        (f"{RESULTS}/records/*.json", lambda text: "{"),
    ],
)
def test_a_changed_text_is_named(pattern: str, change: Change, run: Path, small_bank: Bank) -> None:
    (file,) = run.glob(pattern)
    file.write_text(change(file.read_text()))
    lines, _ = run_differences(run, small_bank)
    name = file.relative_to(run)
    assert any(line.startswith((str(name), str(name.parent))) for line in lines), lines


def test_a_damaged_log_is_named(run: Path, small_bank: Bank) -> None:
    change_lines(run / "turns.jsonl", lambda turns: turns[1:])
    lines, _ = run_differences(run, small_bank)
    assert any("log.turns.jsonl: stated" in line for line in lines)


def test_a_folder_with_nothing_to_check_says_what_to_do(run_of_small: Path, small_bank: Bank) -> None:
    done = vehbench("verify", run_of_small, "--bank", small_bank.path)
    assert done.returncode == 2
    assert "make it with `vehbench score" in done.stderr


def test_a_bank_that_only_calls_itself_the_published_one_is_refused(
    small_bank: Bank, run_of_small: Path, tmp_path: Path
) -> None:
    write_bank(tmp_path / "bank", small_bank.tasks, version="veh-v2", convention="defined", card="# Mine\n")
    bank = open_bank(tmp_path / "bank")
    with pytest.raises(HubError, match="calls itself veh-v2 and holds other tasks"):
        check_bank(bank)
    info = json.loads((run_of_small / "run.json").read_text())
    info["settings"] |= {"bank_version": bank.version, "bank_fingerprint": bank.fingerprint}
    (run_of_small / "run.json").write_text(json.dumps(info))
    with pytest.raises(HubError, match="calls itself veh-v2"):
        make_record(run_of_small, bank, "org/model")
    done = vehbench("verify", run_of_small, "--bank", bank.path)
    assert (done.returncode, "calls itself veh-v2" in done.stderr) == (2, True)
    (tmp_path / "results" / "records").mkdir(parents=True)
    done = vehbench("leaderboard", tmp_path / "results", "--bank", bank.path, "--out", tmp_path / "page")
    assert (done.returncode, "calls itself veh-v2" in done.stderr) == (2, True)
