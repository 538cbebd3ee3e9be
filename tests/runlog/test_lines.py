"""Turn lines survive whatever a model wrote and whatever happened to the file."""

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.errors import RunError
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_hf.runlog.lines import line_to_turn, turn_to_line
from vehbench_hf.types import Reply, Turn, Usage

any_text = st.text(alphabet=st.characters(), max_size=200)  # lone surrogates and control characters included


@given(any_text, any_text | st.none(), st.integers(0, 9), st.integers(0, 10**9))
def test_any_reply_comes_back_as_it_was(text: str, reasoning: str | None, index: int, tokens: int) -> None:
    turn = Turn("t", 0, index, 0, Reply(text, reasoning, usage=Usage(output=tokens), note=None), "hash", "now")
    line = turn_to_line(turn)
    assert "\n" not in line
    assert line_to_turn(line) == turn


def write(folder: Path, count: int) -> list[Turn]:
    turns = [Turn("t", 0, index, 0, Reply(f"reply {index}")) for index in range(count)]
    with TurnWriter(folder) as writer:
        for turn in turns:
            writer.append(turn)
    return turns


def test_half_a_last_line_is_dropped_and_cut_off_before_the_next(tmp_path: Path) -> None:
    turns = write(tmp_path, 3)
    file = tmp_path / "turns.jsonl"
    file.write_bytes(file.read_bytes()[:-5])
    assert read_turns(tmp_path) == (turns[:2], [])
    with TurnWriter(tmp_path) as writer:
        writer.append(turns[2])
    assert read_turns(tmp_path) == (turns, [])


@pytest.mark.parametrize("junk", [b"\xff\xfe\x00", b"{}", b"[1]", b'"x"', b'{"task": 3}', b"[" * 5000, b"null"])
def test_a_broken_line_is_named_and_the_rest_stays_readable(junk: bytes, tmp_path: Path) -> None:
    turns = write(tmp_path, 3)
    file = tmp_path / "turns.jsonl"
    first, *rest = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + junk + b"\n" + b"".join(rest))
    read = read_turns(tmp_path)
    assert read.turns == turns
    assert len(read.problems) == 1
    assert "turns.jsonl:2" in read.problems[0]


def test_shards_are_merged(tmp_path: Path) -> None:
    for shard in (0, 1):
        with TurnWriter(tmp_path, f"turns-{shard}.jsonl") as writer:
            writer.append(Turn(f"task-{shard}", 0, 0, 0, Reply("x")))
    assert [turn.task_id for turn in read_turns(tmp_path).turns] == ["task-0", "task-1"]


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with TurnWriter(tmp_path), pytest.raises(RunError, match="another process"), TurnWriter(tmp_path):
        pass


def test_a_full_disk_ends_the_run_with_words_and_keeps_the_log(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    turns = write(tmp_path, 2)
    with TurnWriter(tmp_path) as writer:
        import os

        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, writer._descriptor)
        os.close(full)
        with pytest.raises(RunError, match="takes no more"):
            writer.append(Turn("t", 0, 2, 0, Reply("x")))
    assert read_turns(tmp_path).turns == turns


def test_lines_are_plain_ascii_json(tmp_path: Path) -> None:
    line = turn_to_line(Turn("t", 0, 0, 0, Reply("30 µm \ud800 \x00")))
    assert line.isascii()
    assert json.loads(line)["text"] == "30 µm \ud800 \x00"


def test_half_a_line_on_a_full_disk_does_not_spoil_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, write_all = Turn("t", 0, 0, 0, Reply("whole")), os.write
    with TurnWriter(tmp_path) as writer:
        writer.append(whole)
        room = iter([10])

        def full(descriptor: int, data: bytes) -> int:
            for size in room:
                return write_all(descriptor, data[:size])
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(RunError, match="No space left"):
                writer.append(Turn("t", 0, 1, 0, Reply("lost")))
        writer.append(Turn("t", 0, 2, 0, Reply("next")))
    turns, problems = read_turns(tmp_path)
    assert ([turn.reply.text for turn in turns], problems) == (["whole", "next"], [])


def test_many_broken_lines_make_few_messages(tmp_path: Path) -> None:
    (tmp_path / "turns.jsonl").write_text("\n" * 1000)
    turns, problems = read_turns(tmp_path)
    assert turns == []
    assert len(problems) == 21
    assert "980 more lines" in problems[-1]
