"""A reply in pieces is the reply it would be in one, a cut stream is none, and one's own certificates are trusted."""

import asyncio
import json
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_server import Answer, FakeServer, completion, failure
from vehbench_hf.bank.bank import Bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_hf.types import Turn
from vehbench_runners import BackendOptions, Plan, RunResult, RunStopped, make_backend, run_tasks
from vehbench_runners.openai.event_stream import plain_body
from vehbench_runners.openai.replies import Completion, read_completion

TEXT = '{"action": "propose_design"}'
FINE = completion(TEXT)
USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return "data: " + json.dumps({"id": "c", "model": "m-1", "choices": [choice], **more}) + "\n\n"


PIECES = [chunk({"reasoning_content": "h"}), chunk({"reasoning_content": "m"})]
PIECES += [chunk({"content": TEXT[start : start + 5]}) for start in range(0, len(TEXT), 5)]
END = chunk({}, "stop")
COUNTED = "data: " + json.dumps({"id": "c", "choices": [], "usage": USAGE}) + "\n\n"
DONE = "data: [DONE]\n\n"
WHOLE = "".join([*PIECES, END, COUNTED, DONE])


@pytest.mark.parametrize(
    "body",
    [
        WHOLE,
        WHOLE.replace("\n", "\r\n"),
        WHOLE.replace("data: ", "data:"),
        ": OPENROUTER PROCESSING\n\n" * 3 + WHOLE,
        WHOLE.replace("data: ", "event: message\nid: 3\ndata: "),
        "\ufeff" + WHOLE,
        "".join([*PIECES, chunk({}, "stop", usage=USAGE)]),
        "".join([*PIECES[:3], ": still there\n\n", *PIECES[3:], END, COUNTED]),
    ],
)
def test_a_stream_is_read_as_the_reply_it_holds(body: str) -> None:
    read = read_completion(body)
    assert isinstance(read, Completion)
    reply = read.reply
    assert (reply.text, reply.reasoning, reply.finish_reason, reply.served_model) == (TEXT, "hm", "stop", "m-1")
    assert (reply.usage.input, reply.usage.output) == (9, 4)


@pytest.mark.parametrize(
    "body",
    [
        "\ufeff" + FINE.body.decode(),
        "\n" * 500 + FINE.body.decode(),
        ": OPENROUTER PROCESSING\n\n" * 5 + FINE.body.decode(),
        "data: " + FINE.body.decode() + "\n\n",
    ],
)
def test_what_comes_before_a_plain_reply_is_left_out(body: str) -> None:
    read = read_completion(body)
    assert isinstance(read, Completion)
    assert read.reply.text == TEXT


@pytest.mark.parametrize("kept", range(len(PIECES) + 1))
def test_a_stream_without_an_end_is_no_reply(kept: int) -> None:
    assert not isinstance(read_completion("".join(PIECES[:kept])), Completion)


def test_an_error_within_a_stream_is_that_error() -> None:
    read = read_completion("".join(PIECES[:2]) + 'data: {"error": {"message": "no room", "code": 503}}\n\n')
    assert not isinstance(read, Completion)
    assert (read.kind, "no room" in read.text) == ("busy", True)


CHUNKS = st.lists(st.sampled_from([*PIECES, END, DONE, "data: {", "data: 3\n", ": x\n"])).map("".join)


@given(text=st.text(max_size=60) | CHUNKS)
def test_no_text_breaks_the_reader(text: str) -> None:
    plain_body(text)
    read_completion(text)


def run(folder: Path, url: str, bank: Bank, **options: Any) -> tuple[RunResult, list[Turn]]:
    backend = make_backend("openai/m", options=BackendOptions(base_url=url, **options))
    with TurnWriter(folder) as writer:
        result = run_tasks(Plan(bank.select(["p1"])[:1], 1, Protocol()), backend, writer, [])
    return result, read_turns(folder).turns


def test_a_stream_has_a_time_limit_from_piece_to_piece(small_bank: Bank, tmp_path: Path) -> None:
    slow = Answer(WHOLE.encode(), headers={"content-type": "text/event-stream"}, pieces=8, pause_s=0.4)
    with FakeServer(lambda body, number: slow) as server:
        result, [turn] = run(tmp_path, server.url, small_bank, stream=True, timeout_s=1.5)
    assert (turn.reply.text, list(result.outcomes.values())) == (TEXT, ["ok"])
    assert server.requests[0]["stream"] is True
    assert server.requests[0]["stream_options"] == {"include_usage": True}


def test_a_stream_that_stands_still_has_hung(small_bank: Bank, tmp_path: Path) -> None:
    still = Answer(WHOLE.encode(), pieces=2, pause_s=30.0)
    with FakeServer(lambda body, number: still) as server:
        _, [turn] = run(tmp_path, server.url, small_bank, stream=True, timeout_s=1.0)
    assert len(server.requests) == 2
    assert "no further piece of the answer within 1 s" in (turn.reply.error or "")


def test_a_model_that_only_streams_is_told_how_to_be_asked(small_bank: Bank, tmp_path: Path) -> None:
    with FakeServer(lambda body, number: failure(400, "This model only support stream mode")) as server:
        backend = make_backend("openai/m", options=BackendOptions(base_url=server.url))
        with TurnWriter(tmp_path) as writer:
            result = run_tasks(Plan(small_bank.select(["p1"]), 1, Protocol()), backend, writer, [])
    assert "--stream" in str(result.stopped)


def test_an_address_that_has_moved_is_named(small_bank: Bank, tmp_path: Path) -> None:
    with FakeServer(lambda body, number: FINE) as server:
        moved = Answer(b"", 301, {"location": server.url + "/models"})
        server.script = lambda body, number: moved
        result, _ = run(tmp_path, server.url, small_bank)
    assert "has moved to" in str(result.stopped)


class _Https(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._send(b'{"data": [{"id": "m"}]}')

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self._send(FINE.body)

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def https(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The port of a server with a certificate that it signed itself, and that certificate."""
    folder = tmp_path_factory.mktemp("tls")
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject, *files],
        check=True,
        capture_output=True,
    )
    server = HTTPServer(("127.0.0.1", 0), _Https)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, folder / "cert.pem"
    server.shutdown()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_certificate_of_ones_own_is_trusted_where_it_is_named(
    host: str, https: tuple[int, Path], small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"https://{host}:{https[0]}/v1"
    with pytest.raises(RunStopped, match="SSL_CERT_FILE=FILE"):
        run(tmp_path, url, small_bank)
    monkeypatch.setenv("SSL_CERT_FILE", str(https[1]))
    result, _ = run(tmp_path, url, small_bank, concurrency=1)
    assert list(result.outcomes.values()) == ["ok"]


def test_a_certificate_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    backend = make_backend("openai/m", options=BackendOptions(base_url="https://localhost:1/v1"))
    with pytest.raises(RunStopped, match=r"SSL_CERT_FILE=/nowhere/ca\.pem"):
        asyncio.run(backend.__aenter__())


def test_https_to_a_port_without_it_is_told(small_bank: Bank, tmp_path: Path) -> None:
    class Plain(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Plain) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(RunStopped, match="speak https"):
            run(tmp_path, f"https://127.0.0.1:{server.server_address[1]}/v1", small_bank)
        server.shutdown()
