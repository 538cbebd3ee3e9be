"""From the body of a chat completion to a reply. Servers differ in where they put things, and some put them nowhere."""

import json
from collections.abc import Collection
from typing import NamedTuple

from vehbench_hf.finish_reasons import ending_of
from vehbench_hf.types import Reply, Usage
from vehbench_runners.openai.event_stream import plain_body
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
    """The reply in a body that came with status 200, at once or as a stream, or why there is none. Never raises.

    An empty message gives the empty text, which the episode counts as unreadable, unless the model made tokens that the
    server did not deliver: that is the server's failure, as is a body without any choice. A refusal in the field of
    that name gives the finish reason "content_filter". `sent` are
    the fields of the request, for the wording of an error inside the body.
    """
    try:
        value = json.loads(plain_body(body))
    except (ValueError, RecursionError):
        return Failure("again", f"the answer is no JSON: {short(body) or 'it is empty'}")
    if not isinstance(value, dict):
        return Failure("again", f"the answer is no JSON object: {short(body)}")
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    finish = _finish_reason(choice.get("finish_reason"))
    message = choice.get("message")
    if finish == "content_filter" and not isinstance(message, dict):
        message = {}
    if not isinstance(message, dict):
        if value.get("error"):
            return read_failure(status_in_body(value["error"]), body, sent)
        return Failure("again", f"the answer holds no choice with a message: {short(body)}")
    if ending_of(finish) == "failed":
        error = choice.get("error")
        return Failure("again", f"the answer ends with {finish!r}{f': {short(json.dumps(error))}' if error else ''}")
    try:
        text, inner = _content(message.get("content"))
    except TypeError as error:
        return Failure("again", str(error))
    refusal = message.get("refusal")
    if not text and isinstance(refusal, str) and refusal:
        text, finish = refusal, "content_filter"
    field = next((name for name in REASONING_FIELDS if _filled(message.get(name))), None)
    reasoning = message[field] if field else inner
    usage = _usage(value.get("usage"))
    if not text and ending_of(finish) == "ended":
        if "response_format" in sent and _is_object(reasoning):
            text, reasoning, field = reasoning, "", None  # a reasoning parser that takes the answer for reasoning
        elif reasoning or (usage.output or 0) > 1:
            made = "reasoning only" if reasoning else f"{usage.output} tokens"
            return Failure("again", f"the server delivered no content though the model made {made}")
    if len(text) > LONGEST_TEXT:
        text, finish = text[:LONGEST_TEXT], "length"
    reply = Reply(
        text=text,
        reasoning=reasoning[:LONGEST_TEXT] or None,
        finish_reason=finish,
        usage=usage,
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
        if isinstance(part, str):
            text += part
            continue
        if not isinstance(part, dict):
            raise TypeError(f"a part of the answer's content is a {type(part).__name__}; expected an object")
        kind = str(part.get("type") or "text").lower()
        if any(word in kind for word in ("think", "reason", "thought", "summary")) or part.get("thought") is True:
            reasoning += next((_part_text(part[name]) for name in (kind, *_PART_FIELDS) if name in part), "")
        else:
            text += _part_text(part.get("text"))
    return text, reasoning


_PART_FIELDS = ("thinking", "reasoning", "text", "content", "summary")
"""Where parts of a content that are reasoning hold it."""


def _part_text(value: object) -> str:
    """The text of a part: a text, an object around one, or a list of such parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _part_text(next((value[name] for name in ("value", "text", "content") if name in value), None))
    return "".join(_part_text(part) for part in value) if isinstance(value, list) else ""


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _finish_reason(value: object) -> str | None:
    """The server's word; one name for each of the two that outcomes are known by."""
    if not isinstance(value, str):
        return None
    return {"cut": "length", "refused": "content_filter"}.get(ending_of(value), _text(value))


def _usage(value: object) -> Usage:
    """Tokens as reported, by any of the names in use. Where the total is more than prompt and completion, the rest is
    output too: some servers leave the reasoning out of the completion."""
    usage = value if isinstance(value, dict) else {}
    into = _first_count(usage, "prompt_tokens", "input_tokens", "promptTokenCount")
    out = _first_count(usage, "completion_tokens", "output_tokens", "candidatesTokenCount")
    total = _first_count(usage, "total_tokens", "totalTokenCount")
    if into is not None and out is not None and total is not None:
        out = max(out, total - into)
    details = [usage.get(name) for name in ("prompt_tokens_details", "input_tokens_details")]
    further = [usage.get(name) for name in ("completion_tokens_details", "output_tokens_details")]
    return Usage(
        input=into,
        cached=_first_count(*details, usage, "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens"),
        output=out,
        reasoning=_first_count(*further, usage, "reasoning_tokens", "thoughtsTokenCount"),
    )


def _first_count(*groups_and_names: object) -> int | None:
    """The first count of one of the names in one of the groups."""
    names = [name for name in groups_and_names if isinstance(name, str)]
    groups = [group for group in groups_and_names if isinstance(group, dict)]
    counts = (_count(group.get(name)) for group in groups for name in names)
    return next((count for count in counts if count is not None), None)


def _count(value: object) -> int | None:
    """A whole number of tokens, also as a float or a text; None for everything else."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= 12:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _text(value: object) -> str | None:
    return value[:200] if isinstance(value, str) else None


def _filled(value: object) -> bool:
    return isinstance(value, str) and bool(value)
