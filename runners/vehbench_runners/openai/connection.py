"""One request to an OpenAI-compatible API and what came of it, through the `openai` client.

The client's own repeats are off: every failure is read here, and whoever asked decides what to do about it.
"""

import asyncio
import json
import os
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from vehbench_hf.types import Reply
from vehbench_runners.backend import RunStopped
from vehbench_runners.openai.endpoint import Endpoint, without_secrets
from vehbench_runners.openai.failures import Failure, read_failure, short
from vehbench_runners.openai.replies import Completion, read_completion
from vehbench_runners.openai.request import Served, sent_fields
from vehbench_runners.openai.retries import quota_reset, retry_after

CONNECT_S = 15.0
LOOK_S = 10.0

GATEWAY_TIMEOUTS = (408, 504, 522, 524)
LONG_WAIT_S = 1.5
"""Such a status after so long a wait means that the model was at work, so that each further try costs a whole reply;
one that comes at once says that nobody is there."""

CONNECTION_ERRORS = {"ConnectError", "ClientConnectorError", "ConnectionTimeoutError", "ConnectionRefusedError"}
"""Names of exceptions, in any of the HTTP libraries below the client, that mean: no connection came about."""

READ_TIMEOUTS = {"ReadTimeout", "SocketTimeoutError", "ServerTimeoutError"}

LIBRARIES = ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "anyio", "h11")


@dataclass(frozen=True)
class Answer:
    """What one request came to: a reply or a failure, and the seconds that the server asks to wait, if it does.

    `reasoning_field` is where the reply's reasoning stood.
    """

    result: Reply | Failure
    wait_s: float | None = None
    reasoning_field: str | None = None


