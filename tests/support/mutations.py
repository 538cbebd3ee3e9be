"""Small damage to what strangers may send: a value of JSON, a line of a log, bytes of a file."""

import contextlib
import copy
import json
import random
from pathlib import Path
from typing import Any

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**70, 10**400, 0.5, -1e308, 1e-320, "", "x", "0", "\x1b[2J", "\u202e", "\ud800",
    "a" * 5000, [], {}, [None], [[]], {"a": 1}, {"": {"": {}}}, "../../x", "/dev/zero", "NaN", "9999-12-31", "veh-v2",
    ["dev", "dev"], ["p1"], "baseline/reference", "released", "org/model",
)  # fmt: skip
"""Each kind of JSON, and words that mean something somewhere."""
RAW = ("NaN", "Infinity", "-Infinity", "1e999", "[" * 3000, '"\\ud800"', "{", '{"a": 1, "a": 2}')
"""What no dump of JSON writes."""
MARK = "put the raw text here"


def ways(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything in a value of JSON."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for name, part in parts for path in ((*way, name), *ways(part, (*way, name)))]


def changed(value: Any, draw: random.Random) -> Any:
    """A copy in which one thing is another value, gone, there twice, or of another name."""
    body = copy.deepcopy(value)
    choices = ways(body)
    if not choices:
        return draw.choice(VALUES)
    *way, last = draw.choice(choices)
    inside = body
    for name in way:
        inside = inside[name]
    how = draw.random()
    if how < 0.15:
        del inside[last]
    elif how < 0.25 and isinstance(inside, list):
        inside.append(copy.deepcopy(inside[last]))
    elif how < 0.3 and isinstance(inside, dict):
        inside[draw.choice(["x", "sampling.x", "\x1b", ""])] = inside.pop(last)
    elif how < 0.4 and isinstance(inside[last], int | float) and not isinstance(inside[last], bool):
        inside[last] = inside[last] + draw.choice([1, -1, 1e-3, 0.25])
    elif how < 0.5:
        inside[last] = MARK
    else:
        inside[last] = draw.choice(VALUES)
    return body


def text_of(value: Any, draw: random.Random) -> str:
    """A changed value as JSON text, or what is nearly JSON."""
    return json.dumps(changed(value, draw)).replace(json.dumps(MARK), draw.choice(RAW))


def change_file(file: Path, draw: random.Random) -> None:
    """Damage a JSON file in one place; one that was damaged beyond JSON before stays as it is."""
    with contextlib.suppress(ValueError, RecursionError):
        file.write_text(text_of(json.loads(file.read_text()), draw))


def change_log(file: Path, draw: random.Random) -> None:
    """Damage a log: a value of a line, a line gone, twice, elsewhere, cut, or full of other bytes."""
    lines = file.read_bytes().splitlines(keepends=True)
    place = draw.randrange(len(lines))
    how = draw.randrange(7)
    if how < 3:
        with contextlib.suppress(ValueError, RecursionError):
            lines[place] = (text_of(json.loads(lines[place]), draw) + "\n").encode("utf-8", "surrogatepass")
    elif how == 3:
        del lines[place]
    elif how == 4:
        lines.insert(draw.randrange(len(lines)), lines[place])
    elif how == 5:
        lines[place] = lines[place][: draw.randrange(len(lines[place]))]
    else:
        lines[place] = draw.randbytes(200) + b"\n"
    file.write_bytes(b"".join(lines))


def change_bytes(file: Path, draw: random.Random) -> None:
    """Damage a binary file: other bytes somewhere, or an end that comes too early."""
    data = bytearray(file.read_bytes())
    for _ in range(draw.choice([1, 4, 40])):
        data[draw.randrange(len(data))] = draw.randrange(256)
    file.write_bytes(data if draw.random() < 0.8 else data[: draw.randrange(len(data))])
