"""The board shows verified records only, says what is left out, replaced or odd, and shows text of others as text."""

import html
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import made_runs
from records import change_json, change_lines, log_of, refit, rows_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.leaderboard import Board, Owner, read_owner, read_results, write_board
from vehbench_hf.hub.names import HubError
from vehbench_hf.hub.submission import make_submission
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Reply


@pytest.fixture
def results(small_published: None, run_of_small: Path, small_bank: Bank, tmp_path: Path) -> Path:
    """A copy of the results dataset with three records: two default ones and one with another protocol."""
    folder = tmp_path / "results"
    best = made_runs.make_run(tmp_path / "best", small_bank, made_runs.gold)
    other = made_runs.make_run(tmp_path / "other", small_bank, made_runs.gold, protocol=Protocol(retries=0))
    for model, run in (("org/model", run_of_small), ("org/best", best), ("org/other", other)):
        made = make_submission(run, small_bank, model, "org", tmp_path / f"out-{run.name}")
        shutil.copytree(made.results, folder, dirs_exist_ok=True)
    return folder


def page_of(board: Board, folder: Path) -> str:
    return write_board(board, folder)[0].read_text(encoding="utf-8")


def test_an_unverified_record_does_not_rank(results: Path, small_bank: Bank, tmp_path: Path) -> None:
    files = sorted((results / "records").iterdir())
    forged = json.loads(files[0].read_text())
    forged["scores"]["probes"]["p1"]["headline"]["value"] = 0.9999
    files[0].write_text(json.dumps(forged))
    (results / "records" / "broken.json").write_text("{")
    board = read_results(results, small_bank)
    assert {record["id"] for record in board.records} == {file.stem for file in files[1:]}
    assert [name for name, _ in board.left_out] == [files[0].name, "broken.json"]
    text = page_of(board, tmp_path / "page")
    assert "99.99" not in text
    data = json.loads((tmp_path / "page" / "board.json").read_text())
    assert forged["model_id"] not in {row["model_id"] for row in data["rows"]}
    assert "scores.probes.p1.headline.value" in text


def test_records_that_do_not_compare_have_tables_of_their_own(results: Path, small_bank: Bank, tmp_path: Path) -> None:
    board = read_results(results, small_bank)
    assert board.left_out == ()
    first, second = page_of(board, tmp_path / "page").split("<h2>")[1:]
    tables = {
        name: table
        for table in (first, second)
        for name in ("org/model", "org/best", "org/other")
        if f"<td>{name}</td>" in table
    }
    assert tables["org/model"] == tables["org/best"] != tables["org/other"]
    assert "protocol.retries = 0" in tables["org/other"]
    best = tables["org/best"][tables["org/best"].index("<td>org/best") :].split("</tr>")[0]
    assert best.count("100.00<br>") == best.count("rank 1<") == 4
    behind = tables["org/model"][tables["org/model"].index("<td>org/model") :].split("</tr>")[0]
    assert "rank 2<" in behind


def test_the_text_of_a_record_stays_text(results: Path, small_bank: Bank, tmp_path: Path) -> None:
    name = "<script>alert(1)</script>.json"
    (results / "records" / name.replace("/", "%")).write_text("{")
    text = page_of(read_results(results, small_bank), tmp_path / "page")
    assert "<script" not in text
    assert html.escape("<script>") in text


def test_a_folder_that_is_no_copy_is_refused_and_one_without_records_says_so(small_bank: Bank, tmp_path: Path) -> None:
    with pytest.raises(HubError, match="no copy of the results dataset"):
        read_results(tmp_path, small_bank)
    (tmp_path / "records").mkdir()
    assert "No verified record" in page_of(read_results(tmp_path, small_bank), tmp_path / "page")


def linked(target: str) -> Callable[[Path], None]:
    return lambda file: file.symlink_to(target)


def written(data: bytes) -> Callable[[Path], None]:
    return lambda file: void(file.write_bytes(data))


def void(_: object) -> None:
    pass


