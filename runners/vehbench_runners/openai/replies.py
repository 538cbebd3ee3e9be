"""From the body of a chat completion to a reply. Servers differ in where they put things, and some put them nowhere."""

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from vehbench_hf.types import Reply, Usage
from vehbench_runners.openai.failures import Failure, read_failure, short, status_in_body

LONGEST_TEXT = 4_000_000
"""Characters of a reply, and of its reasoning, that are kept; a reply that is longer counts as cut by length."""

MOST_TOKENS = 10**9
"""A count above it is no count of one call, and would drown all others."""

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put the reasoning: the first is DeepSeek's name, the second OpenRouter's and that of newer vLLM."""


class Completion(NamedTuple):
    """A reply, and the name of the field in which its reasoning came; None where none came apart from the text."""

    reply: Reply
    reasoning_field: str | None


def read_completion(body: str, sent: Collection[str] = ()) -> Completion | Failure:
    """The reply in a body that came with status 200, or why there is none. Never raises.

    A message without content gives the empty text, which the episode counts as unreadable; a refusal in the field of
    that name gives the finish reason "content_filter". A body without any choice is a failure of the server. `sent` are
    the fields of the request, for the wording of an error inside the body.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return Failure("again", f"the answer is no JSON: {short(body) or 'it is empty'}")
    if not isinstance(value, dict):
        return Failure("again", f"the answer is no JSON object: {short(body)}")
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        error = value.get("error")
        if error:
            return read_failure(status_in_body(error), body, sent)
        return Failure("again", f"the answer holds no choice with a message: {short(body)}")
    message = choice["message"]
    finish = _finish_reason(choice.get("finish_reason"))
    if finish == "error":  # a router's word for a model that failed half-way
        return Failure("again", f"the answer ends with an error: {short(json.dumps(choice.get('error')))}")
    try:
        text, inner = _content(message.get("content"))
    except TypeError as error:
        return Failure("again", str(error))
    refusal = message.get("refusal")
    if not text and isinstance(refusal, str) and refusal:
        text, finish = refusal, "content_filter"
    field = next((name for name in REASONING_FIELDS if _filled(message.get(name))), None)
    reasoning = message[field] if field else inner
    if len(text) > LONGEST_TEXT:
        text, finish = text[:LONGEST_TEXT], "length"
    reply = Reply(
        text=text,
        reasoning=reasoning[:LONGEST_TEXT] or None,
        finish_reason=finish,
        usage=_usage(value.get("usage")),
        served_model=_text(value.get("model")),
        system_fingerprint=_text(value.get("system_fingerprint")),
        request_id=_text(value.get("id")),
    )
    return Completion(reply, field)


def _content(value: object) -> tuple[str, str]:
    """Text and reasoning of a content, which is a text, nothing, or a list of parts. Raises TypeError for all else."""
    if value is None or isinstance(value, str):
        return value or "", ""
    if not isinstance(value, list):
        raise TypeError(f"the content of the answer is a {type(value).__name__}; expected a text")
    text, reasoning = "", ""
    for part in value:
        if not isinstance(part, dict):
            raise TypeError(f"a part of the answer's content is a {type(part).__name__}; expected an object")
        if part.get("type") == "thinking":
            inner = part.get("thinking")
            reasoning += inner if isinstance(inner, str) else _content(inner)[0]
        elif isinstance(part.get("text"), str):
            text += part["text"]
    return text, reasoning


def _finish_reason(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    if value.lower().startswith("content_filter"):
        return "content_filter"
    return "length" if value.lower() in ("max_tokens", "model_length") else _text(value)


def _usage(value: object) -> Usage:
    """Tokens as reported. Where the total is more than prompt and completion, the rest is output too: some servers
    leave the reasoning out of the completion."""
    usage = value if isinstance(value, dict) else {}
    into, out = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    total = _count(usage.get("total_tokens"))
    if into is not None and out is not None and total is not None:
        out = max(out, total - into)
    cached = _count(_inside(usage, "prompt_tokens_details", "cached_tokens"))
    return Usage(
        input=into,
        cached=cached if cached is not None else _count(usage.get("prompt_cache_hit_tokens")),
        output=out,
        reasoning=_count(_inside(usage, "completion_tokens_details", "reasoning_tokens")),
    )


def _inside(usage: dict[str, Any], group: str, name: str) -> object:
    inner = usage.get(group)
    return inner.get(name) if isinstance(inner, dict) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _text(value: object) -> str | None:
    return value[:200] if isinstance(value, str) else None


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(value)
