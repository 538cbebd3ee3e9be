"""All JSON objects of a reply, in one pass over the text whatever the text is."""

import json
import math
import re
from dataclasses import dataclass
from typing import NamedTuple, SupportsIndex

from vehbench_hf.parsing.unreadable import quoted

MAX_DEPTH = 100
"""Objects nested deeper than this are not read, on every Python version alike."""

MAX_BRACES = 10_000
"""The search ends after so many braces, or at an object with so many: a bound on the time that it can cost."""

_DEEP = f"nested deeper than {MAX_DEPTH} levels"

# A brace that begins an object, or something its writer meant as one: a quote, a bare key with a colon, a
# comment. Braces of formulas and templates, "\frac{a}{b}" or "{{", are none.
_BEGIN = re.compile(r"""\{(?=[ \t\r\n]*+(?:["'}“]|//|/\*|\w{1,60}+[ ]?:))""")
_IN_BROKEN = re.compile(r"[{}]|```")
_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))*+([{}\[\]])', re.DOTALL)


@dataclass(frozen=True)
class JsonObject:
    """One JSON object of a reply, or the place where one went wrong.

    `value` is None when it cannot be read; `problem` then completes the sentence "the JSON object is ...". `repairs`
    says what is not quite JSON in an object that was read all the same.
    """

    value: dict[str, object] | None
    problem: str | None
    repairs: tuple[str, ...] = ()


def find_objects(text: str) -> list[JsonObject]:
    """The outermost JSON objects of a reply in their order, with the broken ones.

    Objects inside a broken object are left out once it closes: they are parts of something unknown. If it
    never closes, or a code fence ends it, what follows may be a fresh start and is kept. Never raises.
    """
    source, objects, decoder = _Text(text), list[JsonObject](), _Decoder()
    position = depth = kept = 0  # depth: open braces of a broken object; kept: how many objects came before it
    for _ in range(MAX_BRACES):
        token = (_IN_BROKEN if depth else _BEGIN).search(source, position)
        if token is None:
            break
        position = token.end()
        if token[0] == "```":
            depth = 0
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                del objects[kept:]
        elif _BEGIN.match(source, token.start()):
            decoded = decoder.decode(source, token.start())
            objects.append(decoded.object)
            position = decoded.end
            if decoded.opened and not depth:
                kept = len(objects)
            depth += decoded.opened
        else:
            depth += 1
    return objects


class _Nesting(NamedTuple):
    deepest: int
    open_braces: int


def _nesting(source: str, start: int, end: int) -> _Nesting:
    """The depth of well-formed JSON, which may be cut off at `end`."""
    depth = deepest = braces = 0
    while token := _BRACKET.match(source, start, end):
        start = token.end()
        depth += 1 if token[1] in "{[" else -1
        braces += {"{": 1, "}": -1}.get(token[1], 0)
        deepest = max(depth, deepest)
    return _Nesting(deepest, braces)


def _number(digits: str) -> int | float:
    """A whole number; infinity where a float overflows anyway, since int() refuses thousands of digits."""
    return int(digits) if len(digits) < 300 else math.copysign(math.inf, -1 if digits[0] == "-" else 1)


class _Text(str):
    """A reply whose lines are not counted: JSONDecodeError does that for each error, from the start."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, _sub: str, _start: SupportsIndex | None = None, _end: SupportsIndex | None = None) -> int:
        return -1


class _Decoded(NamedTuple):
    """An object, where to go on after it, and how many braces are open there."""

    object: JsonObject
    end: int
    opened: int = 0


class _Decoder:
    """The decoder of the json module, which also notices keys given twice with different values."""

    def __init__(self) -> None:
        self._contradicted: list[str] = []
        self._strict = json.JSONDecoder(object_pairs_hook=self._object, parse_int=_number)
        # Line breaks inside a string are the commonest slip of small models, and their meaning is certain.
        self._lenient = json.JSONDecoder(object_pairs_hook=self._object, parse_int=_number, strict=False)

    def decode(self, source: _Text, start: int) -> _Decoded:
        """The object at `start`; one that is too deep or too large ends the search."""
        self._contradicted.clear()
        value, problem, repairs = None, None, tuple[str, ...]()
        try:
            value, end, repairs = self._raw_decode(source, start)
        except json.JSONDecodeError as error:
            end = max(error.pos, start + 1)
            problem = f"not valid JSON: {error.msg.removesuffix(' at')} at {quoted(source[end : end + 20])}"
        except RecursionError:
            return _Decoded(JsonObject(None, _DEEP), len(source))
        if sum(str.count(source, bracket, start, end) for bracket in "{[") > MAX_BRACES:
            return _Decoded(JsonObject(None, "too large to be an answer"), len(source))
        nesting = _nesting(source, start, end)
        if nesting.deepest > MAX_DEPTH:
            return _Decoded(JsonObject(None, _DEEP), len(source))
        if problem is None and self._contradicted:
            key = quoted(self._contradicted[0])
            problem = f"contradictory: the key {key} is given twice with different values"
        return _Decoded(JsonObject(None if problem else value, problem, repairs), end, nesting.open_braces)

    def _raw_decode(self, source: _Text, start: int) -> tuple[dict[str, object], int, tuple[str, ...]]:
        try:
            value, end = self._strict.raw_decode(source, start)
            return value, end, ()
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Invalid control character"):
                raise
            strict_error = error
        self._contradicted.clear()
        try:
            value, end = self._lenient.raw_decode(source, start)
        except json.JSONDecodeError:
            raise strict_error from None
        return value, end, ("reply: read line breaks or control characters in a text",)

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        value: dict[str, object] = dict(pairs)
        if len(value) < len(pairs):
            for key, given in pairs:
                if value[key] != given or isinstance(value[key], bool) != isinstance(given, bool):
                    self._contradicted.append(key)
        return value
