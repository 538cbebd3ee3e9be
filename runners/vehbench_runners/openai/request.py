"""The body of a chat completion request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.parsing.reply_schema import Schema
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Message
from vehbench_runners.openai.endpoint import Endpoint
from vehbench_runners.openai.failures import Failure
from vehbench_runners.openai.replies import REASONING_FIELDS

BYTES_A_TOKEN = 2
"""A prompt has hardly ever more tokens than its bytes divided by this; numbers have about one token every three."""

TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")

FLAGS = {
    "temperature": "--temperature",
    "top_p": "--top-p",
    "seed": "--seed",
    "max_tokens": "--max-tokens",
    "max_completion_tokens": "--max-tokens",
    "reasoning_effort": "--reasoning-effort",
    "response_format": "--structured",
    "stream": "--stream",
    "stream_options": "--stream",
    "reasoning": "--reasoning-tokens",
    "thinking": "--reasoning-tokens",
    "enable_thinking": "--reasoning-tokens",
    "thinking_budget": "--reasoning-tokens",
    "thinking_token_budget": "--reasoning-tokens",
}
"""The option behind each field of a request; any other field came with --request-field."""


NOT_FREE = ("model", "messages", "stream", "n")
"""Fields that a run sets itself, or that change the form of an answer."""


@dataclass(frozen=True)
class Served:
    """What a server says about itself and the model: its engine ("vllm"), context in tokens, the models it has, and
    `weights`, the name or path behind the model's name."""

    engine: str | None = None
    context: int | None = None
    models: tuple[str, ...] = ()
    weights: str | None = None


def request_fields(endpoint: Endpoint, sampling: Sampling, served: Served) -> dict[str, Any]:
    """The fields that say how to sample, equal in all requests of a run but for the seed, which grows with the repeat.

    Raises UserError when a budget for the reasoning is asked for where no field for one is known.
    """
    fields = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        endpoint.token_field: sampling.max_tokens,
        "reasoning_effort": sampling.reasoning_effort,
        "seed": sampling.seed,
    }
    if any(name in sampling.extra for name in TOKEN_FIELDS):
        del fields[endpoint.token_field]  # given under the other name, or not wanted at all
    if sampling.reasoning_tokens is not None:
        fields |= endpoint.reasoning_budget(sampling.reasoning_tokens, served.engine)
    return {name: value for name, value in (fields | sampling.extra).items() if value is not None}


def check_extra(extra: Mapping[str, object]) -> None:
    """Raise UserError where a field given by hand is one that a run sets itself."""
    fixed = [name for name in NOT_FREE if name in extra]
    if fixed:
        raise UserError(
            f"--request-field cannot set {', '.join(fixed)}: every call is one complete reply to one prompt. "
            "Replies in pieces are asked for by --stream."
        )


def request_body(
    model: str,
    messages: list[Message],
    fields: dict[str, Any],
    *,
    epoch: int = 0,
    schema: Schema | None = None,
    context: int | None = None,
    reasoning_field: str = REASONING_FIELDS[0],
    stream: bool = False,
) -> dict[str, Any]:
    """The whole body of one call.

    The longest reply is left out where it might not fit into a context of `context` tokens: such servers then allow
    what is left, while a limit that does not fit is an error. Reasoning of earlier turns goes into `reasoning_field`.
    """
    body = {"model": model, "messages": [_message(message, reasoning_field) for message in messages], **fields}
    if stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if "seed" in fields and isinstance(fields["seed"], int):
        body["seed"] = fields["seed"] + epoch
    if schema is not None:
        answer = {"name": "answer", "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": answer}
    if context is not None:
        prompt = sum(len(text.encode()) for message in body["messages"] for text in message.values())
        for name in TOKEN_FIELDS:
            if isinstance(body.get(name), int) and body[name] > context - prompt // BYTES_A_TOKEN:
                del body[name]
    return body


def sent_fields(body: dict[str, Any]) -> frozenset[str]:
    """The fields of a request that an error may be about: all but the model and the messages."""
    return frozenset(body) - {"model", "messages"}


def what_to_change(failure: Failure) -> str:
    """Advice for a failure of kind "parameter": the option to leave out or to give."""
    field = failure.field or ""
    if field in TOKEN_FIELDS:
        other = next(name for name in TOKEN_FIELDS if name != field)
        if other in failure.text:
            return f"Give --request-field {other}=NUMBER, which is sent instead."
        return "Give a --max-tokens that the model allows."
    flag = FLAGS.get(field, f"--request-field {field}")
    return f"Leave out {flag}, or give a value that the model accepts."


def _message(message: Message, reasoning_field: str) -> dict[str, str]:
    sent = {"role": message["role"], "content": _encodable(message["content"])}
    if "reasoning" in message:
        sent[reasoning_field] = _encodable(message["reasoning"])
    return sent


def _encodable(text: str) -> str:
    """Without lone surrogates, which a model may write in JSON and UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode()
