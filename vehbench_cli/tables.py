"""How numbers, tables and JSON are printed."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.console import Console


def console(width: int = 120) -> Console:
    """Standard output, `width` characters wide where it is no terminal. Texts are printed as they are."""
    return Console(highlight=False, markup=False, emoji=False, width=None if Console().is_terminal else width)


def number(value: float | None, *, sign: str = "") -> str:
    """Four decimals; `sign` "+" also shows that of positive numbers."""
    return "undefined" if value is None else f"{value:{sign}.4f}"


def interval(ends: Sequence[float] | None, *, sign: str = "") -> str:
    """Both ends of an interval."""
    return "undefined" if ends is None else f"{ends[0]:{sign}.4f} to {ends[1]:{sign}.4f}"


def print_json(body: Mapping[str, Any]) -> None:
    """JSON on standard output; NaN and infinity are no JSON and raise ValueError."""
    typer.echo(json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False))
