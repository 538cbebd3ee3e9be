"""How a model is asked to sample. These are settings of a run: another value is another run."""

from dataclasses import dataclass, field
from typing import Any, Literal

ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

DEFAULT_MAX_TOKENS = 32768
"""Enough for a long chain of thought and a short answer."""


@dataclass(frozen=True)
class Sampling:
    """What a request says about sampling; None means that nothing is sent and the provider's default holds.

    `max_tokens` is the longest reply, reasoning included; None leaves it to the provider's maximum.
    `reasoning_tokens` is a budget for the reasoning alone. `seed` is sent increased by the number of the repeat.
    `structured` asks for replies that follow the probe's JSON schema. `extra` holds further fields of a request.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = DEFAULT_MAX_TOKENS
    reasoning_effort: ReasoningEffort | None = None
    reasoning_tokens: int | None = None
    seed: int | None = None
    structured: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Weights:
    """Which weights a local engine loads and how, as far as replies depend on it; None is the engine's own choice."""

    revision: str | None = None
    dtype: str | None = None
    quantization: str | None = None
    max_model_len: int | None = None
