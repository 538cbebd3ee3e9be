"""Content and reasoning of a reply, told apart by the marks that reasoning models and their front ends write."""

import re
from typing import NamedTuple

from vehbench_hf.parsing.json_objects import object_spans

_NAME = r"(?!no)\w{0,30}(?:think|thought|reasoning|scratchpad|reflection|monologue|analysis)\w{0,30}"
_OPENS = (
    rf"<\s?(?:\w{{1,30}}:)?{_NAME}(?:\s[^<>]{{0,300}})?>",  # <think>, <seed:think>, <think budget="3">
    r"""<details\s[^<>]{0,300}?\btype\s?=\s?["']?reasoning\b[^<>]{0,300}>""",  # Open WebUI
    rf"\[\s?{_NAME}\s?\]",  # Magistral
    rf"\u25c1\s?{_NAME}\s?\u25b7",  # Kimi
    rf"<\|?\s?(?:start|begin)_?(?:of_?)?(?:{_NAME}|cot)\s?\|?>",  # Command A, <|begin_of_thought|>
    rf"<\|\s?(?:{_NAME}|cot)(?:_?(?:start|begin|on))?\s?\|>",
    r"<\|inner_prefix\|>",  # Apertus
    r"<\|channel\|?>\s?(?:analysis|commentary|thought|thinking)\b[^\n<{]{0,100}(?:<\|message\|>|\n)?",  # harmony, Gemma
    r"<unused94>(?:thought)?",
    r"\[unused16\]",
)
_CLOSES = (
    rf"<\s?/\s?(?:\w{{1,30}}:)?{_NAME}\s?>",
    rf"\[\s?/\s?{_NAME}\s?\]",
    rf"\u25c1\s?/\s?{_NAME}\s?\u25b7",
    rf"<\|?\s?(?:end|stop)_?(?:of_?)?(?:{_NAME}|cot)\s?\|?>",
    rf"<\|\s?(?:{_NAME}|cot)_?(?:end|stop|off)\s?\|>",
    rf"<\|\s?/\s?{_NAME}\s?\|>",
    r"<\|inner_suffix\|>",
    r"<\|channel\|?>\s?final\b[^\n<{]{0,100}(?:<\|message\|>|\n)?",
    r"<unused95>",
    r"\[unused17\]",
)
_ENDS_IF_OPEN = (r"</details>", r"<channel\|>", r"<\|?start_(?:of_)?response\|?>")
"""What ends reasoning, but says nothing where none has begun."""
_NO_TEXT = (r"<\|(?:start|end|return|im_end|eot_id|end_of_text|endoftext)\|>(?:assistant)?", r"<\|?end_response\|?>")


def _either(**kinds: tuple[str, ...]) -> str:
    return "|".join(f"(?P<{kind}>{'|'.join(patterns)})" for kind, patterns in kinds.items())


_BRACKETED = re.compile(
    rf"(?=[<\[\u25c1])(?:{_either(closes=_CLOSES, opens=_OPENS, ends=_ENDS_IF_OPEN, nothing=_NO_TEXT)})", re.IGNORECASE
)
# Harmony whose special tokens were left out, and Granite's sentences. "analysis" begins ordinary replies as well.
_WORDS = re.compile(
    "assistant" + f"(?:{_either(closes=('final',), opens=('analysis', 'commentary'))})" + r"(?![a-z])"
    r"|(?P<ends>[Hh]ere(?:'s| is) my response:)"
)
_FIRST_WORDS = re.compile(r"""\s*(?:analysis(?=[A-Z{"'(])|[Hh]ere(?:'s| is) my thought process:)""")


class Parts(NamedTuple):
    """What the model says to the reader, and what it says to itself."""

    content: str
    reasoning: str


class _Mark(NamedTuple):
    start: int
    end: int
    kind: str  # "opens", "closes", "ends" (if open), "nothing"


def split_reasoning(text: str) -> Parts:
    """Split a reply into content and reasoning, in the order in which the pieces came.

    A closing mark without an opening one makes everything before it reasoning, because chat templates often put the
    opening mark into the prompt. An opening mark that is never closed makes all the rest reasoning: the reply was cut.
    Marks inside a JSON object are text of that object.
    """
    marks = _marks(text)
    if not marks:
        return Parts(text, "")
    spans = iter(object_spans(text))
    span = next(spans, None)
    content: list[str] = []
    reasoning: list[str] = []
    inside, start = False, 0
    for mark in marks:
        while span is not None and span[1] <= mark.start:
            span = next(spans, None)
        in_object = span is not None and span[0] < mark.start
        if in_object or mark.start < start or (mark.kind == "ends" and not inside):
            continue
        (reasoning if inside else content).append(text[start : mark.start])
        start = mark.end
        if mark.kind == "closes" and not inside:
            reasoning += content
            content.clear()
        if mark.kind != "nothing":
            inside = mark.kind == "opens"
    (reasoning if inside else content).append(text[start:])
    return Parts("".join(content), "".join(reasoning))


def opening_mark(prompt: str) -> str:
    """The mark at the end of a prompt with which a chat template opens the reasoning; empty where it does not."""
    marks = _marks(prompt[-300:])
    if not marks or marks[-1].kind != "opens" or prompt[-300:][marks[-1].end :].strip():
        return ""
    return prompt[-300:][marks[-1].start : marks[-1].end]


def has_reasoning_marks(text: str) -> bool:
    """Whether a text, such as a chat template, knows reasoning."""
    return any(mark.kind in ("opens", "closes") for mark in _marks(text))


def _marks(text: str) -> list[_Mark]:
    first = _FIRST_WORDS.match(text)
    marks = [] if first is None else [_Mark(first.start(), first.end(), "opens")]
    for pattern in (_BRACKETED, _WORDS):
        marks += [_Mark(mark.start(), mark.end(), str(mark.lastgroup)) for mark in pattern.finditer(text)]
    return sorted(marks)
