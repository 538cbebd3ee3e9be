"""A draft inside the reasoning is never the answer, whatever marks the model or its front end writes."""

import pytest

from vehbench_hf.parsing.reasoning import has_reasoning_marks, opening_mark, split_reasoning

DRAFT, FINAL = '{"action": "replan"}', '{"action": "propose_design"}'
MARKS = {
    "think": ("<think>", "</think>"),
    "capitals": ("<THINK>", "</THINK>"),
    "thinking": ("<thinking>\n", "\n</thinking>"),
    "thought": ("<thought>", "</thought>"),
    "reasoning": ("<reasoning>", "</reasoning>"),
    "seed": ("<seed:think>", "</seed:think>"),
    "attribute": ('<think budget="3">', "</think>"),
    "scratchpad": ("<scratchpad>", "</scratchpad>"),
    "inner monologue": ("<inner_monologue>", "</inner_monologue>"),
    "antThinking": ("<antThinking>", "</antThinking>"),
    "longcat": ("<longcat_think>", "</longcat_think>"),
    "Magistral": ("[THINK]", "[/THINK]"),
    "Kimi": ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    "Command A": ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    "OpenThinker": ("<|begin_of_thought|>", "<|end_of_thought|>\n<|begin_of_solution|>"),
    "Apertus": ("<|inner_prefix|>", "<|inner_suffix|>"),
    "harmony": ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "harmony with a constraint": (
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>",
    ),
    "harmony without its tokens": ("analysis", "assistantfinal"),
    "harmony of two thoughts": (
        "analysisFirst I thinkassistantcommentary",
        "assistantfinal",
    ),
    "Gemma": ("<|channel>thought\n", "<channel|>"),
    "MedGemma": ("<unused94>thought\n", "<unused95>"),
    "Pangu": ("[unused16]", "[unused17]"),
    "Granite": ("Here is my thought process: ", "Here is my response: "),
    "Open WebUI": ('<details type="reasoning" done="true">\n<summary>Thought</summary>\n', "</details>"),
}


@pytest.mark.parametrize(("opens", "closes"), MARKS.values(), ids=list(MARKS))
def test_a_draft_between_marks_is_reasoning(opens: str, closes: str) -> None:
    content, reasoning = split_reasoning(f"{opens}Maybe {DRAFT} ... no.{closes}\n{FINAL}")
    assert FINAL in content
    assert DRAFT not in content
    assert DRAFT in reasoning


@pytest.mark.parametrize("opens", [opens for opens, _ in MARKS.values()], ids=list(MARKS))
def test_what_follows_a_mark_that_is_never_closed_is_reasoning(opens: str) -> None:
    content, reasoning = split_reasoning(f"{opens}Maybe {DRAFT} but")
    assert "{" not in content
    assert DRAFT in reasoning


@pytest.mark.parametrize(
    "closes",
    ["</think>", "[/THINK]", "\u25c1/think\u25b7", "<|END_THINKING|>", "assistantfinal", "<|channel|>final<|message|>"],
)
def test_what_stands_before_a_closing_mark_alone_is_reasoning(closes: str) -> None:
    assert split_reasoning(f"Maybe {DRAFT} no.{closes}{FINAL}").content == FINAL


@pytest.mark.parametrize(
    "text",
    [
        f"analysis: the beam is too stiff. {FINAL}",
        f"Analysis of the brief {FINAL}",
        f"The assistant final answer is {FINAL}",
        f"</details>{FINAL}",
        f"<no_think>{FINAL}",
        f"I think {FINAL}",
        f"[1] {FINAL} <b>bold</b>",
        '{"action": "replan", "reason": "after </think> and [THINK]"}',
        "",
    ],
)
def test_ordinary_text_holds_no_reasoning(text: str) -> None:
    assert split_reasoning(text) == (text, "")


def test_a_prompt_that_ends_with_an_opening_mark_has_opened_the_reasoning() -> None:
    assert opening_mark("<|im_start|>assistant\n<think>\n") == "<think>"
    assert opening_mark("<|start|>assistant<|channel|>analysis<|message|>") == "<|channel|>analysis<|message|>"
    assert opening_mark("<think></think>\n") == ""
    assert opening_mark("<think> and on") == ""
    assert opening_mark("") == ""


def test_a_chat_template_that_knows_reasoning_is_told_from_one_that_does_not() -> None:
    assert has_reasoning_marks("{% if enable_thinking %}<think>{% endif %}")
    assert has_reasoning_marks("...[THINK]...[/THINK]")
    assert not has_reasoning_marks("{{ bos_token }}[INST] {{ content }} [/INST]<|im_end|>")


@pytest.mark.parametrize(
    "piece",
    ["<", "<think ", "<details type=reasoning ", "[think", "</a", "assistant", "<|channel|>analysis", "{", "<think>{}"],
)
def test_megabytes_of_marks_are_told_apart(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    content, reasoning = split_reasoning(text + "a" * 1_000_000)
    assert (content + reasoning).endswith("a" * 1_000_000)
