"""`openai/NAME`: any OpenAI-compatible endpoint. What to do about a call that failed: repeat it, wait, or stop."""

import asyncio
import contextlib
import json
import os
from dataclasses import replace
from importlib import metadata
from types import TracebackType
from typing import Any, Self

from vehbench_hf.parsing.reply_schema import Schema, schema_of
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Message, Reply, Task
from vehbench_runners.backend import OVERFLOW, Position, RunStopped, Speaker
from vehbench_runners.openai.connection import Connection
from vehbench_runners.openai.endpoint import read_endpoint, secrets_of
from vehbench_runners.openai.failures import Failure
from vehbench_runners.openai.limiter import LONGEST_PROBE_S, Limiter
from vehbench_runners.openai.replies import REASONING_FIELDS
from vehbench_runners.openai.request import (
    TOKEN_FIELDS,
    Served,
    check_extra,
    request_body,
    request_fields,
    what_to_change,
)
from vehbench_runners.openai.retries import LONGEST_BACKOFF_S, backoff
from vehbench_runners.options import BackendOptions

CONCURRENCY = 64

LONGEST_WAIT_S = 900.0
"""A server that asks for a longer wait ends the run, which can be taken up again later."""

REFUSALS = 3
"""So many refusals in a row end a run in which no reply has come yet."""

HANGS = 2
"""A call that ran into the time limit so often is given up: each time may have cost a whole reply."""

BUSY_ROUNDS = 40
"""A call that the server has no room for is given up after so many tries between which others came through."""

WATCH_S = 1.0
"""How often stuck calls are looked for."""


