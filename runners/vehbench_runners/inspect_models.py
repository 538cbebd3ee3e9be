"""`inspect/PROVIDER/NAME`: the providers of Inspect as backends (the extra `inspect`).

Inspect speaks each provider's own protocol, and repeats failed calls itself. A --request-field whose name is a field of
Inspect's GenerateConfig (`batch`, `cache_prompt`, `reasoning_summary`, ..) sets that; any other goes into the request.
"""

import os
import re
import time
from importlib import metadata
from types import TracebackType
from typing import Any, Self

from vehbench_hf.errors import UserError
from vehbench_hf.parsing.reply_schema import Schema, schema_of
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Message, Reply, Task, Usage
from vehbench_runners.backend import OVERFLOW, Position, RunStopped, Speaker
from vehbench_runners.openai.endpoint import without_secrets
from vehbench_runners.openai.failures import Failure, read_failure, short
from vehbench_runners.options import BackendOptions

CONCURRENCY = 32
_FINISH = {"max_tokens": "length", "model_length": "length"}


class InspectBackend:
    """A model of one of Inspect's providers; `name` is PROVIDER/NAME as Inspect writes it.

    Raises UserError for a name without provider, or without the extra installed.
    """

    is_language_model = True

    def __init__(self, name: str, sampling: Sampling, options: BackendOptions) -> None:
        if "/" not in name:
            raise UserError(f"model 'inspect/{name}' has no provider; expected inspect/PROVIDER/NAME.")
        _inspect()
        self.concurrency = options.concurrency or CONCURRENCY
        self._name, self._sampling, self._options = name, sampling, options
        self._model: Any = None
        self._replies = 0

    async def __aenter__(self) -> Self:
        inspect = _inspect()
        named = self._options.key_variable
        key = os.environ.get(named) if named != BackendOptions().key_variable else None
        try:
            self._model = inspect.get_model(
                self._name,
                config=inspect.GenerateConfig(**self._config()),
                base_url=self._options.base_url,
                api_key=key,
                memoize=False,
            )
        except Exception as error:  # Inspect raises what its providers raise: no such provider, no package, no key
            raise RunStopped(f"Inspect cannot make the model {self._name!r}: {_plain(error)}") from None
        await self._model.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._model.__aexit__(kind, error, trace)

    def speaker_for(self, task: Task) -> Speaker:
        """Who answers the calls of one episode."""
        inspect = _inspect()
        schema = schema_of(task) if self._sampling.structured else None

        async def speak(messages: list[Message], position: Position) -> Reply:
            config = inspect.GenerateConfig(**self._of_this_call(position, schema))
            begun = time.perf_counter()
            try:
                output = await self._model.generate([_message(m) for m in messages], config=config)
            except Exception as error:  # whatever the provider's own client raises
                return self._final_reply(_failure(error, list(self._config())))
            reply = _reply(output, round(time.perf_counter() - begun, 4))
            self._replies += reply.error is None
            return reply

        return speak

    def description(self) -> dict[str, Any]:
        """The provider's model and the generation settings that Inspect was given."""
        return {
            "kind": "inspect",
            "model": self._name,
            "client": f"inspect-ai {metadata.version('inspect-ai')}",
            "config": self._config(),
            "structured": self._sampling.structured,
        }

    def request_text(self, task: Task, messages: list[Message]) -> str:
        """The messages; how they are wrapped is the provider's affair."""
        return "\n".join(f"=== {message['role']} ===\n{message['content']}" for message in messages)

    def trouble(self) -> str:
        """Nothing stands between this model and its calls."""
        return ""

    def stop(self, reason: RunStopped) -> None:
        """Calls that have begun come back."""

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """Only the provider knows."""
        return None

    def _config(self) -> dict[str, Any]:
        """Fields of GenerateConfig that are equal in all calls."""
        known = _inspect().GenerateConfig.model_fields
        sampling, options = self._sampling, self._options
        wanted = {
            "max_connections": self.concurrency,
            "max_retries": options.max_retries,
            "attempt_timeout": int(options.timeout_s),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "reasoning_effort": sampling.reasoning_effort,
            "reasoning_tokens": sampling.reasoning_tokens,
            "reasoning_history": "all",  # what may be replayed was decided before, by what the messages hold
        }
        body = {name: value for name, value in sampling.extra.items() if name not in known}
        own = {name: value for name, value in sampling.extra.items() if name in known}
        merged = wanted | ({"extra_body": body} if body else {}) | own
        return {name: value for name, value in merged.items() if value is not None and name in known}

    def _of_this_call(self, position: Position, schema: Schema | None) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self._sampling.seed is not None:
            fields["seed"] = self._sampling.seed + position[0]
        if schema is not None:
            from inspect_ai.model import ResponseSchema
            from inspect_ai.util import JSONSchema

            form = JSONSchema.model_validate(schema)
            fields["response_schema"] = ResponseSchema(name="answer", json_schema=form, strict=True)
        return fields

    def _final_reply(self, failure: Failure) -> Reply:
        if failure.kind == "filtered":
            return Reply(None, finish_reason="content_filter")
        if failure.kind == "final" or (failure.kind == "parameter" and self._replies == 0):
            raise RunStopped(f"{self._name} answers {failure.text}. What was done is kept.")
        before = f"{OVERFLOW}: " if failure.kind == "overflow" else ""
        return Reply(None, finish_reason=None, error=before + failure.text)


