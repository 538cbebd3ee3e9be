"""The commands of the Hub: exit codes, dry runs that send nothing, and the whole way on the published bank."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import made_runs
from vehbench_cli.commands.leaderboard import leaderboard_command
from vehbench_cli.commands.publish import publish_command
from vehbench_cli.commands.submit import submit_command
from vehbench_cli.commands.verify import verify_command
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.names import HubError


def call(command: Any, *arguments: object) -> Any:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


class Report:
    """What an audit gives, as far as `publish` looks at it."""

    def __init__(self, failed: bool) -> None:
        self.failed = failed

    def as_text(self) -> str:
        return "12 labels are wrong"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any request of a client fails the test."""

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a dry run asked the network")

    monkeypatch.setattr("socket.create_connection", refuse)
    monkeypatch.setattr("socket.socket.connect", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("failed", [False, True])
def test_a_failed_audit_is_not_published(failed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr("vehbench_builder.audit.all_checks.audit_bank", lambda bank, jobs: Report(failed))
    monkeypatch.setattr("vehbench_hf.hub.publication.push_publication", lambda repos: sent.append(repos) or ["sent"])
    dry = call(publish_command, "--org", "org")
    assert (dry.exit_code, "dry run: nothing was uploaded" in dry.output) == (int(failed), not failed)
    for repo in ("dataset org/vehbench:", "space org/p4_tau:", "dataset org/vehbench-results:"):
        assert repo in dry.output
    assert "eval.yaml" in dry.output
    assert sent == []
    pushed = call(publish_command, "--org", "org", "--push", "--no-eval-yaml")
    assert (pushed.exit_code, len(sent)) == ((1, 0) if failed else (0, 1))
    assert "eval.yaml" not in pushed.output


def test_another_bank_is_not_published(small_bank: Bank) -> None:
    done = call(publish_command, "--org", "org", "--bank", small_bank.path)
    assert isinstance(done.exception, HubError)
    assert "what is published is bank veh-v2" in str(done.exception)


@pytest.mark.usefixtures("no_network", "small_published")
def test_a_run_gets_all_the_way_to_the_board(run_of_small: Path, small_bank: Bank, tmp_path: Path) -> None:
    run = run_of_small
    submitted = call(submit_command, run, "--model-id", "org/model")
    assert submitted.exit_code == 0, submitted.output
    assert "dry run: written to" in submitted.output
    assert ".eval_results/vehbench.yaml" in submitted.output
    assert "revision" not in submitted.output.split("--- results")[0]
    (record,) = (run / "submission" / "results" / "records").iterdir()
    again = call(verify_command, record, "--bank", small_bank.path, "--rerun", 8, "--model", "baseline/reference")
    assert again.exit_code == 0, again.output
    assert "rerun with baseline/reference: " in again.output
    board = call(
        leaderboard_command, run / "submission" / "results", "--bank", small_bank.path, "--out", tmp_path / "board"
    )
    assert (board.exit_code, "1 records verified, 0 left out" in board.output) == (0, True)
    lines = (run / "turns.jsonl").read_text().splitlines()
    (run / "turns.jsonl").write_text("\n".join(lines[5:]) + "\n")
    tampered = call(verify_command, record, "--bank", small_bank.path, "--log", run)
    assert (tampered.exit_code, "log.turns.jsonl: stated " in tampered.output) == (1, True)


def test_a_run_that_was_never_submitted_can_be_verified(small_bank: Bank, tmp_path: Path) -> None:
    from vehbench_hf.runlog import load_run, write_scores
    from vehbench_hf.scoring import score_run

    run = made_runs.make_run(tmp_path / "run", small_bank, made_runs.gold)
    missing = call(verify_command, run)
    assert "make it with `vehbench score" in str(missing.exception)
    write_scores(run, score_run(load_run(run, small_bank)))
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    done = call(verify_command, run)
    assert (done.exit_code, "every number follows from the log" in done.output) == (0, True)
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before
    scores = json.loads((run / "scores.json").read_text())
    scores["probes"]["p3"]["outcomes"]["ok"] = 4
    (run / "scores.json").write_text(json.dumps(scores))
    done = call(verify_command, run)
    assert done.exit_code == 1
    assert "scores.json: scores.probes.p3.outcomes.ok: stated 4, computed 5" in done.output


@pytest.mark.parametrize("model", ["baseline/reference", "baseline/propose"])
def test_a_rerun_agrees_with_its_own_model_only(model: str, small_bank: Bank, tmp_path: Path) -> None:
    from vehbench_cli.rerun import rerun_tasks

    run = made_runs.make_run(tmp_path / "run", small_bank, made_runs.gold)
    found = rerun_tasks(run, small_bank, 8, model)
    assert found.asked == 8
    if model == "baseline/reference":
        assert (found.same, found.mean_difference) == (8, 0.0)
    else:
        assert found.same < 8
        assert found.mean_difference is not None
        assert found.mean_difference > 0.1
