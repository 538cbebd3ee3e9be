"""Why tasks of a run are unscored, by count, and what can be done about it."""

import re
from collections import Counter
from collections.abc import Iterable

from vehbench_hf.safe_files import printable

KINDS_SHOWN = 5

_ADVICE = {
    "context overflow": "Where prompt and reply do not fit the context, the same command does not help: serve the model"
    " with a longer context, or begin a run with a smaller --max-tokens.",
    "HTTP 4": "Requests that a server refuses it will refuse again: the whole message is in turns.jsonl under `error`.",
    "no answer within": "Calls without an answer in time: a longer --timeout or fewer calls at once (--concurrency).",
    "an unreadable reply": "Replies that ended in an unknown way did not end by the model: look at the server's log.",
}
"""What helps beside the same command, by how a reason begins."""


def unscored_text(reasons: Iterable[str]) -> str:
    """The reasons of unscored episodes by count, as in "infra_error 10: 6 x HTTP 500, 4 x context overflow"."""
    kinds = Counter(_kind(reason) for reason in reasons)
    shown = [f"{count} x {kind}" for kind, count in kinds.most_common(KINDS_SHOWN)]
    rest = kinds.total() - sum(count for _, count in kinds.most_common(KINDS_SHOWN))
    return f"infra_error {kinds.total()}: " + ", ".join([*shown, *([f"{rest} x other"] if rest else [])])


def advice(reasons: Iterable[str]) -> list[str]:
    """What to do about them, a sentence each; the same command again where that can help."""
    reasons = list(reasons)
    lines = [text for start, text in _ADVICE.items() if any(_is(start, reason) for reason in reasons)]
    curable = not reasons or any(not any(_is(start, reason) for start in _ADVICE) for reason in reasons)
    return lines + (["Give the same command again to ask them once more."] if curable else [])


def _kind(reason: str) -> str:
    """A reason without what differs from call to call: for HTTP the status, else the words before a colon."""
    status = re.match(r"HTTP \d{3}", reason)
    return printable(status[0] if status else reason.split(":")[0].split(" (asked ")[0][:60])


def _is(start: str, reason: str) -> bool:
    return reason.startswith(start) and not reason.startswith(("HTTP 408", "HTTP 409", "HTTP 425", "HTTP 429"))
