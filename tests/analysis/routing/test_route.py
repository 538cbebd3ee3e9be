"""Advice for runs: the authors' logs as models, a made-up optimizer, runs that must not be mixed."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from vehbench_cli.commands.route import route_command
from vehbench_hf.analysis.advice import OPTIMIZER
from vehbench_hf.analysis.candidates import HELD_OUT
from vehbench_hf.analysis.profiles import indicators, profiles
from vehbench_hf.analysis.route import route_runs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import RunError, UserError
from vehbench_hf.runlog import Run, load_run
from vehbench_hf.scoring import Row, score, score_parts
from vehbench_hf.types import PROBES, Probe, Record
from vehbench_hf.user_files.prices import Price


@pytest.fixture(scope="module")
def runs(bank_v1: Bank) -> list[Run]:
    """Logs of models that ran every stage, at most four."""
    found = [load_run(folder, bank_v1) for folder in sorted((bank_v1.path / "runs").iterdir())]
    sizes = {probe: len(bank_v1.select([probe])) for probe in PROBES}
    complete = [run for run in found if all(len(run.scored(probe)) == sizes[probe] for probe in PROBES)]
    assert len(complete) >= 3
    return complete[:4]


@pytest.fixture(scope="module")
def advice(runs: list[Run]) -> dict[str, Any]:
    return route_runs(runs, convention="released")


def optimizer_of(run: Run, *, model: str = "baseline/cma") -> Run:
    return named(run, model, f"runs/{model}")


def named(run: Run, model: str, folder: str) -> Run:
    """The same run under another name."""
    return replace(run, folder=Path(folder), info={**run.info, "settings": {**run.settings, "model": model}})


def only(run: Run, keep: Callable[[Row], bool], *, lost: Callable[[Row], bool] = lambda row: False) -> Run:
    """A run of the rows that are to be kept; of those that are lost the task alone is left."""
    rows = [row for row in run.rows.scored if keep(row) or lost(row)]
    records: dict[str, list[Record]] = {}
    for row in rows:
        if not lost(row):
            records.setdefault(row.task.task_id, []).append(row.record)
    return replace(run, tasks=list({row.task.task_id: row.task for row in rows}.values()), records=records)


def test_a_stage_is_routed_by_the_score(runs: list[Run], advice: dict[str, Any]) -> None:
    for probe in PROBES:
        part = {"p1": "comp", "p2": "p2b", "p3": "success", "p4": "tau"}[probe]
        dev = {}
        for run in runs:
            rows = [row for row in run.scored(probe) if row.task.split == "dev"]
            dev[run.model] = score_parts(probe, rows, "released")[part].value
        use = advice["stages"][probe]["use"]
        assert use["dev"] == pytest.approx(max(value for value in dev.values() if value is not None))
        assert dev[use["name"]] == pytest.approx(use["dev"])
        (mine,) = [c for c in advice["stages"][probe]["candidates"] if c["name"] == use["name"]]
        assert mine["interval"][0] <= mine["held_out"] <= mine["interval"][1]


def test_gain_and_headroom_add_up(advice: dict[str, Any]) -> None:
    found = advice["strategies"]
    assert found["gain"] == pytest.approx(found["router"]["mean_norm"] - found["leader"]["mean_norm"])
    assert found["headroom"] == pytest.approx(found["envelope"]["mean_norm"] - found["router"]["mean_norm"])
    low, high = found["gain_interval"]
    assert low <= found["gain"] <= high
    for stage in advice["stages"].values():
        assert stage["headroom"] >= 0
        assert stage["use"]["name"] not in stage["not_told_apart"]


def test_a_profile_is_that_of_the_scores(runs: list[Run], advice: dict[str, Any]) -> None:
    for run in runs:
        parts = {p: {k: v.value for k, v in score_parts(p, run.scored(p), "released").items()} for p in PROBES}
        found = profiles({"x": indicators(parts)}, "released")["x"]
        assert {axis: score.value for axis, score in found.items()} == {
            axis: score["score"] for axis, score in advice["profiles"][run.model].items()
        }


def test_a_run_is_not_told_apart_from_its_copy(runs: list[Run]) -> None:
    twin = named(runs[0], "twin", "twin")
    found = route_runs([runs[0], twin], convention="released")
    assert found["strategies"]["gain"] == 0
    assert found["strategies"]["gain_interval"] is None
    for stage in found["stages"].values():
        assert stage["use"]["decided_by"] == "order"
        assert stage["use"]["tied"] == [runs[0].model, "twin"]
        assert stage["use"]["level_on_dev"] == ["twin"]
        assert stage["not_told_apart"] == ["twin"]
        assert (stage["gain"], stage["gain_interval"]) == (0, None)


@pytest.mark.parametrize("probe", PROBES)
def test_held_out_headline_and_interval_are_those_of_score(
    runs: list[Run], advice: dict[str, Any], probe: Probe
) -> None:
    held = only(runs[0], lambda row: row.task.split in HELD_OUT)
    headline = score(held.tasks, held.records, convention="released", bank="b")["probes"][probe]["headline"]
    (mine,) = [c for c in advice["stages"][probe]["candidates"] if c["name"] == runs[0].model]
    assert mine["held_out"] == pytest.approx(headline["value"])
    assert mine["interval"] == pytest.approx(headline["interval"])


def test_only_candidates_of_the_stage_are_not_told_apart(runs: list[Run]) -> None:
    found = route_runs([*runs, optimizer_of(runs[0])], convention="released")
    for probe, stage in found["stages"].items():
        names = {candidate["name"] for candidate in stage["candidates"]}
        assert {*stage["not_told_apart"], *stage["use"]["level_on_dev"]} <= names, probe
        assert (probe == "p2") == ("baseline/cma" in names)
    assert any("optimizers are candidates of P2 alone" in note for note in found["notes"])


def test_who_reads_the_answer_is_no_candidate_beside_models(runs: list[Run]) -> None:
    found = route_runs([*runs, optimizer_of(runs[0], model="baseline/anchor")], convention="released")
    assert all(c["kind"] == "model" for stage in found["stages"].values() for c in stage["candidates"])


def test_repeats_solve_no_more_tasks(runs: list[Run]) -> None:
    run = runs[0]
    twice = {name: [r, replace(r, epoch=1)] for name, (r,) in run.records.items()}
    often = replace(run, records=twice, info={**run.info, "settings": {**run.settings, "epochs": 2}})
    once, found = (route_runs([each], convention="released")["stages"] for each in (run, often))
    for probe in PROBES:
        (before,), (after,) = once[probe]["candidates"], found[probe]["candidates"]
        assert after["solved"]["solved"] == pytest.approx(before["solved"]["solved"])
        assert after["solved"]["calls"] == 2 * before["solved"]["calls"]
        assert after["held_out"] == pytest.approx(before["held_out"])
        assert after["interval"] == pytest.approx(before["interval"])


def test_an_optimizer_is_advised_for_its_stage_alone_and_enters_no_strategy(
    runs: list[Run], advice: dict[str, Any]
) -> None:
    by_p2 = sorted(runs, key=lambda run: score_parts("p2", run.scored("p2"), "released")["p2b"].value or 0)
    models = [run for run in runs if run is not by_p2[-1]]
    without = route_runs(models, convention="released")
    found = route_runs([*models, optimizer_of(by_p2[-1])], convention="released")
    assert found["strategies"] == without["strategies"]
    for probe in ("p1", "p3", "p4"):
        assert [c["name"] for c in found["stages"][probe]["candidates"]] == [run.model for run in models]
        assert found["stages"][probe]["use"] == without["stages"][probe]["use"]
    assert [c["kind"] for c in found["stages"]["p2"]["candidates"]] == ["model"] * len(models) + [OPTIMIZER]
    dev = {c["name"]: c["dev"] for c in found["stages"]["p2"]["candidates"]}
    assert found["stages"]["p2"]["use"]["name"] == max(dev, key=lambda name: dev[name])
    assert found["stages"]["p2"]["use"]["kind"] == (OPTIMIZER if dev["baseline/cma"] == max(dev.values()) else "model")


def test_baselines_alone_get_advice_with_a_note(runs: list[Run]) -> None:
    alone = route_runs([optimizer_of(runs[0], model="baseline/anchor")], convention="released")
    assert {stage["use"]["name"] for stage in alone["stages"].values()} == {"baseline/anchor"}
    notes = " ".join(alone["notes"])
    assert "no language model is among the runs" in notes
    assert "baseline/anchor reads the answer" in notes


def test_runs_are_scored_on_their_shared_tasks(runs: list[Run]) -> None:
    first = runs[1].scored("p4")[:5]
    shorter = only(runs[1], lambda row: row not in first)
    found = route_runs([runs[0], shorter], convention="released")
    stage = found["stages"]["p4"]
    assert stage["n"]["dev"] + stage["n"]["held_out"] == len(shorter.scored("p4"))
    assert any(note.startswith("P4: 5 tasks are left out") for note in found["notes"])


def test_rows_without_a_score_are_named(runs: list[Run]) -> None:
    """Alone at a stage, a partial run leaves no task out that another one has."""
    first = runs[0].scored("p4")[:5]
    partial = only(runs[0], lambda row: row.task.probe == "p4", lost=lambda row: row in first)
    found = route_runs([partial], convention="released")
    assert any("incomplete: 5 of P4 have no score" in note for note in found["notes"])


def test_runs_on_other_tasks_are_told_that_they_share_none(runs: list[Run]) -> None:
    names = [row.task.task_id for row in runs[0].scored("p2")]
    apart = [
        only(run, lambda row, half=names[place::2]: row.task.task_id in half)  # type: ignore[misc]
        for place, run in enumerate(runs[:2])
    ]
    stage = route_runs(apart, convention="released")["stages"]["p2"]
    assert stage["use"] is None
    assert "the runs share no scored task" in stage["undefined"]


def test_a_run_without_dev_rows_is_not_routed(runs: list[Run]) -> None:
    held = only(runs[0], lambda row: row.task.split in HELD_OUT)
    found = route_runs([held], convention="released")
    assert found["strategies"] is None
    for stage in found["stages"].values():
        assert stage["use"] is None
        assert "run that split too" in stage["undefined"]


def test_a_price_belongs_to_its_model_alone(runs: list[Run]) -> None:
    price = {runs[0].model: Price(1.0, 1.0, 1.0, "EUR", "2026-11-01")}
    found = route_runs(runs[:2], convention="released", prices=price)
    first, second = found["stages"]["p1"]["candidates"]
    # The authors' logs report no tokens, so that a price alone makes no cost.
    assert first["solved"]["undefined"] == "the log reports no tokens for some tasks"
    assert second["solved"]["undefined"] == f"the price table does not list {runs[1].model}"


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    app = typer.Typer()
    app.command()(route_command)
    return app


def test_the_command_prints_json_and_the_same_as_text(app: typer.Typer, runs: list[Run]) -> None:
    folders = [run.name for run in runs[:2]]
    found = json.loads(CliRunner().invoke(app, [*folders, "--json"], catch_exceptions=False).stdout)
    assert [run["run"] for run in found["runs"]] == folders
    text = CliRunner().invoke(app, folders, catch_exceptions=False).stdout
    for probe, stage in found["stages"].items():
        assert f"{probe.upper()}: use {stage['use']['name']}" in text
    assert "The router gains" in text


def test_a_run_named_twice_or_a_table_without_its_price_is_refused(
    app: typer.Typer, runs: list[Run], tmp_path: Path
) -> None:
    with pytest.raises(RunError, match="named twice"):
        CliRunner().invoke(app, [runs[0].name, runs[0].name], catch_exceptions=False)
    prices = tmp_path / "prices.yaml"
    prices.write_text("date: 2026-11-01\ncurrency: USD\nper_million_tokens:\n  other: {input: 1, output: 1}\n")
    with pytest.raises(UserError, match="no usable entry"):
        CliRunner().invoke(app, [runs[0].name, "--prices", str(prices)], catch_exceptions=False)
