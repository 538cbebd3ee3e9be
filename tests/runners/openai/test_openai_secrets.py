"""Whatever a server echoes, neither the key nor what an address holds of one is shown, whole or in part."""

import asyncio
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from fake_server import Answer, FakeServer, completion, failure
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Reply, Task
from vehbench_runners import BackendOptions, RunStopped, make_backend

KEY = "sk-very/secret+0123456789"
LOGIN = "some/user:pass/w0rd"
TOKEN = "query/token"
BASIC = b64encode(LOGIN.encode()).decode()
BEFORE = "x" * 478  # a message is cut after 500 characters, here inside the secret


def ask(url: str, task: Task) -> Reply:
    backend = make_backend("openai/m", sampling=Sampling(), options=BackendOptions(base_url=url, max_retries=0))

    async def once() -> Reply:
        async with backend:
            return await backend.speaker_for(task)([{"role": "user", "content": "?"}], (0, 0, 0))

    return asyncio.run(once())


@pytest.mark.parametrize(
    "secret", [KEY, KEY.replace("/", "\\/"), LOGIN, BASIC, quote(LOGIN, ""), TOKEN, quote(TOKEN, "")]
)
@pytest.mark.parametrize(
    "answer",
    [
        lambda text: failure(500, text.replace("\\/", "/")),
        lambda text: Answer(f'{{"error": {{"message": "{text}"}}}}'.encode(), 500),
        lambda text: Answer(text.encode()),
    ],
)
def test_no_part_or_other_form_of_a_secret_is_shown(
    small_bank: Any, monkeypatch: pytest.MonkeyPatch, secret: str, answer: Callable[[str], Any]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FakeServer(lambda body, number: answer(BEFORE + secret)) as server:
        login = ":".join(quote(part, "") for part in LOGIN.split(":"))
        url = server.url.replace("127.0.0.1", f"{login}@127.0.0.1") + f"?token={quote(TOKEN, '')}"
        reply = ask(url, small_bank.tasks[0])
    assert server.headers[0]["authorization"] == f"Basic {BASIC}"
    assert reply.error is not None
    assert secret[:6] not in reply.error
    assert reply.error.split(" (")[0].endswith("***")


@pytest.mark.parametrize("name", ["owned_by", "id"])
def test_a_server_that_names_itself_after_the_key_does_not_bring_it_into_the_log(
    small_bank: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    models = Answer(f'{{"data": [{{"id": "m", "{name}": "{KEY}"}}]}}'.encode())
    server = FakeServer(lambda body, number: failure(404, "no such model"), models=models)
    with server, pytest.raises(RunStopped) as stopped:
        ask(server.url, small_bank.tasks[0])
    assert KEY not in str(stopped.value)


def test_a_line_end_behind_the_key_is_taken_off(small_bank: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r\n")
    with FakeServer(lambda body, number: completion("hi")) as server:
        assert ask(server.url, small_bank.tasks[0]).text == "hi"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["sk-\u00e4", "sk-one\rsk-two"])
def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(
    small_bank: Any, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    server = FakeServer(lambda body, number: completion("hi"))
    with server, pytest.raises(RunStopped, match="OPENAI_API_KEY holds characters") as stopped:
        ask(server.url, small_bank.tasks[0])
    assert "sk-" not in str(stopped.value)
    assert server.requests == []
