"""`vehbench compare` on run folders: baselines on the small bank, and imported logs."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from vehbench_cli.commands.compare import compare_command
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import BankError, RunError, UserError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, read_run_json, write_run_json
from vehbench_hf.types import PROBES, SPLITS
from vehbench_runners import Plan, make_backend, run_tasks

APP = typer.Typer()
APP.command()(compare_command)


def compare(*arguments: object) -> str:
    """What the command prints. Raises what it raises."""
    done = CliRunner().invoke(APP, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def folders(small_bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs of three baselines on the small bank, one of them under another protocol too."""
    made = {}
    for name, model, protocol in (
        ("anchor", "baseline/anchor", Protocol()),
        ("random", "baseline/random", Protocol()),
        ("reference", "baseline/reference", Protocol()),
        ("budget", "baseline/random", Protocol(p2_stop="budget")),
    ):
        folder = made[name] = tmp_path_factory.mktemp("runs") / name
        folder.mkdir()
        settings = RunSettings(model, small_bank.version, small_bank.fingerprint, PROBES, SPLITS, None, 1, protocol)
        write_run_json(folder, {"kind": "model", "settings": settings.flat(), "bank": str(small_bank.path)})
        with TurnWriter(folder) as writer:
            run_tasks(Plan(list(small_bank.tasks), 1, protocol), make_backend(model), writer, [])
    return made


def test_json_is_all_there_is_and_the_table_has_every_probe(folders: dict[str, Path]) -> None:
    result = json.loads(compare(folders["random"], folders["reference"], "--json"))
    assert [entry["probe"] for entry in result["comparisons"]] == list(PROBES)
    assert all(entry["difference"] > 0 for entry in result["comparisons"])
    assert result["differing"] == result["notes"] == []
    table = compare(folders["random"], folders["reference"])
    for word in ("P1", "P2", "P3", "P4", "baseline/random", "baseline/reference", "Holm", "power 0.8 at level 0.05"):
        assert word in table


def test_no_log_is_written_to(folders: dict[str, Path]) -> None:
    before = {file: file.read_bytes() for name in ("anchor", "random") for file in folders[name].iterdir()}
    compare(folders["anchor"], folders["random"])
    assert {file: file.read_bytes() for name in ("anchor", "random") for file in folders[name].iterdir()} == before


def test_runs_under_two_protocols_are_compared_only_when_asked(folders: dict[str, Path]) -> None:
    with pytest.raises(RunError, match=r"(?s)--mix.*p2_stop"):
        compare(folders["random"], folders["budget"])
    assert "p2_stop" in compare(folders["random"], folders["budget"], "--mix")


def test_splits_and_conventions_are_the_users_choice(folders: dict[str, Path]) -> None:
    chosen = compare(folders["random"], folders["anchor"], "--split", "dev", "--convention", "released", "--json")
    result = json.loads(chosen)
    assert (result["headline_splits"], result["convention"]) == (["dev"], "released")
    with pytest.raises(UserError, match="--split"):
        compare(folders["random"], folders["anchor"], "--split", "nonsense")


def test_a_folder_that_is_no_run_or_has_lost_its_bank_is_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"run\.json"):
        compare(folders["random"], tmp_path)
    lost = tmp_path / "lost"
    shutil.copytree(folders["anchor"], lost)
    body = read_run_json(lost)
    body.pop("schema")
    write_run_json(lost, {**body, "bank": "../nowhere", "settings": {**body["settings"], "bank_fingerprint": "0"}})
    with pytest.raises(BankError):
        compare(folders["random"], lost)


def test_logs_of_the_authors_compare_as_in_the_paper(bank_v1: Bank) -> None:
    """The released P2 ratios of Table 2 for two models, and their P4 lead over each other."""
    logs = bank_v1.path / "runs"
    result = json.loads(compare(logs / "model_A", logs / "model_G", "--json"))
    by_probe = {entry["probe"]: entry for entry in result["comparisons"]}
    assert [f"{value:.4f}" for value in by_probe["p2"]["values"]] == ["0.1955", "0.2063"]
    assert {entry["n"] for entry in result["comparisons"]} == {240, 208, 156, 159}
    assert by_probe["p1"]["clusters"] == 20
    assert "temperature" in result["notes"][0]
    assert result["convention"] == "released"


def test_the_library_alone_loads_nothing_heavy() -> None:
    code = (
        "import sys, vehbench_hf.analysis.compare, vehbench_hf.statistics\n"
        "print(sorted({'pyarrow', 'pandas', 'rich', 'scipy.stats'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
