"""Content and reasoning of a reply, told apart by the tags that reasoning models write."""

import re
from typing import NamedTuple

_TAG = re.compile(r"<[ ]?(/?)[ ]?(?:think|thinking|thought|reasoning)[ ]?>", re.IGNORECASE)


class Parts(NamedTuple):
    """What the model says to the reader, and what it says to itself."""

    content: str
    reasoning: str


def split_reasoning(text: str) -> Parts:
    """Split a reply into content and reasoning, in the order in which the pieces came.

    A closing tag without an opening one makes everything before it reasoning, because chat templates often
    put the opening tag into the prompt. An opening tag that is never closed makes all the rest reasoning: the
    reply was cut.
    """
    content: list[str] = []
    reasoning: list[str] = []
    inside, start = False, 0
    for tag in _TAG.finditer(text):
        piece, start = text[start : tag.start()], tag.end()
        (reasoning if inside else content).append(piece)
        closing = bool(tag[1])
        if closing and not inside:
            reasoning += content
            content.clear()
        inside = not closing
    (reasoning if inside else content).append(text[start:])
    return Parts("".join(content), "".join(reasoning))