def sparse(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(2_000_000_000)


@pytest.mark.parametrize("part", ["record", "rows", "turns.jsonl", "run.json"])
@pytest.mark.parametrize(
    "put",
    [
        linked("/dev/zero"),
        linked("/etc/passwd"),
        os.mkfifo,
        lambda file: file.mkdir(),
        sparse,
        written(b"\n" * 1_000_001),
        written(b"[" * 200_000),
        written(b'{"a": 1e999}'),
        written(b'{"a": "\\ud800"}'),
        written(b"\xff\xfe"),
        written(b""),
    ],
)
def test_an_odd_file_costs_its_record_only(
    part: str, put: Callable[[Path], None], made_once: Path, small_bank: Bank, tmp_path: Path
) -> None:
    (honest,) = shutil.copytree(made_once, tmp_path / "results").glob("records/*.json")
    other = honest.with_name(f"{'0' * 16}.json")
    shutil.copy(honest, other)
    shutil.copytree(log_of(honest), log_of(other))
    shutil.copy(rows_of(honest), rows_of(other))
    change_json(other, lambda record: record.update(id=other.stem))
    file = {"record": other, "rows": rows_of(other)}.get(part, log_of(other) / part)
    file.unlink()
    put(file)
    board = read_results(tmp_path / "results", small_bank)
    assert [record["id"] for record in board.records] == [honest.stem]
    ((name, reason),) = board.left_out
    assert name == other.name
    assert reason.isprintable()
    assert "cannot be checked" not in reason
    assert "root:" not in page_of(board, tmp_path / "page")


@pytest.mark.parametrize("name", [b"\xff\x1b[2J.json", b"\x1b[2J.json"])
def test_a_name_with_control_characters_is_printable(name: bytes, record_file: Path, small_bank: Bank) -> None:
    try:
        record_file.with_name(os.fsdecode(name)).write_text("{")
    except OSError:
        pytest.skip("this file system takes no such name")
    board = read_results(record_file.parent.parent, small_bank)
    assert (len(board.records), len(board.left_out)) == (1, 1)
    assert all(text.isprintable() for pair in board.left_out for text in pair)


def test_rows_of_other_numbers_stay_off_the_board(record_file: Path, small_bank: Bank) -> None:
    rows_of(record_file).write_text(rows_of(record_file).read_text().replace('"value": ', '"value": 1'))
    assert "does not hold the headlines" in read_results(record_file.parent.parent, small_bank).left_out[0][1]


@pytest.fixture
def claimed_twice(made_once: Path, small_bank: Bank, tmp_path: Path) -> tuple[Path, str, str]:
    """A copy of the results dataset in which an honest record and a later one of nothing claim one model; their ids."""
    results = shutil.copytree(made_once, tmp_path / "results")
    with pytest.MonkeyPatch.context() as patch:
        name = {"version": small_bank.version, "fingerprint": ""}
        patch.setattr("vehbench_hf.hub.submitted_record.published_bank", lambda: name)
        run = made_runs.make_run(tmp_path / "bad", small_bank, lambda task, index, attempt: Reply("no"))
        change_lines(run / "turns.jsonl", lambda turns: [turn | {"time": "2026-12-01"} for turn in turns])
        made = make_submission(run, small_bank, "org/model", "org", tmp_path / "out")
    (honest,) = results.glob("records/*.json")
    shutil.copytree(made.results, results, dirs_exist_ok=True)
    return results, honest.stem, made.record["id"]


def test_a_later_record_of_nobody_known_displaces_none(
    claimed_twice: tuple[Path, str, str], small_bank: Bank, tmp_path: Path
) -> None:
    results, honest, later = claimed_twice
    board = read_results(results, small_bank)
    assert {record["id"] for record in board.records} == {honest, later}
    for entry in board.entries:
        assert entry.tier == "flagged"
        assert any("another record claims this model" in sign for sign in entry.signs)
    owner = Owner(submitters={honest: "honest", later: "stranger"})
    assert len(read_results(results, small_bank, owner).records) == 2
    assert "another record claims" in page_of(board, tmp_path / "page")


@pytest.mark.parametrize("how", ["submitters", "replaced"])
def test_a_record_is_replaced_by_its_submitter_or_by_the_owner_and_named(
    how: str, claimed_twice: tuple[Path, str, str], small_bank: Bank, tmp_path: Path
) -> None:
    results, honest, later = claimed_twice
    (tmp_path / "who.json").write_text(json.dumps({honest: "lab", later: "lab"}))
    by_whom = {"submitters": (tmp_path / "who.json", None, ()), "replaced": (None, None, (f"{later}={honest}",))}
    board = read_results(results, small_bank, read_owner(*by_whom[how]))
    shown, gone = (later, honest) if how == "submitters" else (honest, later)
    assert [record["id"] for record in board.records] == [shown]
    assert [(each.record["id"], each.by) for each in board.displaced] == [(gone, shown)]
    page = page_of(board, tmp_path / "page")
    assert f"{gone} of org/model" in page.split("<h2>Replaced")[1]
    assert json.loads((tmp_path / "page" / "board.json").read_text())["displaced"][0]["record"] == gone


def test_equal_logs_under_two_names_are_flagged_on_both(record_file: Path, small_bank: Bank, tmp_path: Path) -> None:
    other = tmp_path / "other" / "records" / record_file.name
    shutil.copytree(record_file.parent.parent, tmp_path / "other")

    def touched_up(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [turn | {"time": "2026-11-29", "request_id": str(n)} for n, turn in enumerate(reversed(turns))]

    change_lines(log_of(other) / "turns.jsonl", touched_up)
    copied = refit(other, small_bank, lambda record: record.update(model_id="copycat/ours", date="2026-11-29"))
    shutil.copytree(tmp_path / "other", record_file.parent.parent, dirs_exist_ok=True)
    board = read_results(record_file.parent.parent, small_bank)
    assert {entry.id for entry in board.entries} == {record_file.stem, copied.stem}
    for entry in board.entries:
        other_id = ({record_file.stem, copied.stem} - {entry.id}).pop()
        assert any(f"stand word for word in {other_id}" in sign for sign in entry.signs)


def test_a_record_that_a_second_party_ran_again_says_so(record_file: Path, small_bank: Bank, tmp_path: Path) -> None:
    note = tmp_path / "reruns.jsonl"
    for same, tier in ((19, "re-run"), (3, "recomputed")):
        line = {"record": record_file.stem, "asked": 20, "same": same, "text": f"{same} of 20 tasks alike"}
        note.write_text(json.dumps(line) + "\n")
        (entry,) = read_results(record_file.parent.parent, small_bank, read_owner(None, note)).entries
        assert entry.rerun == (same / 20, f"{same} of 20 tasks alike")
        assert type(entry)(entry.record, entry.replies, (), entry.rerun).tier == tier


@pytest.mark.parametrize(
    ("submitters", "replaced"), [("[1]", ()), ('{"x": "y"}', ()), (None, ("a",)), (None, ("0" * 16 + "=b",))]
)
def test_what_the_owner_gives_is_checked(submitters: str | None, replaced: tuple[str, ...], tmp_path: Path) -> None:
    if submitters is not None:
        (tmp_path / "who.json").write_text(submitters)
    with pytest.raises(HubError, match=r"owner|expected ids"):
        read_owner(tmp_path / "who.json" if submitters else None, None, replaced)
