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
    """A call that gave no reply: what to do, the server's words, the request field it complains of, if any, and the
    seconds that its body asks to wait."""

    kind: Kind
    text: str
    field: str | None = None
    wait_s: float | None = None


_FINAL = (401, 402, 403, 404, 405)
_BUSY = (503, 529)
_AGAIN = (408, 409, 425)

_NO_MONEY = re.compile(
    r"insufficient.(quota|balance|credits|funds)|exceeded your current quota|billing|payment", re.IGNORECASE
)
_NO_MONEY_CODE = re.compile(r"insufficient|billing|balance|credit|payment|arrears|out_of_quota", re.IGNORECASE)
_PER_DAY = re.compile(r"per[ _-]?(day|month)|daily|monthly", re.IGNORECASE)
_RETRY_IN = re.compile(r"(?:retry|try again)\D{0,20}?([0-9]{1,6}(?:\.[0-9]{1,6})?)\s?(ms|s|m)\b", re.IGNORECASE)
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
    if status == 429:
        wait_s = _asked_wait(error, text)
        return Failure("final" if _is_out_of_money(error, text, wait_s) else "busy", text, wait_s=wait_s)
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


def _is_out_of_money(error: dict[str, Any], text: str, wait_s: float | None) -> bool:
    """Whether a 429 will last: codes say it best, and prose only where neither a code nor a time to wait does."""
    codes = " ".join(_words(error.get(name)) for name in ("code", "type", "status", "reason"))
    if _NO_MONEY_CODE.search(codes):
        return True
    quotas = " ".join(_words(entry.get("quotaId")) for entry in _details(error, "violations"))
    if quotas:
        return bool(_PER_DAY.search(quotas)) and not re.search("per_?minute|per_?second", quotas, re.IGNORECASE)
    told = wait_s is not None or re.search(r"rate|exhausted|throttl|too_many", codes, re.IGNORECASE)
    return not told and bool(_NO_MONEY.search(text))


def _asked_wait(error: dict[str, Any], text: str) -> float | None:
    """The seconds that the body of a refusal asks to wait: Google's RetryInfo, or a sentence."""
    delays = [entry["retryDelay"] for entry in _details(error) if isinstance(entry.get("retryDelay"), str)]
    delay = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,9})?)s", delays[0]) if delays else None
    if delay is not None:
        return float(delay[1])
    said = _RETRY_IN.search(text)
    return None if said is None else float(said[1]) * {"ms": 1e-3, "s": 1.0, "m": 60.0}[said[2].lower()]


def _details(error: dict[str, Any], inner: str | None = None) -> list[dict[str, Any]]:
    """The objects in Google's list of details, or those in the lists named `inner` of these."""
    details = error.get("details")
    entries = [entry for entry in details if isinstance(entry, dict)] if isinstance(details, list) else []
    if inner is None:
        return entries
    lists = [entry[inner] for entry in entries if isinstance(entry.get(inner), list)]
    return [entry for values in lists for entry in values if isinstance(entry, dict)]


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
