"""Files of strangers are read up to a size, only if they are plain, and nothing is written through a link."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import vehbench
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.runlog import TurnWriter
from vehbench_hf.safe_files import lies_within, parse_json, printable, read_lines, read_plain, replace_file


def put_fifo(file: Path) -> None:
    os.mkfifo(file)


def put_device(file: Path) -> None:
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("put", [put_fifo, put_device, Path.mkdir])
def test_what_is_no_plain_file_is_refused_at_once(put: Callable[[Path], None], tmp_path: Path) -> None:
    put(tmp_path / "x")
    for read in (read_plain, lambda file: list(read_lines(file))):
        with pytest.raises(UserError, match="no plain file"):
            read(tmp_path / "x")


def test_a_file_is_read_up_to_a_size(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"12345")
    assert read_plain(tmp_path / "x", 5) == b"12345"
    with pytest.raises(UserError, match="larger than 4 bytes"):
        read_plain(tmp_path / "x", 4)


def test_a_line_without_an_end_is_left_out_and_the_next_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vehbench_hf.safe_files.MAX_LINE_BYTES", 10)
    (tmp_path / "x").write_bytes(b"a\n" + b"b" * 35 + b"\n\n" + b"c" * 9 + b"\nhalf")
    assert list(read_lines(tmp_path / "x")) == [b"a", None, b"", b"c" * 9]


@pytest.mark.parametrize(
    "text",
    [
        "NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "-1e999", "9" * 301, '"\\ud800"', '{"\\udfff": 1}', "[" * 50,
        "[" * 50 + "]" * 50, "[" * 100_000, "", "{", b"\xff", b"\xef\xbb\xbf{}",
    ],
)  # fmt: skip
def test_json_that_could_not_be_written_again_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


def test_json_of_ours_is_read() -> None:
    assert parse_json(b'{"a": [1, -2.5, null, true, "\\u00e4 \\ud83d\\ude00"]}') == {"a": [1, -2.5, None, True, "ä 😀"]}
    assert parse_json("9" * 300) == int("9" * 300)


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "file").symlink_to(tmp_path / "victim")
    replace_file(tmp_path / "file", b"new")
    assert (tmp_path / "victim").read_text() == "precious"
    assert (tmp_path / "file").read_text() == "new"
    assert not (tmp_path / "file").is_symlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "victim"]


def test_scoring_a_strangers_run_overwrites_no_file_of_the_user(small_bank: Bank, tmp_path: Path) -> None:
    evil, victim = tmp_path / "evil", tmp_path / "victim"
    assert vehbench("run", "--bank", small_bank.path, "--out", evil).returncode == 0
    victim.write_text("precious")
    for name in ("scores.json", "run.json"):
        for number in (os.getpid(), os.getpid() + 1):
            (evil / f"{name}.{number}.tmp").symlink_to(victim)
    (evil / "scores.json").unlink()
    (evil / "scores.json").symlink_to(victim)
    assert vehbench("score", evil).returncode == 0
    assert victim.read_text() == "precious"
    assert '"probes"' in (evil / "scores.json").read_text()


def test_a_run_is_not_gone_on_with_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("half a line")
    (tmp_path / "turns.jsonl").symlink_to(tmp_path / "victim")
    with pytest.raises(UserError, match="cannot write"), TurnWriter(tmp_path):
        pass
    assert (tmp_path / "victim").read_text() == "half a line"


def test_a_path_lies_within_a_folder_or_the_blobs_of_its_snapshot(tmp_path: Path) -> None:
    snapshot, blobs = tmp_path / "cache" / "snapshots" / "0a1b", tmp_path / "cache" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    (blobs / "x").write_text("x")
    (tmp_path / "y").write_text("y")
    (snapshot / "x").symlink_to("../../blobs/x")
    (snapshot / "y").symlink_to(tmp_path / "y")
    assert lies_within(snapshot / "x", snapshot)
    assert not lies_within(snapshot / "y", snapshot)
    assert not lies_within(snapshot / ".." / "..", snapshot)


def test_a_printed_line_has_no_control_characters() -> None:
    assert printable("openai/x\x1b]0;PWNED\x07\x1b[2J\u202e\n") == "openai/x?]0;PWNED??[2J??"