class Connection:
    """An open client. Nothing that it returns or raises holds one of `secrets`."""

    def __init__(
        self,
        endpoint: Endpoint,
        key: str,
        secrets: list[str],
        *,
        connections: int,
        timeout_s: float,
        stream: bool = False,
    ) -> None:
        import openai

        self._endpoint, self._secrets, self._timeout_s, self._stream = endpoint, secrets, timeout_s, stream
        own = openai.DefaultAsyncHttpxClient
        library = next(base.__module__ for base in own.__mro__ if base.__module__.startswith("httpx"))
        http = import_module(library.split(".")[0])  # httpx below older clients, httpx2 below newer ones
        self._response = http.Response
        settings = {
            # the call as a whole has a limit of its own, which a trickle of bytes cannot stretch; a stream has one from
            # piece to piece
            "timeout": http.Timeout(None, connect=CONNECT_S, read=timeout_s if stream else None),
            "limits": http.Limits(max_connections=connections, max_keepalive_connections=connections),
            "trust_env": not endpoint.is_loopback,  # no proxy lies before this machine
        }
        if endpoint.is_loopback and endpoint.url.startswith("https"):
            settings["verify"] = trusted_certificates()  # which are not read from the environment then
        try:  # by way of aiohttp a call costs half the time
            transport = openai.DefaultAioHttpClient(**settings)
        except (AttributeError, RuntimeError):
            transport = own(**settings)
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=endpoint.url,
            default_query=endpoint.query,
            default_headers=endpoint.headers,
            http_client=transport,
            timeout=settings["timeout"],
            max_retries=0,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def look(self, model: str) -> Served | Failure:
        """What the server says about `model`; nothing where it does not say, a failure when it cannot be reached."""
        try:
            async with asyncio.timeout(LOOK_S):
                answer = await self._client.get("/models", cast_to=self._response)
            listed = json.loads(answer.text)["data"]
            models = {str(entry["id"]): entry for entry in listed if isinstance(entry, dict) and "id" in entry}
        except (TimeoutError, ValueError, KeyError, TypeError, RecursionError):
            return Served()
        except Exception as error:
            if not _from_below(error):
                raise
            failure = self._unanswered(error)
            return failure if failure.kind == "unreachable" else Served()
        mine = models.get(model) or (next(iter(models.values())) if len(models) == 1 else {})
        lengths = [mine.get(name) for name in ("max_model_len", "context_length")]
        context = next((length for length in lengths if isinstance(length, int) and length > 0), None)
        engine = mine.get("owned_by")
        weights = next((mine[name] for name in ("root", "id") if isinstance(mine.get(name), str)), None)
        return Served(
            short(self._clean(engine)) if isinstance(engine, str) else None,
            context,
            tuple(short(self._clean(name)) for name in models),
            short(self._clean(weights)) if weights else None,
        )

    async def ask(self, body: dict[str, Any]) -> Answer:
        """Send one chat completion request."""
        import openai

        begun = time.perf_counter()
        try:
            async with asyncio.timeout(None if self._stream else self._timeout_s):
                answer = await self._client.post("/chat/completions", cast_to=self._response, body=body)
        except TimeoutError:
            return Answer(Failure("hung", f"no answer within {self._timeout_s:g} s (--timeout)"))
        except openai.APIStatusError as error:
            response = error.response
            if (moved := _moved(response)) is not None:
                return Answer(moved)
            failure = read_failure(response.status_code, self._clean(response.text), sent_fields(body))
            waited_s = time.perf_counter() - begun
            if failure.kind == "again" and response.status_code in GATEWAY_TIMEOUTS and waited_s >= LONG_WAIT_S:
                failure = replace(failure, kind="hung")
            return self._failed(failure, response.headers)
        except Exception as error:
            if not _from_below(error):
                raise
            return Answer(self._unanswered(error))
        if (moved := _moved(answer)) is not None:
            return Answer(moved)
        latency_s = round(time.perf_counter() - begun, 4)
        completion = read_completion(answer.text, sent_fields(body))
        if not isinstance(completion, Completion):
            completion = read_completion(self._clean(answer.text), sent_fields(body))
        if not isinstance(completion, Completion):
            return self._failed(completion, answer.headers)
        request_id = answer.headers.get("x-request-id") or completion.reply.request_id
        reply = replace(completion.reply, request_id=request_id, latency_s=latency_s)
        return Answer(reply, reasoning_field=completion.reasoning_field)

    def _failed(self, failure: Failure, headers: Mapping[str, str]) -> Answer:
        # The body was cleaned before its text was cut, since half a key would not be found; escapes are read since.
        asked = retry_after(headers)
        if asked is None and failure.kind == "busy":
            asked = quota_reset(headers)
        return Answer(replace(failure, text=self._clean(failure.text)), asked if asked is not None else failure.wait_s)

    def _unanswered(self, error: BaseException) -> Failure:
        """Why no answer came. Transports wrap the cause in several ways, so the whole chain is looked at."""
        links = [error]
        while (inner := links[-1].__cause__ or links[-1].__context__) is not None and inner not in links:
            links.append(inner)
        names = {kind.__name__ for link in links for kind in type(link).__mro__}
        cause = short(self._clean(f"{type(links[-1]).__name__} {links[-1]}".strip()))
        if names & CONNECTION_ERRORS:
            return Failure("unreachable", f"cannot connect to {self._endpoint.url}: {cause}")
        if self._stream and names & READ_TIMEOUTS:
            return Failure("hung", f"no further piece of the answer within {self._timeout_s:g} s (--timeout)")
        return Failure("again", f"the connection broke off: {cause}")

    def _clean(self, text: str) -> str:
        return without_secrets(text, self._secrets)


def trusted_certificates() -> ssl.SSLContext:
    """The authorities of the system, and those of the variables SSL_CERT_FILE and SSL_CERT_DIR.

    Raises RunStopped where a variable names nothing that can be read.
    """
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    try:
        context = ssl.create_default_context()
        if file or folder:
            context.load_verify_locations(file or None, folder or None)
    except (OSError, ssl.SSLError) as error:
        raise RunStopped(
            f"SSL_CERT_FILE={file or ''} SSL_CERT_DIR={folder or ''}: no certificates can be read there ({error}); "
            "expected a PEM file, or a folder of such."
        ) from None
    return context


def _moved(response: Any) -> Failure | None:
    """A failure where a redirect turned the request into another one, which asks for nothing."""
    if not response.history or response.request.method == "POST":
        return None
    first, last = response.history[0], response.request.url
    return Failure(
        "final", f"HTTP {first.status_code}: the address has moved to {short(str(last))}; give it as --base-url"
    )


def _from_below(error: Exception) -> bool:
    """Whether the client or a library below it raised this. Not all that they raise has a common base."""
    return type(error).__module__.split(".")[0] in LIBRARIES or isinstance(error, OSError)