def _inspect() -> Any:
    try:
        import inspect_ai.model
    except ImportError:
        raise UserError(
            "models by way of Inspect need the package inspect-ai: pip install 'vehbench-hf[inspect]'."
        ) from None
    return inspect_ai.model


def _message(message: Message) -> Any:
    inspect = _inspect()
    if message["role"] == "system":
        return inspect.ChatMessageSystem(content=message["content"])
    if message["role"] == "user":
        return inspect.ChatMessageUser(content=message["content"])
    if "reasoning" not in message:
        return inspect.ChatMessageAssistant(content=message["content"])
    thought = inspect.ContentReasoning(reasoning=message["reasoning"])
    return inspect.ChatMessageAssistant(content=[thought, inspect.ContentText(text=message["content"])])


def _reply(output: Any, latency_s: float) -> Reply:
    """Inspect's output as a reply. It reports an overflow of the context as an output that used nothing."""
    if output.error or not output.choices:
        return Reply(None, finish_reason=None, error=f"the provider failed: {short(str(output.error or 'no choice'))}")
    if output.stop_reason == "model_length" and (output.usage is None or not output.usage.output_tokens):
        return Reply(None, finish_reason=None, error=f"{OVERFLOW}: {short(output.completion)}")
    content = output.message.content
    parts = content if isinstance(content, list) else []
    thoughts = [part.reasoning for part in parts if part.type == "reasoning" and part.reasoning]
    return Reply(
        output.completion,
        reasoning="\n".join(thoughts) or None,
        finish_reason=_FINISH.get(output.stop_reason, output.stop_reason),
        usage=_usage(output.usage),
        served_model=output.model or None,
        request_id=output.message.id,
        latency_s=latency_s,
    )


def _usage(usage: Any) -> Usage:
    """Tokens in our sense: Inspect leaves what was read from or written to a cache out of the input."""
    if usage is None:
        return Usage()
    cached = usage.input_tokens_cache_read
    into = usage.input_tokens + (cached or 0) + (usage.input_tokens_cache_write or 0)
    return Usage(input=into, cached=cached, output=usage.output_tokens, reasoning=usage.reasoning_tokens)


def _failure(error: Exception, sent: list[str]) -> Failure:
    """What a provider's exception means, by its status and words; one without a status is a failure on the way."""
    links: list[BaseException] = [error]
    while links[-1].__cause__ is not None and links[-1].__cause__ not in links:
        links.append(links[-1].__cause__)
    statuses = [getattr(link, name, None) for link in links for name in ("status_code", "code")]
    status = next((s for s in statuses if isinstance(s, int) and 400 <= s <= 599), None)
    text = _plain(links[-1])
    if status is None:
        return Failure("again", text)
    return read_failure(status, text, sent)


def _plain(error: BaseException) -> str:
    """An exception's text on one line, without markup and without any key of the environment."""
    text = re.sub(r"\[/?[a-z ]+\]", "", str(error)) or type(error).__name__
    secrets = [value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN")) and len(value) >= 6]
    return short(without_secrets(text, sorted(secrets, key=len, reverse=True)))  # cut last: half a key is not found
