"""All JSON objects of a reply, in one pass over the text whatever the text is."""

import json
import math
import re
from dataclasses import dataclass
from typing import NamedTuple, SupportsIndex

from vehbench_hf.parsing.almost_json import BLANKS_OF_OTHERS, Mended, can_mend, mend
from vehbench_hf.parsing.unreadable import quoted

MAX_DEPTH = 100
"""Objects nested deeper than this are not read, on every Python version alike."""

MAX_BRACES = 10_000
"""The search ends after so many braces, or at an object with so many: a bound on the time that it can cost."""

MOST_MENDED = 20
"""So many objects of a reply are looked at for slips that can be put right: each costs a pass over its text."""

_DEEP = f"nested deeper than {MAX_DEPTH} levels"

# A brace that begins an object, or something its writer meant as one: a quote, a bare key with a colon, a
# comment. Braces of formulas and templates, "\frac{a}{b}" or "{{", are none.
_BEGIN = re.compile(rf"""\{{(?=[ \t\r\n{BLANKS_OF_OTHERS}]*+(?:["'}}“]|//|/\*|\w{{1,60}}+[ ]?:))""")
_IN_BROKEN = re.compile(r"[{}]|```")
_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))*+([{}\[\]])', re.DOTALL)


@dataclass(frozen=True)
class JsonObject:
    """One JSON object of a reply, or the place where one went wrong.

    `value` is None when it cannot be read; `problem` then completes the sentence "the JSON object is ...". `repairs`
    says what is not quite JSON in an object that was read all the same. It stands at `start` to `end` of the reply.
    """

    value: dict[str, object] | None
    problem: str | None
    start: int
    end: int
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
            position = decoded.object.end
            if decoded.opened and not depth:
                kept = len(objects)
            depth += decoded.opened
        else:
            depth += 1
    return objects


def object_spans(text: str) -> list[tuple[int, int]]:
    """Where the JSON objects of a text stand that can be read."""
    return [(entry.start, entry.end) for entry in find_objects(text) if entry.value is not None]


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
    """An object, and how many braces are open at its end."""

    object: JsonObject
    opened: int = 0


class _Decoder:
    """The decoder of the json module, which also notices keys given twice with different values."""

    def __init__(self) -> None:
        self._contradicted: list[str] = []
        self._strict = json.JSONDecoder(object_pairs_hook=self._object, parse_int=_number)
        # Line breaks inside a string are the commonest slip of small models, and their meaning is certain.
        self._lenient = json.JSONDecoder(object_pairs_hook=self._object, parse_int=_number, strict=False)
        self._to_mend = MOST_MENDED

    def decode(self, source: _Text, start: int) -> _Decoded:
        """The object at `start`; one that is too deep or too large ends the search."""
        value, problem, repairs = None, None, tuple[str, ...]()
        mended: Mended | None = None
        try:
            value, end, repairs = self._raw_decode(source, start)
        except json.JSONDecodeError as error:
            end = max(error.pos, start + 1)
            problem = f"not valid JSON: {error.msg.removesuffix(' at')} at {quoted(source[end : end + 20])}"
            mended = self._mended(source, start, error)
            if mended is not None:
                problem, end, repairs = None, mended.end, mended.repairs
                value = self._lenient.decode(mended.text)
        except RecursionError:
            return _Decoded(JsonObject(None, _DEEP, start, len(source)))
        if sum(str.count(source, bracket, start, end) for bracket in "{[") > MAX_BRACES:
            return _Decoded(JsonObject(None, "too large to be an answer", start, len(source)))
        text, *span = (mended.text, 0, len(mended.text)) if mended else (source, start, end)
        nesting = _nesting(text, *span)
        if nesting.deepest > MAX_DEPTH:
            return _Decoded(JsonObject(None, _DEEP, start, len(source)))
        if problem is None and self._contradicted:
            key = quoted(self._contradicted[0])
            problem = f"contradictory: the key {key} is given twice with different values"
        return _Decoded(JsonObject(None if problem else value, problem, start, end, repairs), nesting.open_braces)

    def _raw_decode(self, source: _Text, start: int) -> tuple[dict[str, object], int, tuple[str, ...]]:
        self._contradicted.clear()
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
        except json.JSONDecodeError as error:
            raise (error if can_mend(source, error) else strict_error) from None
        return value, end, ("reply: read line breaks or control characters in a text",)

    def _mended(self, source: _Text, start: int, error: json.JSONDecodeError) -> Mended | None:
        """The object with its slips put right, if it then is JSON."""
        if self._to_mend == 0 or not can_mend(source, error):
            return None
        self._to_mend -= 1
        mended = mend(source, start)
        if mended is None:
            return None
        try:
            self._contradicted.clear()
            self._lenient.decode(mended.text)
        except (json.JSONDecodeError, RecursionError):
            return None
        self._contradicted.clear()
        return mended

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        value: dict[str, object] = dict(pairs)
        if len(value) < len(pairs):
            for key, given in pairs:
                if value[key] != given or isinstance(value[key], bool) != isinstance(given, bool):
                    self._contradicted.append(key)
        return value
