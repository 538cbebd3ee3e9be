"""What servers say is understood in each one's own words, and no answer of a server breaks a run."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Usage
from vehbench_runners import make_backend
from vehbench_runners.openai.endpoint import Endpoint, read_endpoint, secrets_of
from vehbench_runners.openai.failures import Failure, read_failure
from vehbench_runners.openai.replies import Completion, read_completion
from vehbench_runners.openai.request import Served, request_body, request_fields, what_to_change

SENT = ("temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "reasoning_effort", "thinking")


def error(message: str, **more: object) -> str:
    return json.dumps({"error": {"message": message, **more}})


@pytest.mark.parametrize(
    ("status", "body", "kind", "field"),
    [
        (400, error("Unsupported parameter: 'max_tokens' ..", param="max_tokens"), "parameter", "max_tokens"),
        (400, error("Unsupported value: 'temperature' does not support 0.2"), "parameter", "temperature"),
        (400, error("`temperature` and `top_p` cannot both be specified"), "parameter", "temperature"),
        (400, error("top_p cannot be used with temperature"), "parameter", "top_p"),
        (400, error("max_tokens must be at most 8192"), "parameter", "max_tokens"),
        (400, error("thinking.budget_tokens: Input should be greater than or equal to 1024"), "parameter", "thinking"),
        (422, json.dumps({"detail": [{"loc": ["body", "seed"], "msg": "unexpected value"}]}), "parameter", "seed"),
        (404, error("No endpoints found that support reasoning_effort"), "parameter", "reasoning_effort"),
        (400, json.dumps([{"error": {"message": 'Unknown name "seed": Cannot find field.'}}]), "parameter", "seed"),
        (400, json.dumps({"object": "error", "message": "maximum context length is 2048 tokens"}), "overflow", None),
        (400, error("prompt is too long: 210000 tokens > 200000 maximum"), "overflow", None),
        (400, error("the request exceeds the available context size. try increasing it"), "overflow", None),
        (400, error("'max_tokens' is too large: 9. This model's maximum context length is 8"), "overflow", None),
        (400, error("The input token count (99) exceeds the maximum number of tokens allowed (9)."), "overflow", None),
        (413, "request too large", "overflow", None),
        (400, error("no", code="content_filter"), "filtered", None),
        (400, error("Output data may contain inappropriate content.", code="data_inspection_failed"), "filtered", None),
        (400, error("Invalid prompt: it was flagged as violating our usage policy"), "filtered", None),
        (403, error("your input was flagged by moderation"), "filtered", None),
        (400, error("Conversation roles must alternate"), "refused", None),
        (400, "", "refused", None),
        (401, error("no such key"), "final", None),
        (402, error("pay first"), "final", None),
        (403, error("not in your region"), "final", None),
        (404, json.dumps({"detail": "Not Found"}), "final", None),
        (404, json.dumps({"error": "model 'm' not found"}), "final", None),
        (429, error("You exceeded your current quota", code="insufficient_quota"), "final", None),
        (429, error("Rate limit reached for max_tokens"), "busy", None),
        (503, "upstream is down", "busy", None),
        (529, error("Overloaded"), "busy", None),
        (500, error("temperature sensor is not supported"), "again", None),
        (502, "<html>Bad gateway</html>", "again", None),
        (408, "", "again", None),
    ],
)
def test_a_failure_is_known_by_status_and_words(status: int, body: str, kind: str, field: str | None) -> None:
    found = read_failure(status, body, SENT)
    assert (found.kind, found.field) == (kind, field)
    assert found.text.startswith(f"HTTP {status}: ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["error", "message", "choices", "content", "code", "param", "usage", "finish_reason", "text"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(value=JSON, status=st.integers(400, 599))
def test_no_error_body_breaks_a_run(value: Any, status: int) -> None:
    assert len(read_failure(status, json.dumps(value), SENT).text) < 600


@given(text=st.text(max_size=200))
def test_no_text_instead_of_json_breaks_a_run(text: str) -> None:
    assert read_failure(400, text, SENT).text
    assert isinstance(read_completion(text), Failure)


@given(value=JSON, message=JSON)
def test_no_answer_breaks_a_run(value: Any, message: Any) -> None:
    for body in (
        value,
        {"choices": [value]},
        {"choices": [{"message": message, "finish_reason": value}], "usage": value},
    ):
        got = read_completion(json.dumps(body))
        assert isinstance(got, Failure | Completion)
        if isinstance(got, Completion):
            assert got.reply.text is not None


def completion(message: dict[str, Any], finish: object = "stop", **more: Any) -> str:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more})


def test_deep_nesting_is_a_failure_and_no_crash() -> None:
    assert isinstance(read_completion("[" * 100_000), Failure)
    assert read_failure(400, "[" * 100_000, SENT).kind == "refused"


@pytest.mark.parametrize(
    ("message", "text", "reasoning", "field"),
    [
        ({"content": "a"}, "a", None, None),
        ({"content": None}, "", None, None),
        ({}, "", None, None),
        ({"content": "a", "reasoning_content": "r"}, "a", "r", "reasoning_content"),
        ({"content": "a", "reasoning": "r"}, "a", "r", "reasoning"),
        ({"content": "a", "reasoning_content": None, "reasoning": "r"}, "a", "r", "reasoning"),
        ({"content": "a", "reasoning": {"effort": 1}}, "a", None, None),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", None, None),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}, {"text": "a"}]},
            "a",
            "r",
            None,
        ),
    ],
)
def test_text_and_reasoning_are_kept_apart(
    message: dict[str, Any], text: str, reasoning: str | None, field: str | None
) -> None:
    got = read_completion(completion(message))
    assert isinstance(got, Completion)
    assert (got.reply.text, got.reply.reasoning, got.reasoning_field) == (text, reasoning, field)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("content_filter: SAFETY", "content_filter"),
        ("stop", "stop"),
        ("tool_calls", "tool_calls"),
        (None, None),
        (3, None),
    ],
)
def test_finish_reasons_of_other_servers_are_translated(given: object, read: str | None) -> None:
    got = read_completion(completion({"content": "a"}, given))
    assert isinstance(got, Completion)
    assert got.reply.finish_reason == read


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ([1], Usage()),
        ({"prompt_tokens": 5, "completion_tokens": 2}, Usage(5, None, 2, None)),
        ({"prompt_tokens": True, "completion_tokens": -2}, Usage()),
        ({"prompt_tokens": 5, "prompt_cache_hit_tokens": 3, "completion_tokens": 2}, Usage(5, 3, 2, None)),
        ({"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": None}, Usage(5, None, 2, None)),
        (
            {
                "prompt_tokens": 5,
                "completion_tokens": 2,
                "total_tokens": 17,
                "completion_tokens_details": {"reasoning_tokens": 10},
            },
            Usage(5, None, 12, 10),
        ),
    ],
)
def test_tokens_are_counted_wherever_a_server_puts_them(usage: object, expected: Usage) -> None:
    got = read_completion(completion({"content": "a"}, usage=usage))
    assert isinstance(got, Completion)
    assert got.reply.usage == expected


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


def test_no_server_steers_the_terminal() -> None:
    assert read_failure(500, error("\x1b[2Ja\u202eb\x07\nc"), SENT).text == "HTTP 500: [2Ja b c"


def test_huge_counts_are_dropped_and_long_finish_reasons_are_cut() -> None:
    usage = {"prompt_tokens": 10**400, "completion_tokens": 5, "total_tokens": 10**300}
    body = {"choices": [{"message": {"content": "x"}, "finish_reason": "y" * 10**6}], "usage": usage}
    got = read_completion(json.dumps(body))
    assert isinstance(got, Completion)
    assert got.reply.usage == Usage(output=5)
    assert len(got.reply.finish_reason or "") == 200
