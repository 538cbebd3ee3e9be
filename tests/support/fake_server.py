"""A chat-completions server on this machine that does what a script says, misbehaviour included.

As a program it answers every request at once, or after a delay: `python fake_server.py 0.2` prints its port.
"""

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

Body = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    `body` is sent as it is. `delay_s` passes before the first byte. `hang` sends nothing and keeps the connection open;
    `reset_after` breaks the connection after so many bytes of the body. `pieces` sends the body in so many parts with
    `pause_s` between them. `raw` is sent instead of a regular answer.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    hang: bool = False
    reset_after: int | None = None
    raw: bytes | None = None
    pieces: int = 1
    pause_s: float = 0.0


Script = Callable[[Body, int], Answer]
"""What to do with the body of a request; the number counts requests from 0."""

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 7},
}


def completion(content: object, *, finish_reason: str = "stop", **message: object) -> Answer:
    """A regular reply; further fields go into its message."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish_reason,
    }
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "served-model",
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": USAGE,
    }
    return Answer(json.dumps(body).encode(), headers={"x-request-id": "req-1"})


def failure(status: int, message: str, headers: dict[str, str] | None = None, **error: object) -> Answer:
    """An error as OpenAI words it; further fields go beside its message."""
    body = {"error": {"message": message, "type": "invalid_request_error", **error}}
    return Answer(json.dumps(body).encode(), status, headers or {})


class FakeServer:
    """The server, in a thread of its own while the context lasts. `models` is what `/v1/models` answers."""

    def __init__(self, script: Script, *, models: Answer | None = None) -> None:
        self.script = script
        self.models = models or Answer(b'{"object": "list", "data": [{"id": "m"}]}')
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.port = 0
        self._dead = False
        self._server: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._loop.close()

    def die(self) -> None:
        """Called from a script: answer nothing any more, and refuse connections."""
        assert self._server is not None
        self._server.close()
        self._dead = True

    async def _serve(self) -> None:
        self._server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; False when the connection is to be closed."""
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        data = await reader.readexactly(int(headers.get("content-length", 0)))
        path = lines[0].split(" ")[1]
        if path.split("?")[0].endswith("/models"):
            return await self._send(writer, self.models)
        body = json.loads(data)
        number = len(self.requests)
        self.requests.append(body)
        self.headers.append(headers)
        self.paths.append(path)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            answer = self.script(body, number)
            return False if self._dead else await self._send(writer, answer)
        finally:
            self.at_once -= 1

    async def _send(self, writer: asyncio.StreamWriter, answer: Answer) -> bool:
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.hang:
            await self._stop.wait()
            return False
        if answer.raw is not None:
            writer.write(answer.raw)
            await writer.drain()
            return False
        headers = {"content-type": "application/json", "content-length": str(len(answer.body)), **answer.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {answer.status} X\r\n{head}\r\n".encode())
        if answer.reset_after is not None:
            writer.write(answer.body[: answer.reset_after])
            await writer.drain()
            return False
        size = -(-len(answer.body) // answer.pieces)
        for start in range(0, len(answer.body), size or 1):
            writer.write(answer.body[start : start + size])
            await writer.drain()
            if answer.pause_s:
                await asyncio.sleep(answer.pause_s)
        return True


def main() -> None:
    """Serve until the standard input closes."""
    delay_s = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    text = '{"action": "propose_design", "ranking": []}'
    regular = completion(text)
    answer = Answer(regular.body, headers=regular.headers, delay_s=delay_s)
    with FakeServer(lambda body, number: answer) as server:
        sys.stdout.write(f"{server.port}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
