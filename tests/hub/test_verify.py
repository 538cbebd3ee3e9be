"""Whatever is changed in a record, a log or its settings, `vehbench verify` says so."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_runs
from records import Change, change_json, change_lines, differences, log_of, refit
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.hub.fetch import fetch
from vehbench_hf.hub.names import HubError
from vehbench_hf.hub.submitted_record import read_record
from vehbench_hf.hub.verification import check_record, row_differences


def other_reply(turns: list[dict[str, Any]]) -> None:
    turn = next(turn for turn in turns if "p4" in turn["task"] and '"ranking"' in turn["text"])
    ids = json.loads(turn["text"].split("```json\n")[1].split("\n```")[0])["ranking"]
    turn["text"] = json.dumps({"ranking": list(reversed(ids))})


def dropped_line(turns: list[dict[str, Any]]) -> None:
    turns.pop(0)


def swapped_tasks(turns: list[dict[str, Any]]) -> None:
    one, other = (
        next(turn["task"] for turn in turns if name in turn["task"]) for name in ("p4::dev::0001", "p4::dev::0003")
    )
    for turn in turns:
        turn["task"] = {one: other, other: one}.get(turn["task"], turn["task"])


def test_an_honest_record_verifies(record_file: Path, small_bank: Bank) -> None:
    assert differences(record_file, small_bank) == []


@pytest.mark.parametrize("change", [other_reply, dropped_line, swapped_tasks])
def test_a_changed_log_is_noticed(change: Change, record_file: Path, small_bank: Bank) -> None:
    change_lines(log_of(record_file) / "turns.jsonl", change)
    found = differences(record_file, small_bank)
    assert any(line.startswith("log.turns.jsonl: stated ") for line in found)
    # With every hash made to fit, the numbers or the requests still do not.
    covered = differences(refit(record_file), small_bank)
    assert covered
    assert not any(line.startswith(("log.turns.jsonl", "id", "settings")) for line in covered)
    words = {
        other_reply: "scores.probes.p4",
        dropped_line: "scores.complete",
        swapped_tasks: "answer no call of this run",
    }
    assert any(words[change] in line for line in covered), covered


def test_a_log_that_a_scorer_fails_on_is_a_difference(
    record_file: Path, small_bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OverflowError("a number beyond all numbers")

    monkeypatch.setattr("vehbench_hf.hub.verification.score_run", fail)
    assert differences(record_file, small_bank)[-1] == "scores: a number beyond all numbers"


def test_a_changed_score_is_noticed(record_file: Path, small_bank: Bank) -> None:
    def better(record: dict[str, Any]) -> None:
        record["scores"]["probes"]["p2"]["headline"]["value"] += 0.01

    value = json.loads(record_file.read_text())["scores"]["probes"]["p2"]["headline"]["value"]
    change_json(record_file, better)
    (line,) = differences(record_file, small_bank)
    assert line == f"scores.probes.p2.headline.value: stated {value + 0.01}, computed {value}"


@pytest.mark.parametrize("place", [("interval", 0), ("n",), ("undefined",)])
def test_a_changed_detail_of_a_headline_is_noticed(place: tuple[Any, ...], record_file: Path, small_bank: Bank) -> None:
    def change(record: dict[str, Any]) -> None:
        inside = record["scores"]["probes"]["p4"]["headline"]
        for name in place[:-1]:
            inside = inside[name]
        inside[place[-1]] = 0.123

    change_json(record_file, change)
    (line,) = differences(record_file, small_bank)
    assert line.startswith("scores.probes.p4.headline.")


def test_a_record_without_scores_is_noticed(record_file: Path, small_bank: Bank) -> None:
    change_json(record_file, lambda record: record.update(scores={"convention": "defined"}))
    assert "scores.probes: missing" in differences(record_file, small_bank)


@pytest.mark.parametrize("field", ["log", "run_json", "bank", "comparability", "deviations", "date"])
def test_a_changed_hash_or_statement_is_noticed(field: str, record_file: Path, small_bank: Bank) -> None:
    new: dict[str, Any] = {
        "log": {"turns.jsonl": "0" * 64},
        "run_json": "0" * 64,
        "bank": {"version": "veh-v2", "fingerprint": small_bank.fingerprint},
        "comparability": "veh-v2 | prompts 1 | protocol 1 | scorer 2 | defined",
        "deviations": {"protocol.retries": 7},
        "date": "2027-01-01",
    }
    change_json(record_file, lambda record: record.update({field: new[field]}))
    found = differences(record_file, small_bank)
    assert any(line.startswith({"run_json": "run.json"}.get(field, field)) for line in found), found


@pytest.mark.parametrize(
    ("name", "value"), [("model", "org/better"), ("protocol.p2_stop", "budget"), ("epochs", 2), ("limit", 2)]
)
def test_an_edited_setting_is_noticed(name: str, value: Any, record_file: Path, small_bank: Bank) -> None:
    change_json(log_of(record_file) / "run.json", lambda run: run["settings"].update({name: value}))
    found = differences(record_file, small_bank)
    assert any(line.startswith(f"settings.{name}: stated ") for line in found), found
    if name != "model":  # which model replied is what no log can prove
        assert differences(refit(record_file), small_bank)


def test_the_log_of_another_run_is_noticed(record_file: Path, small_bank: Bank, tmp_path: Path) -> None:
    other = made_runs.make_run(tmp_path / "other", small_bank, made_runs.gold)
    found = check_record(fetch(str(record_file), tmp_path).record, other, small_bank).differences
    assert any(line.startswith("log.turns.jsonl") for line in found)
    assert any(line.startswith("scores.probes.p4.headline.value") for line in found)
    shutil.copyfile(other / "turns.jsonl", log_of(record_file) / "turns.jsonl")
    assert any(line.startswith("scores.probes") for line in differences(refit(record_file), small_bank))


def leaves(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything in a record that is no mapping and no list."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    return [way] if parts is None else [leaf for name, part in parts for leaf in leaves(part, (*way, name))]


UNPROVEN = ("vehbench",)
"""What `versions` says about the installation."""


@settings(max_examples=12)
@given(
    draw=st.integers(0, 10**6),
    other=st.sampled_from([0.5, -1, None, True, "\x1b[2J", "\ud800", [], {"a": [1]}, 10**400]),
)
def test_every_field_of_the_record_is_checked(made_once: Path, draw: int, other: Any) -> None:
    small_bank = open_bank(made_once.parents[1] / "bank")  # a fixture would be printed with the example
    (file,) = made_once.glob("records/*.json")
    record = json.loads(file.read_text())
    ways = [way for way in leaves(record) if way[0] != "versions" or way[1] not in UNPROVEN]
    *way, last = ways[draw % len(ways)]
    inside = record
    for name in way:
        inside = inside[name]
    if inside[last] == other:
        return
    inside[last] = other
    try:
        read = read_record(json.dumps(record), "record")
        found = check_record(read, made_once / "logs" / file.stem, small_bank).differences
    except HubError:
        return
    if way or last != "model_id":
        assert found
    assert all(line.isprintable() for line in found)


def test_a_deep_record_or_one_with_nan_is_refused(record_file: Path) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    change_json(record_file, lambda record: record.update(deviations={"a": deep}))
    with pytest.raises(HubError, match="nested deeper than 40 levels"):
        fetch(str(record_file), record_file.parent)
    change_json(record_file, lambda record: record.update(deviations={"a": float("nan")}))
    with pytest.raises(HubError, match="no JSON: NaN is no number"):
        fetch(str(record_file), record_file.parent)


def test_rows_that_flatter_the_record_are_noticed(record_file: Path) -> None:
    found = fetch(str(record_file), record_file.parent)
    assert row_differences(found.record, found.rows) == []
    row, *others = found.rows.read_text().splitlines()
    found.rows.write_text("\n".join([json.dumps({**json.loads(row), "value": 99.9}), *others]) + "\n")
    assert row_differences(found.record, found.rows) == [
        f"rows: {found.rows.name} does not hold the headlines of the record"
    ]
    found.rows.unlink()
    assert "cannot be read" in row_differences(found.record, found.rows)[0]


def test_a_log_that_is_gone_or_no_log_is_named(record_file: Path, small_bank: Bank) -> None:
    (log_of(record_file) / "turns.jsonl").unlink()
    assert differences(record_file, small_bank)[0].startswith("log: ")
    shutil.rmtree(log_of(record_file))
    assert differences(record_file, small_bank)[0].startswith("log: ")
