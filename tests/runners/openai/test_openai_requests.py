"""Requests go out in the words of each server, and an address is read without showing its secrets."""

import json
from typing import Any

import pytest

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling
from vehbench_runners import make_backend
from vehbench_runners.openai.endpoint import Endpoint, read_endpoint, secrets_of
from vehbench_runners.openai.failures import Failure
from vehbench_runners.openai.request import Served, request_body, request_fields, what_to_change


def endpoint(url: str = "http://localhost:8000/v1") -> Endpoint:
    return read_endpoint(url)


def test_only_what_was_asked_for_is_sent() -> None:
    plain = request_fields(endpoint(), Sampling(), Served())
    assert plain == {"max_tokens": 32768}
    assert request_fields(endpoint(), Sampling(max_tokens=None), Served()) == {}
    everything = Sampling(0.0, 0.9, 100, "high", None, 7, extra={"top_k": 5})
    assert request_fields(endpoint(), everything, Served()) == {
        "temperature": 0.0,
        "top_p": 0.9,
        "max_tokens": 100,
        "reasoning_effort": "high",
        "seed": 7,
        "top_k": 5,
    }


@pytest.mark.parametrize(
    ("url", "field"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://me.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("https://openai.com.evil.example/v1", "max_tokens"),
        ("http://localhost:8000/v1", "max_tokens"),
        ("https://openrouter.ai/api/v1", "max_tokens"),
    ],
)
def test_the_longest_reply_goes_by_the_name_that_the_server_knows(url: str, field: str) -> None:
    assert request_fields(endpoint(url), Sampling(max_tokens=9), Served()) == {field: 9}


def test_a_field_given_by_hand_takes_the_place_of_ours() -> None:
    other = request_fields(endpoint(), Sampling(extra={"max_completion_tokens": 5}), Served())
    assert other == {"max_completion_tokens": 5}
    assert request_fields(endpoint(), Sampling(extra={"max_tokens": None}), Served()) == {}
    assert request_fields(endpoint(), Sampling(seed=1, extra={"seed": None}), Served()) == {"max_tokens": 32768}


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n"])
def test_what_a_run_sets_itself_cannot_be_given_by_hand(name: str) -> None:
    with pytest.raises(UserError, match=f"cannot set {name}"):
        make_backend("openai/m", sampling=Sampling(extra={name: True}))


@pytest.mark.parametrize(
    ("url", "engine", "sent"),
    [
        ("http://localhost:8000/v1", "vllm", {"thinking_token_budget": 500}),
        ("https://openrouter.ai/api/v1", None, {"reasoning": {"max_tokens": 500}}),
        ("https://api.anthropic.com/v1", None, {"thinking": {"type": "enabled", "budget_tokens": 500}}),
    ],
)
def test_a_reasoning_budget_goes_by_the_name_that_the_server_knows(url: str, engine: str | None, sent: object) -> None:
    fields = request_fields(endpoint(url), Sampling(max_tokens=None, reasoning_tokens=500), Served(engine))
    assert fields == sent


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "http://localhost:8000/v1"])
def test_a_reasoning_budget_that_nobody_would_read_is_refused(url: str) -> None:
    with pytest.raises(UserError, match="--reasoning-effort"):
        request_fields(endpoint(url), Sampling(reasoning_tokens=500), Served())


def test_repeats_are_drawn_with_different_seeds_and_the_schema_is_strict() -> None:
    body = request_body("m", [], {"seed": 7}, epoch=2, schema={"type": "object"})
    assert body["seed"] == 9
    assert body["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": {"type": "object"}}


@pytest.mark.parametrize(("context", "sent"), [(None, True), (40_000, True), (4000, False), (33_700, False)])
def test_a_limit_that_might_not_fit_the_context_is_left_to_the_server(context: int | None, sent: bool) -> None:
    messages: Any = [{"role": "user", "content": "x" * 2000}]
    assert ("max_tokens" in request_body("m", messages, {"max_tokens": 32768}, context=context)) == sent


def test_text_that_utf8_does_not_have_can_be_sent() -> None:
    messages: Any = [{"role": "assistant", "content": "a\ud800", "reasoning": "\udfff"}]
    sent = request_body("m", messages, {}, reasoning_field="reasoning")["messages"]
    assert sent == [{"role": "assistant", "content": "a?", "reasoning": "?"}]
    json.dumps(sent, ensure_ascii=False).encode()


def test_advice_names_the_option() -> None:
    assert "--temperature" in what_to_change(Failure("parameter", "", "temperature"))
    assert "--request-field top_k" in what_to_change(Failure("parameter", "", "top_k"))


@pytest.mark.parametrize(
    ("url", "local", "loopback"),
    [
        ("http://localhost:8000/v1", True, True),
        ("http://127.0.0.2:8000/v1/", True, True),
        ("http://[::1]:8000/v1", True, True),
        ("http://0.0.0.0:8000", True, True),
        ("http://192.168.1.5:8000/v1", True, False),
        ("http://gpu-node-3:8000/v1", True, False),
        ("https://api.example.org/v1", False, False),
        ("https://8.8.8.8/v1", False, False),
    ],
)
def test_a_server_of_ones_own_is_told_from_a_provider(url: str, local: bool, loopback: bool) -> None:
    found = read_endpoint(url)
    assert (found.is_local, found.is_loopback) == (local, loopback)


def test_what_is_shown_of_an_address_holds_no_secret() -> None:
    given = "https://user:passw0rd@host.example:8443/v1/chat/completions?api-key=abcdef123&api-version=2"
    found = read_endpoint(given)
    assert found.url == "https://host.example:8443/v1"
    assert found.query == {"api-key": "abcdef123", "api-version": "2"}
    assert found.headers == {"Authorization": "Basic dXNlcjpwYXNzdzByZA=="}
    login = {"passw0rd", "user:passw0rd", "dXNlcjpwYXNzdzByZA=="}
    assert set(secrets_of(given, "sk-123456")) == {"sk-123456", "abcdef123"} | login
    assert secrets_of(None, "none") == []


@pytest.mark.parametrize("url", ["{}host:8000", "ftp://{}host", "http://", "http://{}host:port", "http://{}[::1/v1"])
def test_an_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(UserError, match="base URL") as caught:
        read_endpoint(url.format("me:passw0rd@"))
    assert "passw0rd" not in str(caught.value)


def test_the_variable_of_the_client_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    assert read_endpoint(None).url == "http://localhost:1/v1"
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert read_endpoint(None).is_openai
