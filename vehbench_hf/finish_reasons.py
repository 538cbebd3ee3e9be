"""Why a reply ended, in the words of servers. The list is open: a word that is not known here says nothing."""

import re
from typing import Literal

Ending = Literal["ended", "cut", "refused", "failed", "unknown"]
"""`ended` by the model itself, `cut` by a limit of tokens, `refused` by a filter or the model, `failed` elsewhere."""

_ENDED = {
    "", "stop", "stopped", "stop_sequence", "stop_token", "stop_str", "end_turn", "end", "eos", "eos_token", "eot",
    "complete", "completed", "finish", "finished", "done", "tool_calls", "tool_use", "function_call", "none", "null",
}  # fmt: skip
_CUT = re.compile(r"length|max_?(output|completion|new|total)?_?tokens?|token_?limit|context_?(window|size)|truncat")
_REFUSED = re.compile(
    r"filter|safety|refus|prohibit|moderat|guardrail|sensitive|block|spii|recitation|policy|flagged|inspection|harm"
)
_FAILED = re.compile(
    r"error|time_?d?_?out|abort|cancel|overload|unavailable|network|disconnect|insufficient|fail|preempt|malformed"
    r"|rate_?limit|quota|internal|interrupt|evict"
)


def ending_of(finish_reason: str | None) -> Ending:
    """What a finish reason says; case, blanks and hyphens do not matter. A server that gives none says `ended`."""
    word = re.sub(r"[\s.-]+", "_", (finish_reason or "").strip().lower()).removeprefix("finish_reason_")
    if word in _ENDED:
        return "ended"
    if _FAILED.search(word):
        return "failed"
    if _REFUSED.search(word):
        return "refused"
    return "cut" if _CUT.search(word) else "unknown"
