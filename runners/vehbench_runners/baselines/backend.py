"""Baselines as a backend: they answer at once, in this process, from the whole task."""

import json
from types import TracebackType
from typing import Any, Self

from vehbench_hf.errors import UserError
from vehbench_hf.types import Message, Task
from vehbench_runners.backend import RunStopped, Speaker
from vehbench_runners.baselines.answers import BASELINES, baseline_speaker


class BaselineBackend:
    """The baseline `name`; `seed` is what its random draws begin with.

    Raises UserError for an unknown name, with those that exist.
    """

    concurrency = 1
    is_language_model = False

    def __init__(self, name: str, seed: int) -> None:
        if name not in BASELINES:
            known = ", ".join(f"baseline/{known}" for known in BASELINES)
            raise UserError(f"unknown model 'baseline/{name}'; this version has {known}.")
        self._name, self._seed = name, seed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def speaker_for(self, task: Task) -> Speaker:
        """Who answers the calls of one episode."""
        return baseline_speaker(self._name, task, self._seed)

    def description(self) -> dict[str, Any]:
        """A baseline has nothing but its name and seed."""
        return {"kind": "baseline", "seed": self._seed}

    def request_text(self, task: Task, messages: list[Message]) -> str:
        """The messages themselves; of these a baseline reads at most how many queries are left."""
        return json.dumps(messages, indent=1, ensure_ascii=False)

    def trouble(self) -> str:
        """Nothing stands between this model and its calls."""
        return ""

    def stop(self, reason: RunStopped) -> None:
        """Calls that have begun come back."""

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """A baseline has no tokenizer."""
        return None
