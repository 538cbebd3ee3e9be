"""Whatever is changed in a record, a log or its settings, `vehbench verify` says so."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_runs
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.hub.failures import HubError
from vehbench_hf.hub.fetch import fetch
from vehbench_hf.hub.submitted_record import public_run_json, read_record, record_id, run_json_hash
from vehbench_hf.hub.verification import record_differences, row_differences
from vehbench_hf.runlog.differences import deviations


@pytest.fixture
def record_file(made_once: Path, tmp_path: Path) -> Path:
    """A record beside its log, as in a copy of the results dataset."""
    (file,) = shutil.copytree(made_once, tmp_path / "results").glob("records/*.json")
    return file


def log_of(file: Path) -> Path:
    return file.parent.parent / "logs" / file.stem


def check(file: Path, bank: Bank) -> list[str]:
    found = fetch(str(file), file.parent)
    assert found.record is not None
    return record_differences(found.record, found.log, bank)


def change_record(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    record = json.loads(file.read_text())
    change(record)
    file.write_text(json.dumps(record))


def change_log(file: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    log = log_of(file) / "turns.jsonl"
    turns = [json.loads(line) for line in log.read_text().splitlines()]
    change(turns)
    log.write_text("".join(json.dumps(turn) + "\n" for turn in turns))


def change_run(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    run = log_of(file) / "run.json"
    body = json.loads(run.read_text())
    change(body)
    run.write_text(json.dumps(body))


def cover_up(file: Path) -> Path:
    """Make every hash, setting and id of the record fit the log again, as a forger would."""
    record = json.loads(file.read_text())
    run = json.loads((log_of(file) / "run.json").read_text())
    record["log"] = {"turns.jsonl": hashlib.sha256((log_of(file) / "turns.jsonl").read_bytes()).hexdigest()}
    record["settings"], record["deviations"] = run["settings"], deviations(run["settings"])
    record["run_json"] = run_json_hash(public_run_json(run))
    record["id"] = record_id(record)
    moved = file.with_name(f"{record['id']}.json")
    moved.write_text(json.dumps(record))
    if moved != file:
        shutil.move(log_of(file), log_of(moved))
    return moved


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
    assert check(record_file, small_bank) == []


@pytest.mark.parametrize("change", [other_reply, dropped_line, swapped_tasks])
def test_a_changed_log_is_noticed(
    change: Callable[[list[dict[str, Any]]], None], record_file: Path, small_bank: Bank
) -> None:
    change_log(record_file, change)
    found = check(record_file, small_bank)
    assert any(line.startswith("log.turns.jsonl: stated ") for line in found)
    # With every hash made to fit, the numbers or the requests still do not.
    covered = check(cover_up(record_file), small_bank)
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
    assert check(record_file, small_bank)[-1] == "scores: a number beyond all numbers"


def test_a_changed_score_is_noticed(record_file: Path, small_bank: Bank) -> None:
    def better(record: dict[str, Any]) -> None:
        record["scores"]["probes"]["p2"]["headline"]["value"] += 0.01

    value = json.loads(record_file.read_text())["scores"]["probes"]["p2"]["headline"]["value"]
    change_record(record_file, better)
    (line,) = check(record_file, small_bank)
    assert line == f"scores.probes.p2.headline.value: stated {value + 0.01}, computed {value}"


@pytest.mark.parametrize("place", [("interval", 0), ("n",), ("undefined",)])
def test_a_changed_detail_of_a_headline_is_noticed(place: tuple[Any, ...], record_file: Path, small_bank: Bank) -> None:
    def change(record: dict[str, Any]) -> None:
        inside = record["scores"]["probes"]["p4"]["headline"]
        for name in place[:-1]:
            inside = inside[name]
        inside[place[-1]] = 0.123

    change_record(record_file, change)
    (line,) = check(record_file, small_bank)
    assert line.startswith("scores.probes.p4.headline.")


def test_a_record_without_scores_is_noticed(record_file: Path, small_bank: Bank) -> None:
    change_record(record_file, lambda record: record.update(scores={"convention": "defined"}))
    assert "scores.probes: missing" in check(record_file, small_bank)


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
    change_record(record_file, lambda record: record.update({field: new[field]}))
    found = check(record_file, small_bank)
    assert any(line.startswith({"run_json": "run.json"}.get(field, field)) for line in found), found


@pytest.mark.parametrize(
    ("name", "value"), [("model", "org/better"), ("protocol.p2_stop", "budget"), ("epochs", 2), ("limit", 2)]
)
def test_an_edited_setting_is_noticed(name: str, value: Any, record_file: Path, small_bank: Bank) -> None:
    change_run(record_file, lambda run: run["settings"].update({name: value}))
    found = check(record_file, small_bank)
    assert any(line.startswith(f"settings.{name}: stated ") for line in found), found
    if name != "model":  # which model replied is what no log can prove
        assert check(cover_up(record_file), small_bank)


def test_the_log_of_another_run_is_noticed(record_file: Path, small_bank: Bank, tmp_path: Path) -> None:
    other = made_runs.make_run(tmp_path / "other", small_bank, made_runs.gold)
    record = fetch(str(record_file), tmp_path).record
    assert record is not None
    found = record_differences(record, other, small_bank)
    assert any(line.startswith("log.turns.jsonl") for line in found)
    assert any(line.startswith("scores.probes.p4.headline.value") for line in found)
    shutil.copyfile(other / "turns.jsonl", log_of(record_file) / "turns.jsonl")
    assert any(line.startswith("scores.probes") for line in check(cover_up(record_file), small_bank))


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
        found = record_differences(
            read_record(json.dumps(record), "record"), made_once / "logs" / file.stem, small_bank
        )
    except HubError:
        return
    if way or last != "model_id":
        assert found
    assert all(line.isprintable() for line in found)


def test_a_deep_record_or_one_with_nan_is_refused(record_file: Path) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    change_record(record_file, lambda record: record.update(deviations={"a": deep}))
    with pytest.raises(HubError, match="nested deeper than 20 levels"):
        fetch(str(record_file), record_file.parent)
    change_record(record_file, lambda record: record.update(deviations={"a": float("nan")}))
    with pytest.raises(HubError, match="no JSON: NaN is no number"):
        fetch(str(record_file), record_file.parent)


def test_rows_that_flatter_the_record_are_noticed(record_file: Path) -> None:
    found = fetch(str(record_file), record_file.parent)
    assert found.record is not None
    assert found.rows is not None
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
    assert check(record_file, small_bank)[0].startswith("log: ")
    shutil.rmtree(log_of(record_file))
    assert check(record_file, small_bank)[0].startswith("log: ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "other"}, "expected a record of schema"),
        ({"id": "../../../../etc"}, "the id or the name of a log file"),
        ({"log": {"../../turns.jsonl": "0"}}, "the id or the name of a log file"),
        ({"log": {"/etc/passwd": "0"}}, "the id or the name of a log file"),
        ({"log": {f"turns-{i}.jsonl": "0" for i in range(300)}}, "names 300 log files"),
        ({"scores": 3}, "the field scores is missing or of another kind"),
        ({"model_id": "../x"}, "expected a repository"),
        ({"id": "0123456789abcdef"}, "has the name of its id"),
    ],
)
def test_a_hostile_record_is_refused(change: dict[str, Any], words: str, record_file: Path) -> None:
    change_record(record_file, lambda record: record.update(change))
    with pytest.raises(HubError, match=words):
        fetch(str(record_file), record_file.parent)


def test_a_large_or_broken_record_is_refused(record_file: Path, tmp_path: Path) -> None:
    for text, words in (
        (" " * 4_000_001, "larger than"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("3", "schema"),
    ):
        record_file.write_text(text)
        with pytest.raises(HubError, match=words):
            fetch(str(record_file), tmp_path)
    with pytest.raises(HubError, match="cannot be read"):
        fetch(str(tmp_path / "nothing.json"), tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/datasets/org/vehbench-results/blob/main/records/0123456789abcdef.json",
        "https://huggingface.co/datasets/org/vehbench-results/blob/main/records/../x.json",
        "https://huggingface.co/org/model/blob/main/records/0123456789abcdef.json",
        "file:///etc/passwd",
        "https://huggingface.co@example.org/datasets/org/r/blob/main/records/0123456789abcdef.json",
    ],
)
def test_an_address_elsewhere_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(HubError, match="is not the address of a record"):
        fetch(url, tmp_path)


VERIFY = """
import sys
import typer
from typer.testing import CliRunner
from vehbench_cli.commands.verify import verify_command
app = typer.Typer()
app.command()(verify_command)
bank, *urls = sys.argv[1:]
for url in urls:
    done = CliRunner().invoke(app, [url, "--bank", bank])
    print(done.exit_code, done.exception, " ".join(done.output.split()))
