"""What a server made of a reply is no word of the model: filters, failures, lost content, and usage in any form."""

import json
from typing import Any

import pytest

from vehbench_hf.types import Reply
from vehbench_runners.openai.failures import Failure, read_failure
from vehbench_runners.openai.replies import read_completion

ANSWER = '{"action": "propose_design"}'


def body(content: Any, finish: object = "stop", usage: Any = None, **message: Any) -> str:
    choice = {"finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    return json.dumps({"choices": [choice], "usage": usage})


def reply_of(text: str, sent: tuple[str, ...] = ()) -> Reply:
    read = read_completion(text, sent)
    assert not isinstance(read, Failure), read.text
    return read.reply


@pytest.mark.parametrize("finish", ["network_error", "abort", "engine_overloaded", "cancelled", "error", "timeout"])
def test_a_reply_that_its_server_broke_off_is_asked_again(finish: str) -> None:
    read = read_completion(body("I will", finish))
    assert isinstance(read, Failure)
    assert read.kind == "again"
    assert finish in read.text


@pytest.mark.parametrize("message", [{"message": None}, {}, {"message": {}}])
def test_a_filter_that_leaves_no_message_is_a_refusal(message: dict[str, Any]) -> None:
    text = json.dumps({"choices": [{"finish_reason": "content_filter", **message}]})
    assert reply_of(text).finish_reason == "content_filter"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        (body(None, usage={"completion_tokens": 180}), ()),
        (body("", usage={"completion_tokens": 180}), ("response_format",)),
        (body(None, reasoning_content="hm"), ()),
        (body(None, reasoning_content="hm"), ("response_format",)),
    ],
)
def test_tokens_that_nobody_delivered_are_no_answer_of_the_model(text: str, sent: tuple[str, ...]) -> None:
    read = read_completion(text, sent)
    assert isinstance(read, Failure)
    assert read.kind == "again"


def test_a_structured_answer_that_came_as_reasoning_is_the_answer() -> None:
    reply = reply_of(body(None, reasoning_content=ANSWER), ("response_format",))
    assert (reply.text, reply.reasoning) == (ANSWER, None)


@pytest.mark.parametrize("usage", [None, {"completion_tokens": 0}, {"completion_tokens": 1}])
def test_an_empty_reply_that_took_no_tokens_is_the_models(usage: Any) -> None:
    assert reply_of(body("", usage=usage)).text == ""


def test_reasoning_that_used_up_the_limit_is_a_cut_reply() -> None:
    assert reply_of(body("", "length", {"completion_tokens": 900}, reasoning="hm")).finish_reason == "length"


@pytest.mark.parametrize(
    ("parts", "reasoning"),
    [
        ([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": ANSWER}], "hm"),
        ([{"type": "thinking", "thinking": "hm"}, ANSWER], "hm"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"text": ANSWER}], "hm"),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, {"text": ANSWER}], "hm"),
        ([{"text": "hm", "thought": True}, {"text": ANSWER}], "hm"),
        ([{"type": "text", "text": {"value": ANSWER, "annotations": []}}], None),
        ([{"type": "output_text", "text": ANSWER}], None),
        ([{"type": "image_url", "image_url": "x"}, {"text": ANSWER}], None),
    ],
)
def test_parts_of_a_content_are_answer_or_reasoning(parts: list[Any], reasoning: str | None) -> None:
    reply = reply_of(body(parts))
    assert (reply.text, reply.reasoning) == (ANSWER, reasoning)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 1000, "completion_tokens": 50},
        {"prompt_tokens": 1000.0, "completion_tokens": 50.0},
        {"prompt_tokens": "1000", "completion_tokens": " 50 "},
        {"input_tokens": 1000, "output_tokens": 50},
        {"promptTokenCount": 1000, "candidatesTokenCount": 50},
        {"prompt_tokens": 1000, "completion_tokens": 30, "total_tokens": 1050},
    ],
)
def test_usage_is_read_in_every_form(usage: dict[str, Any]) -> None:
    used = reply_of(body(ANSWER, usage=usage)).usage
    assert (used.input, used.output) == (1000, 50)


@pytest.mark.parametrize("count", [-1, 1.5, "many", "1e3", True, [], {}, 10**12, float("inf")])
def test_a_count_that_is_none_is_unknown(count: Any) -> None:
    assert reply_of(body(ANSWER, usage={"prompt_tokens": count})).usage.input is None


def google(quota: str, delay: str | None = None) -> str:
    details: list[dict[str, Any]] = [{"violations": [{"quotaId": quota}]}]
    details += [{"retryDelay": delay}] if delay else []
    message = "You exceeded your current quota, please check your plan and billing details."
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": message, "details": details}
    return json.dumps([{"error": error}])


@pytest.mark.parametrize(
    ("text", "kind", "wait_s"),
    [
        (google("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "8s"), "busy", 8.0),
        (google("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), "busy", None),
        (google("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "8s"), "final", 8.0),
        ('{"error": {"message": "exceeded your current quota", "code": "insufficient_quota"}}', "final", None),
        ('{"error": {"message": "exceeded your current quota"}}', "final", None),
        ('{"error": {"message": "exceeded your current quota. Please retry in 7.5s."}}', "busy", 7.5),
        ('{"error": {"message": "billing limits", "code": "rate_limit_exceeded"}}', "busy", None),
        ('{"error": {"message": "Please try again in 120ms", "type": "tokens"}}', "busy", 0.12),
        ('{"error": {"message": "no credit left", "code": "insufficient_balance"}}', "final", None),
        ('{"error": {"details": "none"}}', "busy", None),
    ],
)
def test_a_quota_a_minute_is_waited_for_and_an_empty_account_is_not(text: str, kind: str, wait_s: float | None) -> None:
    failure = read_failure(429, text, ())
    assert (failure.kind, failure.wait_s) == (kind, wait_s)