class OpenAIBackend:
    """The model `name` at an endpoint. Calls share one limiter and, once one of them has to stop, stop together.

    Raises UserError for an address or a request field that cannot be used.
    """

    is_language_model = True

    def __init__(self, name: str, sampling: Sampling, options: BackendOptions) -> None:
        check_extra(sampling.extra)
        self.concurrency = options.concurrency or CONCURRENCY
        self._endpoint = read_endpoint(options.base_url)
        self._name, self._sampling, self._options = name, sampling, options
        self._served = Served()
        self._limiter = Limiter(self.concurrency)
        self._connection: Connection | None = None
        self._fields: dict[str, Any] = {}
        self._reasoning_field: str | None = None
        self._replies = 0
        self._refusals = 0
        self._last_failure = ""
        self._watch: asyncio.Task[None] | None = None
        self._stop: RunStopped | None = None
        self._stopping = asyncio.Event()

    async def __aenter__(self) -> Self:
        key = (os.environ.get(self._options.key_variable) or "").strip()
        if not (key.isascii() and key.isprintable()):
            raise RunStopped(f"{self._options.key_variable} holds characters that no API key has; set it again.")
        if not key and self._endpoint.is_openai:
            raise RunStopped(
                f"no API key: set the environment variable {self._options.key_variable}, or name the one that holds "
                "the key with --key-variable."
            )
        self._connection = Connection(
            self._endpoint,
            key or "none",
            secrets_of(self._options.base_url, key),
            connections=self.concurrency,
            timeout_s=self._options.timeout_s,
            stream=self._options.stream,
        )
        try:
            if not self._endpoint.is_openai:  # OpenAI lists its models without anything that is of use here
                served = await self._connection.look(self._name)
                if isinstance(served, Failure) and self._endpoint.is_local:
                    raise RunStopped(f"{served.text}. {self._endpoint.where_to_look(served.text)}")
                self._served = served if isinstance(served, Served) else Served()
            self._fields = request_fields(self._endpoint, self._sampling, self._served)
        except BaseException:
            await self._connection.close()
            raise
        self._watch = asyncio.create_task(self._free_stuck_calls())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watch is not None:
            self._watch.cancel()
        if self._connection is not None:
            await self._connection.close()

    def speaker_for(self, task: Task) -> Speaker:
        """Who answers the calls of one episode."""
        schema = self._schema(task)
        default = REASONING_FIELDS[1] if self._served.engine == "vllm" else REASONING_FIELDS[0]

        async def speak(messages: list[Message], position: Position) -> Reply:
            body = request_body(
                self._name,
                messages,
                self._fields,
                epoch=position[0],
                schema=schema,
                context=self._served.context,
                reasoning_field=self._reasoning_field or default,
                stream=self._options.stream,
            )
            return await self._call(body)

        return speak

    def description(self) -> dict[str, Any]:
        """The endpoint, what its server says about itself, and the fields of every request."""
        return {
            "kind": "openai",
            "base_url": self._endpoint.url,
            "client": f"openai {metadata.version('openai')}",
            "engine": self._served.engine,
            "context": self._served.context,
            "weights": self._served.weights,
            "request": self._fields,
            "structured": self._sampling.structured,
        }

    def request_text(self, task: Task, messages: list[Message]) -> str:
        """The body of the request as JSON, without what depends on the answers of a server."""
        sampling = replace(self._sampling, reasoning_tokens=None)
        fields = self._fields or request_fields(self._endpoint, sampling, self._served)
        body = request_body(self._name, messages, fields, schema=self._schema(task))
        return json.dumps(body, indent=1, ensure_ascii=False)

    def trouble(self) -> str:
        """The last failure, and how many calls have been unanswered for unusually long."""
        stuck = f"{self._limiter.stuck} calls unanswered for unusually long" if self._limiter.stuck else ""
        state = "waiting, as nothing comes through: " if self._limiter.probing else "last error: "
        last = f"{state}{self._last_failure[:120]}" if self._last_failure else ""
        return "; ".join(part for part in (stuck, last) if part)

    def stop(self, reason: RunStopped) -> None:
        """Begin no further call: those that wait raise `reason`."""
        self._stop = self._stop or reason
        self._stopping.set()
        self._limiter.resume()

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """Only the server knows."""
        return None

    def _schema(self, task: Task) -> Schema | None:
        return schema_of(task) if self._sampling.structured else None

    async def _call(self, body: dict[str, Any]) -> Reply:
        """One reply, or a reply with `error` once asking again has not helped. Raises RunStopped.

        Tries count against the call only where the server answered others meanwhile; else the time does, for all calls
        together.
        """
        tries = hangs = own_failures = busy_rounds = 0
        failed_at = float("inf")
        own = False
        while True:
            result, wait_s = await self._ask(body, own)
            if isinstance(result, Reply):
                return result
            if result.kind == "overflow" and any(name in body for name in TOKEN_FIELDS):
                # a limit that does not fit is an error; without one, servers allow what the context has left
                body = {name: value for name, value in body.items() if name not in TOKEN_FIELDS}
                continue
            if result.kind not in ("busy", "again", "hung", "unreachable"):
                return self._final_reply(result)
            self._stop_if_unreachable(result)
            tries += 1
            hangs += result.kind == "hung"
            passed_by = self._limiter.newest_answered > failed_at
            own = passed_by and result.kind == "again"
            own_failures += own
            busy_rounds += passed_by and result.kind == "busy"
            if failed_at == float("inf") or not own:  # one that failed while others came through stays suspect
                failed_at = asyncio.get_running_loop().time()
            self._last_failure = result.text
            if (
                self._options.max_retries == 0
                or own_failures >= self._options.max_retries
                or hangs >= HANGS
                or busy_rounds >= BUSY_ROUNDS
            ):
                return Reply(None, finish_reason=None, error=f"{result.text} (asked {tries} times)")
            if not own:
                self._stop_if_down(result)
            longest = LONGEST_PROBE_S if self._limiter.probing and not own else LONGEST_BACKOFF_S
            await self._sleep(max(min(backoff(tries), longest), wait_s or 0.0))

    async def _ask(self, body: dict[str, Any], at_once: bool) -> tuple[Reply | Failure, float | None]:
        """One request in a slot of the limiter, and how long the server asks to wait."""
        assert self._connection is not None, "the backend is used outside its context"
        slot = await self._limiter.acquire(at_once=at_once)
        try:
            if self._stop is not None:
                raise self._stop
            answer = await self._connection.ask(body)
            result = answer.result
            if isinstance(result, Reply):
                self._replies += 1
                self._refusals = 0
                self._reasoning_field = answer.reasoning_field or self._reasoning_field
                self._limiter.came_through(slot)
            elif result.kind == "busy":
                self._limiter.refused(slot)
                if answer.wait_s is not None and answer.wait_s > LONGEST_WAIT_S:
                    result = replace(result, kind="final", text=f"{result.text} (wait {answer.wait_s:.0f} s)")
                elif answer.wait_s is not None:
                    self._limiter.pause(answer.wait_s)
            if isinstance(result, Failure) and not at_once and result.kind in ("busy", "again", "unreachable"):
                self._limiter.failed(slot)
        finally:
            self._limiter.release(slot)
        return result, answer.wait_s

    async def _free_stuck_calls(self) -> None:
        while True:
            await asyncio.sleep(WATCH_S)
            self._limiter.free_stuck()

    def _stop_if_down(self, failure: Failure) -> None:
        """Raise RunStopped once nothing has come through for as long as the run has patience."""
        if self._limiter.has_been_down(self._options.patience_s):
            raise self._stopped(
                f"nothing has come through for {self._options.patience_s:g} s (--patience), lastly: {failure.text}. "
                "What was done is kept; the same command goes on."
            )

    def _final_reply(self, failure: Failure) -> Reply:
        """What a refusal that no repetition helps comes to. Raises RunStopped when it holds for the whole run."""
        if failure.kind == "filtered":
            return Reply(None, finish_reason="content_filter")
        if failure.kind == "overflow":
            return Reply(None, finish_reason=None, error=f"{OVERFLOW}: {failure.text}")
        if failure.kind == "final":
            raise self._stopped(f"{self._endpoint.url} answers {failure.text}. {self._advice(failure.text)}")
        if failure.kind == "parameter" and self._replies == 0:
            raise self._stopped(
                f"the field {failure.field!r} is not accepted ({failure.text}). {what_to_change(failure)}"
            )
        self._refusals += 1
        if self._refusals >= REFUSALS and self._replies == 0:
            hint = " Give --stream." if "stream" in failure.text and not self._options.stream else ""
            raise self._stopped(f"the first {self._refusals} requests were all refused, lastly: {failure.text}{hint}")
        return Reply(None, finish_reason=None, error=failure.text)

    def _advice(self, text: str) -> str:
        if text.startswith("HTTP 401"):
            return f"Is the key in {self._options.key_variable} right here? --key-variable names another variable."
        if text.startswith(("HTTP 404", "HTTP 405")):
            served = ", ".join(self._served.models[:8])
            has = f" (the server has {served})" if served else ""
            return f"Check the model's name{has} and --base-url, which mostly ends in /v1."
        return "What was done is kept; the same command goes on once that is settled."

    def _stop_if_unreachable(self, failure: Failure) -> None:
        self._refusals = self._refusals + 1 if failure.kind == "unreachable" else 0
        if self._refusals >= REFUSALS and self._replies == 0:
            raise self._stopped(f"{failure.text}. {self._endpoint.where_to_look(failure.text)}")

    def _stopped(self, text: str) -> RunStopped:
        reason = RunStopped(text)
        self.stop(reason)
        return self._stop or reason

    async def _sleep(self, seconds: float) -> None:
        """Wait, but no longer than the run goes on."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
