"""Baselines answer as text and score what is known of them."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Reply
from vehbench_runners import Plan, make_backend, run_tasks
from vehbench_runners.baselines.answers import BASELINES


@pytest.mark.parametrize("name", ["baseline/nonsense", "gpt", "", "baseline/", "nonsense/x/y"])
def test_an_unknown_model_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UserError, match="baseline/anchor"):
        make_backend(name)


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_answers_every_task_in_readable_text(name: str, small_bank: Bank, tmp_path: Path) -> None:
    tasks = list(small_bank.tasks)
    with TurnWriter(tmp_path) as writer:
        result = run_tasks(Plan(tasks, 1, Protocol()), make_backend(f"baseline/{name}"), writer, [])
    assert set(result.outcomes.values()) == {"ok"}
    assert len(result.outcomes) == len(tasks)
    for turn in read_turns(tmp_path).turns:
        assert turn.attempt == 0
        json.loads(turn.reply.text or "")


def test_random_draws_depend_on_seed_and_place_alone(small_bank: Bank) -> None:
    task = next(task for task in small_bank.tasks if task.probe == "p2")

    def draw(seed: int, place: tuple[int, int, int]) -> Reply:
        async def ask() -> Reply:
            return await make_backend("baseline/random", sampling=Sampling(seed=seed)).speaker_for(task)([], place)

        return asyncio.run(ask())

    assert draw(0, (0, 0, 0)) == draw(0, (0, 0, 0))
    assert len({draw(seed, (0, index, 0)).text for seed in (0, 1) for index in (0, 1, 2)}) == 6


def scores(bank: Bank, model: str, folder: Path, convention: str, probes: str = "all") -> Any:
    from typer.testing import CliRunner

    from vehbench_cli import app

    arguments = ["run", "--model", model, "--bank", str(bank.path), "--out", str(folder), "--probes", probes]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    shown = CliRunner().invoke(app, ["score", str(folder), "--json", "--convention", convention])
    assert shown.exit_code == 0, shown.output
    return json.loads(shown.stdout)["probes"]


def test_propose_on_v1_has_the_published_triage_baseline(bank_v1: Bank, tmp_path: Path) -> None:
    dev = scores(bank_v1, "baseline/propose", tmp_path / "run", "released", "p1")["p1"]["splits"]["dev"]
    assert dev["parts"]["acc"] == 0.5625
    assert dev["parts"]["f1"] == pytest.approx(0.240, abs=5e-4)


def test_anchor_on_v1_is_always_feasible_at_the_known_ratio(bank_v1: Bank, tmp_path: Path) -> None:
    released = scores(bank_v1, "baseline/anchor", tmp_path / "run", "released", "p2")["p2"]
    assert released["parts"]["final_feasible"] == 1.0
    assert (released["all"]["n"], released["all"]["value"]) == (208, pytest.approx(0.3052, abs=5e-5))
    defined = scores(bank_v1, "baseline/anchor", tmp_path / "run", "defined", "p2")["p2"]
    assert (defined["all"]["n"], defined["all"]["value"]) == (207, pytest.approx(0.3067, abs=5e-5))


def test_reference_on_v1_is_perfect_where_it_applies(bank_v1: Bank, tmp_path: Path) -> None:
    probes = scores(bank_v1, "baseline/reference", tmp_path / "run", "released")
    assert probes["p1"]["all"]["value"] == 1.0
    assert probes["p4"]["all"]["value"] == 1.0
    assert probes["p4"]["parts"]["bars"] == pytest.approx(0.8396, abs=5e-5)
    assert probes["p4"]["parts"]["policy_mismatch"] == pytest.approx(1 - 79 / 159)
    # Of the 53 designs that the release stores, one breaks its stress limit by 9e-6 MPa and is no reference.
    assert probes["p2"]["not_applicable"] == 208 - 52
    assert probes["p2"]["parts"]["final_feasible"] == 1.0
    assert probes["p3"]["not_applicable"] == 156
    assert probes["p3"]["headline"]["value"] is None


def test_random_on_v1_ranks_by_chance(bank_v1: Bank, tmp_path: Path) -> None:
    tau = scores(bank_v1, "baseline/random", tmp_path / "run", "released", "p4")["p4"]["all"]["value"]
    assert abs(tau) < 0.1
