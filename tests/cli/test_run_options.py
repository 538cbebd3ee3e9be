"""Options of `vehbench run` that decide what is asked, what it may cost, and what is only shown."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vehbench_cli import app
from vehbench_cli.run_options import named_values, read_shard
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.runlog import read_turns

RUN = ["run", "--model", "baseline/random"]


@pytest.fixture
def on_the_small_bank(small_bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VEHBENCH_BANK", str(small_bank.path))


def vehbench(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("text", ["", "1", "1/", "/2", "2/2", "3/2", "-1/2", "0/0", "a/b", "1/2/3", "0.5/2", "²/3"])
def test_a_shard_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--shard"):
        read_shard(text)


@pytest.mark.parametrize("pair", ["", "=1", "name", " =x"])
def test_a_pair_without_a_name_is_refused(pair: str) -> None:
    with pytest.raises(UserError, match="--engine-arg"):
        named_values([pair], "--engine-arg")


def test_values_keep_their_kind() -> None:
    assert named_values(["a=NaN", "b=-Infinity"], "--x") == {"a": "NaN", "b": "-Infinity"}  # no JSON, so texts
    given = ["a=1", "b=true", "c=text", 'd={"e": [1]}', "f=x=y", "g="]
    assert named_values(given, "--x") == {"a": 1, "b": True, "c": "text", "d": {"e": [1]}, "f": "x=y", "g": ""}


@pytest.mark.usefixtures("on_the_small_bank")
def test_shards_cover_every_task_once(tmp_path: Path) -> None:
    out = tmp_path / "run"
    seen: list[str] = []
    for number in range(3):
        done = vehbench(*RUN, "--out", out, "--shard", f"{number}/3")
        assert done.exit_code == 0, done.output
        lines = (out / f"turns-{number}.jsonl").read_text().splitlines()
        seen += {json.loads(line)["task"] for line in lines}
    assert len(seen) == len(set(seen)) == 20
    assert json.loads((out / "scores.json").read_text())["complete"]
    whole = vehbench(*RUN, "--out", tmp_path / "whole")
    assert whole.exit_code == 0
    scores = [json.loads((folder / "scores.json").read_text())["probes"] for folder in (out, tmp_path / "whole")]
    assert scores[0] == scores[1]
    again = vehbench(*RUN, "--out", out)
    assert "0 calls made now, 20 episodes from the log" in again.output


def test_a_dry_run_neither_calls_nor_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(
        "date: 2026-11-01\ncurrency: EUR\nper_million_tokens:\n  openai/m: {input: 1, output: 8}"
    )
    done = vehbench("run", "--model", "openai/m", "--dry-run", "--prices", "p.yaml", "--epochs", 2)
    assert done.exit_code == 0, done.output
    assert re.search(r"P2 .*416 to 2,496", done.output)
    assert re.search(r"P1 .*480", done.output)
    assert "EUR" in done.output
    assert [file.name for file in tmp_path.iterdir()] == ["p.yaml"]


@pytest.mark.usefixtures("on_the_small_bank")
def test_the_shown_prompt_is_what_is_sent() -> None:
    done = vehbench(*RUN, "--print-prompt", "v2::p2::dev::0006")
    assert done.exit_code == 0
    shown = json.loads(done.output)
    assert [message["role"] for message in shown] == ["system", "user"]
    assert "query_budget" in shown[1]["content"]


@pytest.mark.usefixtures("on_the_small_bank")
def test_the_paper_protocol_fixes_the_temperature(tmp_path: Path) -> None:
    done = vehbench(*RUN, "--protocol", "paper", "--temperature", "0.7", "--out", tmp_path / "run")
    assert isinstance(done.exception, UserError)
    assert not (tmp_path / "run").exists()
    done = vehbench(*RUN, "--protocol", "paper", "--limit", 1, "--out", tmp_path / "run")
    settings = json.loads((tmp_path / "run" / "run.json").read_text())["settings"]
    assert (settings["sampling.temperature"], settings["sampling.max_tokens"]) == (0.0, None)


@pytest.mark.usefixtures("on_the_small_bank")
def test_a_ceiling_on_cost_needs_prices() -> None:
    assert isinstance(vehbench(*RUN, "--max-cost", 1).exception, UserError)


@pytest.mark.usefixtures("on_the_small_bank")
def test_options_of_the_environment_are_heeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VEHBENCH_P2_STOP", "budget")
    monkeypatch.setenv("VEHBENCH_SEED", "5")
    assert vehbench(*RUN, "--probes", "p2", "--out", tmp_path).exit_code == 0
    assert len(read_turns(tmp_path).turns) == 30
    assert json.loads((tmp_path / "run.json").read_text())["settings"]["sampling.seed"] == 5