"""


@pytest.mark.slow
def test_a_record_on_the_hub_can_be_verified(hub: Any, at_hub: Any, record_file: Path, small_bank: Bank) -> None:
    results = record_file.parent.parent
    files = {str(p.relative_to(results)): p.read_bytes() for p in results.rglob("*") if p.is_file()}
    forged = json.loads(files[f"records/{record_file.name}"])
    forged["scores"]["probes"]["p4"]["headline"]["value"] = 0.99
    urls = []
    for org, record in (("honest", None), ("forged", json.dumps(forged).encode()), ("large", b" " * 4_000_001)):
        changed = {} if record is None else {f"records/{record_file.name}": record}
        hub.repo("dataset", f"{org}/vehbench-results").commit("main", files | changed)
        urls.append(f"{hub.url}/datasets/{org}/vehbench-results/blob/main/records/{record_file.name}")
    honest, lied, large = at_hub(VERIFY, small_bank.path, *urls).splitlines()
    assert honest.startswith("0 None record ")
    assert "every number follows from the log" in honest
    assert "cannot prove who" in honest
    assert lied.startswith("1 1 scores.probes.p4.headline.value: stated 0.99, computed")
    assert large.startswith(f"1 large/vehbench-results: records/{record_file.name} has 4000001 bytes; at most 4000000")
    assert hub.unknown == []
