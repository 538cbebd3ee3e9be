"""What a local model reads is what its chat template says, and what it wrote is told apart from what it thought."""

import sys
from pathlib import Path

import pytest

from tiny_llama import TEMPLATE, make_tokenizer
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.prompts import opening
from vehbench_hf.protocol import Protocol
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply, Usage
from vehbench_runners.backend import RunStopped
from vehbench_runners.local.chat_template import Chat, load_chat, made_reply
from vehbench_runners.make import make_backend

pytest.importorskip("transformers", reason="needs transformers: pip install 'vehbench-hf[hf]'")

MESSAGES: list[Message] = [
    {"role": "system", "content": "Answer in JSON."},
    {"role": "user", "content": "A brief."},
    {"role": "assistant", "content": "{}", "reasoning": "hm"},
    {"role": "user", "content": "Once more."},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tokenizer(tmp_path_factory.mktemp("tokenizer"))


def chat_of(folder: Path, sampling: Sampling = Sampling(), **engine: str) -> Chat:
    return load_chat(str(folder), sampling, Weights(), dict(engine))


def test_the_start_token_is_not_doubled(folder: Path) -> None:
    chat = chat_of(folder)
    start = chat.tokenizer.bos_token_id
    assert chat.tokenizer(chat.text(MESSAGES))["input_ids"][:2] == [start, start]  # what has to be avoided
    assert chat.tokens(MESSAGES)[0] == start
    assert chat.tokens(MESSAGES).count(start) == 1


def test_tokens_are_those_of_the_template(folder: Path) -> None:
    chat = chat_of(folder)
    plain = [{"role": message["role"], "content": message["content"]} for message in MESSAGES]
    expected = chat.tokenizer.apply_chat_template(plain, add_generation_prompt=True, return_dict=False)
    assert chat.tokens(MESSAGES) == expected
    assert chat.tokenizer.decode(chat.tokens(MESSAGES)) == chat.text(MESSAGES)


def test_prompts_are_shown_and_counted_without_an_engine(
    folder: Path, small_bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    (folder / "config.json").write_text('{"model_type": "llama"}')
    task = small_bank.select(["p4"])[0]
    messages = opening(task.probe, task.spec, Protocol())
    for kind in ("vllm", "hf"):
        backend = make_backend(f"{kind}/{folder}")
        text = backend.request_text(task, messages)
        assert text.startswith("<|start|><|system|>\n")
        assert text.endswith("<|assistant|>\n")
        assert messages[-1]["content"] in text
        assert backend.prompt_tokens(messages) == len(chat_of(folder).tokens(messages))


def test_a_base_model_is_refused_in_words(tmp_path: Path) -> None:
    bare = make_tokenizer(tmp_path / "bare", template=None)
    with pytest.raises(UserError, match="no chat template"):
        chat_of(bare).text(MESSAGES)
    file = tmp_path / "template.jinja"
    file.write_text(TEMPLATE)
    assert "Once more." in chat_of(bare, chat_template=str(file)).text(MESSAGES)
    with pytest.raises(UserError, match="cannot read the chat template"):
        chat_of(bare, chat_template=str(tmp_path / "none.jinja")).text(MESSAGES)


def test_a_template_that_refuses_a_system_message_stops_the_run(tmp_path: Path) -> None:
    strict = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    folder = make_tokenizer(tmp_path, template=strict + TEMPLATE)
    with pytest.raises(RunStopped, match="no system role"):
        chat_of(folder).text(MESSAGES)


def test_a_tokenizer_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match="cannot load the tokenizer of nobody/nothing"):
        load_chat("nobody/nothing", Sampling(), Weights(), {}).text(MESSAGES)
    with pytest.raises(UserError, match=r"holds no model: config\.json is missing"):
        make_backend(f"vllm/{tmp_path}")


def test_the_effort_of_reasoning_reaches_the_template(tmp_path: Path) -> None:
    folder = make_tokenizer(tmp_path, template=TEMPLATE + "{{ reasoning_effort }} {{ enable_thinking }} {{ depth }}")
    none = Sampling(reasoning_effort="none", extra={"chat_template_kwargs": {"depth": 3}})
    assert chat_of(folder, none).text(MESSAGES).endswith("none False 3")
    assert chat_of(folder, Sampling(reasoning_effort="low")).text(MESSAGES).endswith("low True ")
    with pytest.raises(UserError, match="chat_template_kwargs"):
        chat_of(folder, Sampling(extra={"chat_template_kwargs": "depth"}))


def test_earlier_reasoning_reaches_a_template_that_shows_it(tmp_path: Path) -> None:
    shows = "{% for message in messages %}{{ message.reasoning_content or '' }}{% endfor %}"
    assert chat_of(make_tokenizer(tmp_path, template=shows)).text(MESSAGES) == "hm"


def test_half_a_surrogate_pair_does_not_end_the_run(folder: Path) -> None:
    assert chat_of(folder).tokens([{"role": "user", "content": "\ud83d"}])


def reply_to(chat: Chat, prompt: str, output: str, finish_reason: str = "stop") -> Reply:
    usage = Usage(input=9, cached=4, output=5)
    return made_reply(chat, prompt, output, finish_reason=finish_reason, usage=usage, latency_s=1.0, request_id=None)


def test_reasoning_that_the_template_opened_and_the_limit_cut_is_no_answer(folder: Path) -> None:
    chat = chat_of(folder)
    cut = reply_to(chat, "<|assistant|>\n<think>\n", '{"action": "infeasible"}', "length")
    assert (cut.text, cut.reasoning) == ("", '{"action": "infeasible"}')
    whole = reply_to(chat, "<|assistant|>\n<think>\n", "so</think>{}")
    assert (whole.text, whole.reasoning) == ("{}", "so")
    plain = reply_to(chat, "<|assistant|>\n", "{}")
    assert (plain.text, plain.reasoning, plain.usage) == ("{}", None, Usage(9, 4, 5, 0))
    assert whole.usage.reasoning == len(chat.token_ids("so"))


def test_special_tokens_that_mark_reasoning_are_read_and_all_others_left_out(folder: Path) -> None:
    chat = chat_of(folder)
    chat.tokenizer.add_special_tokens({"additional_special_tokens": ["[THINK]", "[/THINK]", "<|im_end|>"]})
    ids = chat.token_ids('[THINK]{"draft": 1}[/THINK]{"final": 1}<|im_end|>')
    reply = reply_to(chat, "<|assistant|>\n", chat.tokenizer.decode(ids, skip_special_tokens=False))
    assert (reply.text, reply.reasoning) == ('{"final": 1}', '{"draft": 1}')
