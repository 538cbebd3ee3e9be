"""What servers say is understood in each one's own words, and no answer of a server breaks a run."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.types import Usage
from vehbench_runners.openai.failures import Failure, read_failure
from vehbench_runners.openai.replies import Completion, read_completion

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


def test_no_server_steers_the_terminal() -> None:
    assert read_failure(500, error("\x1b[2Ja\u202eb\x07\nc"), SENT).text == "HTTP 500: [2Ja b c"


def test_huge_counts_are_dropped_and_long_finish_reasons_are_cut() -> None:
    usage = {"prompt_tokens": 10**400, "completion_tokens": 5, "total_tokens": 10**300}
    body = {"choices": [{"message": {"content": "x"}, "finish_reason": "y" * 10**6}], "usage": usage}
    got = read_completion(json.dumps(body))
    assert isinstance(got, Completion)
    assert got.reply.usage == Usage(output=5)
    assert len(got.reply.finish_reason or "") == 200
