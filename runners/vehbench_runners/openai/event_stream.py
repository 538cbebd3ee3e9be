"""A reply that came as a stream of events, put together to the body that a plain answer would have had."""

import json
from typing import Any

_JOINED = ("content", "reasoning_content", "reasoning", "refusal")
"""Fields of a delta whose texts follow each other."""


def plain_body(text: str) -> str:
    """The body of a chat completion from a stream of chunks; any other text as it is. Never raises.

    Keep-alive comments and blank lines are left out. A stream may also hold the whole completion as its only event. One
    that ends without a finish reason gives none, which is for the reader of the body to judge.
    """
    text = text.removeprefix("\ufeff").strip()
    if not text.startswith(("data:", ":", "event:", "id:", "retry:")):
        return text
    lines = [line.strip() for line in text.splitlines()]
    if not any(line.startswith("data:") for line in lines):  # comments before a plain body
        return "\n".join(line for line in lines if not line.startswith(":")).strip()
    events = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    chunks = [_object(event) for event in events if event != "[DONE]"]
    wholes = [chunk for chunk in chunks if chunk.get("error") or _first(chunk).get("message")]
    if wholes:
        return json.dumps(wholes[-1])
    return json.dumps(_joined(chunks))


def _joined(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """One completion from the chunks of a stream; of further choices the first alone is read."""
    body: dict[str, Any] = {}
    parts: dict[str, list[str]] = {}
    finish: object = None
    for chunk in chunks:
        body |= {name: value for name, value in chunk.items() if name != "choices" and value is not None}
        choice = _first(chunk)
        delta = choice.get("delta")
        for name in _JOINED:
            piece = delta.get(name) if isinstance(delta, dict) else None
            if isinstance(piece, str):
                parts.setdefault(name, []).append(piece)
        finish = choice.get("finish_reason") or finish
    message = {name: "".join(pieces) for name, pieces in parts.items()}
    return {**body, "choices": [{"index": 0, "message": message, "finish_reason": finish}]} if finish else body


def _first(chunk: dict[str, Any]) -> dict[str, Any]:
    """The choice with the index 0 of a chunk; an empty one where there is none."""
    choices = chunk.get("choices")
    entries = [entry for entry in choices if isinstance(entry, dict)] if isinstance(choices, list) else []
    return next((entry for entry in entries if entry.get("index", 0) == 0), {})


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
