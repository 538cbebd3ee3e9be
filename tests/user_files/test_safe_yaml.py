"""A hostile or mistaken file ends in a message: no code runs, no crash, no endless reading, no silent reading."""

import contextlib
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.errors import UserError
from vehbench_hf.user_files.safe_yaml import MAX_BYTES, read_mapping, read_text

BOMB = "a: &a [x, x]\n" + "\n".join(
    f"{n}: &{n} [*{p}, *{p}, *{p}, *{p}]" for p, n in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, r"anchor or alias .* line 1"),
        ("a: 1\nb: *a", r"anchor or alias .* line 2"),
        ("a: &x 1", "anchor or alias"),
        ("a: !!python/object/apply:os.system ['touch pwned']", r"tag .*python/object"),
        ("a: !!python/name:os.system", r"tag .*python/name"),
        ("!!map {a: 1}", "tag"),
        ("a: !!binary aGk=", "tag"),
        ("a: !own 1", "tag"),
        ("a: 1\nb: 2\na: 3", r"the key 'a' twice; keep one in line 3"),
        ("s: {a: 1, a: 2}", r"the key 'a' twice"),
        ('"": 1\n"": 2', r"the key '' twice"),
        ("<<: {a: 1}\na: 2", "no plain text"),
        ("? [a]\n: 1", "no plain text"),
        ("? {a: 1}\n: 1", "no plain text"),
        ("[" * 9000, "deeper than 10 levels"),
        ("{a: " * 3000, "deeper than 10 levels"),
        ("- " * 5000, "deeper than 10 levels"),
        ("a: 1\n---\nb: 2", "another document"),
        ("a: " + "9" * 5000, "cannot be read"),
        ("a: 2026-99-99", "cannot be read"),
        ("a: 010", "the number '010'"),
        ("a: 1:30", "the number '1:30'"),
        ("a: 0x10", "the number '0x10'"),
        ("a: 1_000", "the number '1_000'"),
        ("a: [1, -012]", "the number '-012'"),
        ("", "it holds nothing"),
        ("# only a remark", "it holds nothing"),
        ("[1, 2]", "it holds a list"),
        ("just words", "it holds a text"),
        ("yes", "it holds true or false"),
        ("42", "it holds a single value"),
        ("1: 2", "keys that are no texts"),
        ("yes: 2", "keys that are no texts"),
        ("a: \x00", "cannot be read"),
        ("a: \ud800", "cannot be read"),
        ("a: 'open", "cannot be read"),
        ("{", r"cannot be read: .* line 1"),
        ("\t- a", "cannot be read"),
        ("a: " + "x" * MAX_BYTES, "larger than 16 KiB"),
        ("é" * MAX_BYTES, "larger than 16 KiB"),
    ],
)
def test_a_trick_or_a_slip_is_refused(text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=words) as caught:
        read_mapping(text, "the brief")
    assert str(caught.value).startswith("the brief ")
    assert len(str(caught.value)) < 400
    assert not list(tmp_path.iterdir())


def test_plain_values_are_read() -> None:
    text = "a: {b: 1.5e+3, c: [1, -2]}  # remark\nd: 'text'\n\"e\": null\nf: 1e5\ng: 0.5\nh: 10\ni: '010'"
    assert read_mapping(text, "the brief") == {
        "a": {"b": 1500.0, "c": [1, -2]},
        "d": "text",
        "e": None,
        "f": "1e5",
        "g": 0.5,
        "h": 10,
        "i": "010",
    }


@pytest.mark.parametrize(
    "text",
    [
        "[" + "a," * (MAX_BYTES // 2 - 1) + "]",
        "\n".join(f"k{n}: {n}" for n in range(1200)),
        "'" * (MAX_BYTES - 1),
        " " * (MAX_BYTES - 10) + "a: 1",
        "a: " + "{" * 8000,
        "? " * 4000,
    ],
)
def test_a_small_file_takes_little_time(text: str) -> None:
    begun = time.process_time()
    with contextlib.suppress(UserError):
        read_mapping(text, "the brief")
    assert time.process_time() - begun < 20


@given(st.text(max_size=200) | st.text(alphabet="{}[]:,-?&*!|>'\"%@` \n\t#a1.~", max_size=80))
def test_any_text_is_a_mapping_or_a_user_error(text: str) -> None:
    with contextlib.suppress(UserError):
        assert all(isinstance(key, str) for key in read_mapping(text, "the brief"))


def test_a_file_that_cannot_be_a_brief_is_refused_before_its_end(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="larger than 16 KiB"):
        read_text(Path("/dev/zero"))
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        read_text(tmp_path)
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_text(tmp_path / "absent.yaml")
    with pytest.raises(UserError, match="cannot be read"):
        read_text(Path("a\0b"))
    (tmp_path / "latin").write_bytes("Kälte: 1".encode("latin-1"))
    with pytest.raises(UserError, match="no UTF-8 text"):
        read_text(tmp_path / "latin")
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfa: 1")
    assert read_text(tmp_path / "marked") == "a: 1"
