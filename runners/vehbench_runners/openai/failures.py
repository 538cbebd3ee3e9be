"""What an error answer of an OpenAI-compatible API means. Servers word the same thing in many ways."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["busy", "again", "hung", "unreachable", "filtered", "overflow", "parameter", "refused", "final"]
"""What to do about a failure:

| kind | meaning |
|---|---|
| busy | the server has too much to do: wait, and ask with fewer calls in flight |
| again | something went wrong on the way: ask again |
| hung | no answer came within the time limit: ask again, once |
| unreachable | no connection came about: the server is dead, or the address is wrong |
| filtered | a content filter refused the prompt: that is an outcome, not a failure |
| overflow | prompt and reply do not fit the context |
| parameter | a sampling field of the request is not accepted |
| refused | this request is not accepted for another reason; the same request again would not be either |
| final | no request will be accepted: wrong key, no such model, no money |
"""

_LONGEST = 500
"""Characters of a server's message that are kept."""


@dataclass(frozen=True)
class Failure:
    """A call that gave no reply: what to do, the server's words, and the request field it complains of, if any."""

    kind: Kind
    text: str
    field: str | None = None


_FINAL = (401, 402, 403, 404, 405)
_BUSY = (429, 503, 529)
_AGAIN = (408, 409, 425)

_NO_MONEY = re.compile(
    r"insufficient.(quota|balance|credits|funds)|exceeded your current quota|billing|payment", re.IGNORECASE
)
_FILTERED = re.compile(
    r"content.?(filter|management|policy|moderation)|responsible.?ai|data_?inspection|usage polic(y|ies)"
    r"|flagged|prohibited.?content",
    re.IGNORECASE,
)
_OVERFLOW = re.compile(
    r"context[ _]?(length|window|size|limit)|maximum context|max_model_len|maximum model length"
    r"|(prompt|input|request)( \([^)]*\))? (is )?too (long|large)|too many (input |prompt )?tokens"
    r"|reduce the length|input (token count|length|tokens)[^.]{0,60}exceed"
    r"|maximum (number of )?(input )?tokens allowed",
    re.IGNORECASE,
)
_NOT_ACCEPTED = re.compile(
    r"support|unknown|unrecognized|unrecognised|invalid|unexpected|not permitted|not allowed|must be|should be"
    r"|too (large|small|big|high|low)|less than|greater than|at most|at least|only the default|deprecated|out of range"
    r"|exceed|no endpoints found|cannot|can't|expected|no longer|does not accept",
    re.IGNORECASE,
)


def read_failure(status: int, body: str, sent: Collection[str]) -> Failure:
    """The failure of an HTTP status and the body that came with it. Never raises.

    `sent` are the names of the request's fields apart from the model and the messages.
    """
    error = _error_of(body)
    text = f"HTTP {status}: {_message(error, body)}"
    words = " ".join(_words(error.get(name)) for name in ("code", "type", "status")) + " " + text
    field = _field(error, text, sent)
    if status == 429 and _NO_MONEY.search(words):
        return Failure("final", text)
    if status in (400, 403, 422) and _FILTERED.search(words):
        return Failure("filtered", text)
    if status in (400, 413, 422) and _OVERFLOW.search(words):
        return Failure("overflow", text)
    if status in (400, 404, 422) and field is not None:
        return Failure("parameter", text, field)
    if status in _FINAL:
        return Failure("final", text)
    if status in _BUSY:
        return Failure("busy", text)
    return Failure("again" if status >= 500 or status in _AGAIN else "refused", text)


def status_in_body(error: object) -> int:
    """The status that an error inside a regular answer names, as routers send; 502 where it names none."""
    code = error.get("code", error.get("status")) if isinstance(error, dict) else None
    code = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    return code if isinstance(code, int) and 400 <= code <= 599 else 502


def short(text: str) -> str:
    """A server's text on one line, cut where it gets long, without what would steer a terminal."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _LONGEST]).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def _error_of(body: str) -> dict[str, Any]:
    """The object that holds the message, however deep the server put it."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, list) and value:
        value = value[0]
    inner = value.get("error") if isinstance(value, dict) else None
    if isinstance(inner, dict):
        return inner
    if isinstance(inner, str):
        return {**value, "message": inner}
    return value if isinstance(value, dict) else {}


def _message(error: dict[str, Any], body: str) -> str:
    message = next((error[key] for key in ("message", "detail", "error_message") if error.get(key)), body)
    text = short(message if isinstance(message, str) else json.dumps(message))
    return text or "no message"


def _words(value: object) -> str:
    return value if isinstance(value, str) else ""


def _field(error: dict[str, Any], text: str, sent: Collection[str]) -> str | None:
    """The field of the request that the server does not accept; the one it names first where it names several."""
    named = error.get("param")
    if isinstance(named, str):
        field = next((name for name in sent if re.match(rf"{re.escape(name)}\b", named)), None)
        if field is not None:
            return field
    if not _NOT_ACCEPTED.search(text):
        return None
    places = [(match.start(), name) for name in sent if (match := re.search(rf"\b{re.escape(name)}\b", text))]
    return min(places)[1] if places else None
