"""How to reach a model and how hard to press it. Replies should not depend on it, so these are no settings of a run."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class BackendOptions:
    """Options of a backend; each backend reads those that mean something to it.

    `base_url`: an OpenAI-compatible endpoint. `concurrency`: the most calls in flight; None is the backend's default.
    `max_retries`: how often a call that failed on the way while others came through is repeated; 0 repeats none at all.
    `patience_s`: seconds without any call that came through after which the run stops.
    `timeout_s`: longest wait for one reply, in s; with `stream` for its next piece.
    `key_variable`: the environment variable that holds the API key; the key itself is never an option.
    `engine`: arguments passed on to a local engine, by its own names.
    `managed_server`: start vLLM's own OpenAI server, ask it, and stop it again, instead of running in this process.
    """

    base_url: str | None = None
    concurrency: int | None = None
    max_retries: int = 6
    patience_s: float = 600.0
    timeout_s: float = 1800.0
    stream: bool = False
    key_variable: str = "OPENAI_API_KEY"
    engine: dict[str, Any] = field(default_factory=dict)
    managed_server: bool = False
