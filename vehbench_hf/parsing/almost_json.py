"""An object that is JSON but for slips whose meaning is certain.

Backslashes of formulas in a text, commas before a closing bracket, comments, and blanks that are no JSON blanks.
Nothing else is put right: quotes, missing brackets and bare words could mean several things.
"""

import json
import re
from typing import NamedTuple

LONGEST = 50_000
"""Characters of an object that is put right."""

BLANKS_OF_OTHERS = "\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff"
_TOKEN = re.compile(
    rf"""(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+")|(?P<comment>//[^\n]*+|/\*.*?\*/)|(?P<bracket>[{{}}\[\]])|(?P<comma>,)"""
    rf"""|(?P<odd>[{BLANKS_OF_OTHERS}]++)|(?P<blank>[ \t\r\n]++)|(?P<other>[^"/{{}}\[\],\s{BLANKS_OF_OTHERS}]++)""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"""\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|_|)""")

BACKSLASHES = "reply: read backslashes in a text as themselves"
COMMAS = "reply: left out a comma before a closing bracket"
COMMENTS = "reply: left out comments"
BLANKS = "reply: read blanks that are no JSON as blanks"


class Mended(NamedTuple):
    """An object as JSON, where it ends in the reply, and one repair for each kind of slip."""

    text: str
    end: int
    repairs: tuple[str, ...]


def can_mend(source: str, error: json.JSONDecodeError) -> bool:
    """Whether the JSON decoder stopped because of a slip of these kinds."""
    near = source[error.pos : error.pos + 50].lstrip(" \t\r\n")
    before = source[max(0, error.pos - 50) : error.pos + 1].rstrip(" \t\r\n]}")
    return (
        error.msg.startswith("Invalid \\")
        or near.startswith("/")
        or re.match(f"[{BLANKS_OF_OTHERS}]", near) is not None
        or before.endswith(",")
    )


def mend(source: str, start: int) -> Mended | None:
    """The object that begins at `start`; None where something else is wrong, or it does not end."""
    pieces: list[str] = []
    repairs: dict[str, None] = {}
    depth, last_comma, position = 0, None, start
    while position < min(len(source), start + LONGEST):
        token = _TOKEN.match(source, position)
        if token is None:
            return None
        position = token.end()
        kind, text = str(token.lastgroup), token[0]
        if kind in ("blank", "odd", "comment"):
            if kind != "blank":
                repairs[COMMENTS if kind == "comment" else BLANKS] = None
            pieces.append(" ")
            continue
        if kind == "text":
            escaped = _ESCAPE.sub(_escape, text)
            if escaped != text:
                repairs[BACKSLASHES] = None
            text = escaped
        if kind == "bracket":
            depth += 1 if text in "{[" else -1
            if text in "}]" and last_comma is not None:
                pieces[last_comma] = " "
                repairs[COMMAS] = None
        last_comma = len(pieces) if kind == "comma" else None
        pieces.append(text)
        if depth == 0:
            return Mended("".join(pieces), position, tuple(repairs))
    return None


def _escape(backslash: re.Match[str]) -> str:
    """A backslash that begins no escape stands for itself; before an underscore it is Markdown's."""
    return {"\\": "\\\\", "\\_": "_"}.get(backslash[0], backslash[0])
