"""A record whose every number follows from its log can still mislead; it stays off the board."""

import json
from pathlib import Path
from typing import Any

import pytest

from records import Change, change_json, change_lines, log_of, refit
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.leaderboard import read_results
from vehbench_hf.hub.names import HubError
from vehbench_hf.hub.submitted_record import make_record


def left_out(record_file: Path, bank: Bank) -> str:
    board = read_results(record_file.parent.parent, bank)
    assert board.records == ()
    ((_, reason),) = board.left_out
    return reason


def written_steps(turns: list[Any]) -> list[dict[str, Any]]:
    """Steps whose verdict nobody computed, as in an imported log."""
    verdict = {"feasible": True, "objective": 1e9, "metrics": {}, "slack": {}, "violations": []}
    step: dict[str, Any] = {"action": "propose_design", "design": None}
    step |= {"verdict": verdict | {"total_violation": 0.0, "message": ""}, "ranking": [], "missing_fields": []}
    step |= {"repairs": [], "harness_action": None, "outcome": "ok", "reference_power_uw": None}
    place = {"epoch": 0, "index": 0, "attempt": 0, "time": "2026-11-30"}
    return [{"task": task, **place, "recorded": step} for task in dict.fromkeys(turn["task"] for turn in turns)]


def with_settings(**settings: Any) -> Change:
    return lambda info: info["settings"].update({name.replace("__", "."): value for name, value in settings.items()})


def same(value: Any) -> None:
    pass


def without(*way: str) -> Change:
    """Take away what stands at the end of a way."""

    def change(body: Any) -> None:
        for name in way[:-1]:
            body = body[name]
        del body[way[-1]]

    return change


@pytest.mark.parametrize(
    ("turns", "run", "record", "words"),
    [
        (lambda turns: [t for t in turns if "p4" not in t["task"]], same, same, "the run is incomplete"),
        (written_steps, lambda info: info.update(kind="recorded"), same, "no run of a language model"),
        (same, with_settings(model="baseline/reference"), same, "no run of a language model"),
        (same, with_settings(model="vllm/org/other"), same, "the run was made with vllm/org/other"),
        (same, with_settings(isomorphic="x"), same, "made with --isomorphic x"),
        (same, with_settings(prompts_version="<b>"), same, "the run has prompts_version '<b>'"),
        (same, with_settings(sampling__note="ranks first"), same, "the setting 'sampling.note', which no run"),
        (same, with_settings(weights__dtype=["a"]), same, "settings.weights.dtype is ['a'], expected str"),
        (same, with_settings(sampling__temperature="hot"), same, "settings.sampling.temperature is 'hot', expected a"),
        (same, with_settings(sampling__seed=True), same, "settings.sampling.seed is True, expected int"),
        (same, with_settings(weights__revision="\u202egnp"), same, "expected a text without control characters"),
        (same, with_settings(splits=["dev", "test_id", "test_ood", []]), same, "settings.splits[3] is []"),
        (same, with_settings(splits={"dev": 1}), same, "settings.splits is {'dev': 1}, expected a list"),
        (same, lambda info: info.update(versions=["1"]), same, "versions is ['1'], expected names with values"),
        (same, lambda info: info.update(backends=[3]), same, "backends[0] is 3, expected"),
        (same, same, without("scores", "probes", "p1"), "scores.probes.p1: missing"),
        (same, same, without("scores", "probes", "p1", "outcomes"), "scores.probes.p1.outcomes: missing"),
        (same, same, without("scores", "probes", "p1", "headline", "interval"), "p1.headline.interval: missing"),
        (same, same, lambda record: record["versions"].update(vehbench=["<b>"]), "the field versions.vehbench"),
        (same, same, lambda record: record["versions"].update(vehbench="best of all"), "the field versions.vehbench"),
        (same, same, lambda record: record["versions"].update(run="x"), "versions.run: stated x"),
    ],
)
def test_a_record_that_would_mislead_does_not_rank(
    turns: Change, run: Change, record: Change, words: str, record_file: Path, small_bank: Bank
) -> None:
    change_lines(log_of(record_file) / "turns.jsonl", turns)
    change_json(log_of(record_file) / "run.json", run)
    try:
        moved = refit(record_file, small_bank, record)
    except (ValueError, TypeError, AttributeError):  # a run that nothing can be computed from: its record stays
        moved = record_file
    assert words in left_out(moved, small_bank)


def test_a_record_that_was_only_written_again_ranks(record_file: Path, small_bank: Bank) -> None:
    assert len(read_results(refit(record_file, small_bank).parent.parent, small_bank).records) == 1


def test_a_record_of_an_earlier_version_with_the_address_of_its_server_ranks(
    record_file: Path, small_bank: Bank
) -> None:
    from vehbench_hf.hub.submitted_record import public_run_json, run_json_hash

    run = log_of(record_file) / "run.json"
    change_json(run, lambda info: info.update(backends=[{"kind": "openai", "base_url": "http://10.0.0.7:8000/v1"}]))
    old = run_json_hash(public_run_json(json.loads(run.read_text()), as_it_is=True))
    moved = refit(record_file, small_bank, lambda record: record.update(run_json=old))
    assert len(read_results(moved.parent.parent, small_bank).records) == 1


@pytest.mark.usefixtures("small_published")
@pytest.mark.parametrize("name", ["subset", "isomorphic"])
def test_a_part_of_the_tasks_cannot_be_submitted(name: str, run_of_small: Path, small_bank: Bank) -> None:
    change_json(run_of_small / "run.json", with_settings(**{name: "p3_intervention"}))
    with pytest.raises(HubError, match=f"made with --{name} p3_intervention"):
        make_record(run_of_small, small_bank, "org/model")


@pytest.mark.usefixtures("small_published")
@pytest.mark.parametrize(
    ("time", "words"),
    [
        ("9999-12-31T00:00:00+00:00", "made on 9999-12-31, which is still to come"),
        ("2999-01-01", "still to come"),
        ("soon", "does not say when"),
    ],
)
def test_a_run_of_a_day_to_come_cannot_be_submitted(
    time: str, words: str, run_of_small: Path, small_bank: Bank
) -> None:
    change_lines(run_of_small / "turns.jsonl", lambda turns: turns[3].update(time=time))
    with pytest.raises(HubError, match=words):
        make_record(run_of_small, small_bank, "org/model")
