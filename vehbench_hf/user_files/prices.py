"""What tokens cost: a dated table that the user supplies. No price is built in, because prices change."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.types import Usage
from vehbench_hf.user_files.safe_yaml import read_mapping, read_text

FORM = """date: 2026-11-01
currency: USD
per_million_tokens:
  openai/NAME: {input: 1.25, cached: 0.125, output: 10}"""


@dataclass(frozen=True)
class Price:
    """Price of a model per million tokens, in `currency`, as of `date`. `output` holds for reasoning tokens too."""

    input: float
    cached: float
    output: float
    currency: str
    date: str

    def cost(self, usage: Usage) -> float:
        """Cost of a call; tokens that were not reported count as none. Cached tokens are part of the input ones."""
        cached = min(usage.cached or 0, usage.input or 0)
        fresh = (usage.input or 0) - cached
        return (fresh * self.input + cached * self.cached + (usage.output or 0) * self.output) / 1e6


def read_price(file: Path, model: str) -> Price:
    """The price of `model` in a price table. Raises UserError when the file or the model's entry is not usable."""
    body = read_mapping(read_text(file), f"the price table {file}")
    try:
        entry = _object(body["per_million_tokens"])[model]
        price = Price(
            input=_amount(entry["input"]),
            cached=_amount(entry.get("cached", entry["input"])),
            output=_amount(entry["output"]),
            currency=str(body["currency"]),
            date=str(body["date"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"the price table {file} has no usable entry for {model!r} ({type(error).__name__}: {error}); "
            f"expected\n{FORM}"
        ) from None
    return price


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("expected a mapping")
    return value


def _amount(value: Any) -> float:
    value = float(value) if isinstance(value, str) else value  # YAML 1.1 reads 1e-3 as a text
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ValueError(f"expected a price from 0, got {str(value)[:20]!r}")
    return float(value)
