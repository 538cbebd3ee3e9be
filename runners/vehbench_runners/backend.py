"""What a backend is: it gives each task a speaker, and a speaker answers messages.

Speakers of real models know nothing but the messages they are given, and the probe where replies are to follow a
schema; only baselines are built from the whole task.
"""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Protocol, Self

from vehbench_hf.errors import UserError
from vehbench_hf.types import Message, Reply, Task

Position = tuple[int, int, int]
"""(epoch, index, attempt) of a call, from which a seeded speaker draws."""

Speaker = Callable[[list[Message], Position], Awaitable[Reply]]
"""Answers one call. A failure outside the model comes back as a reply with `error` set; what makes every further call
pointless (no such model, wrong key, a parameter that the model refuses) raises RunStopped."""


OVERFLOW = "context overflow"
"""How the error of a reply begins whose prompt did not fit the context."""


class RunStopped(UserError):
    """Why no further call should be made. What was done is kept."""


class Interrupted(RunStopped):
    """A person asked the run to end once the calls in flight have come back."""


class Backend(Protocol):
    """A model that can be asked, once entered with `async with`.

    `concurrency` is how many episodes may wait for it at once. Tokens can be counted without entering it.
    """

    concurrency: int
    is_language_model: bool

    async def __aenter__(self) -> Self:
        """Make the model ready: connect, or load weights. Raises RunStopped when that fails."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of connections, processes and memory."""

    def speaker_for(self, task: Task) -> Speaker:
        """Who answers the calls of one episode."""

    def description(self) -> dict[str, Any]:
        """What was really used: endpoint, versions, engine settings, weights. JSON values without any secret."""

    def request_text(self, task: Task, messages: list[Message]) -> str:
        """What is sent for these messages, as exactly as can be known on this side."""

    def trouble(self) -> str:
        """What keeps calls from coming through, in words; empty while nothing does. May be called from any thread."""

    def stop(self, reason: RunStopped) -> None:
        """Begin no further call: calls that wait raise `reason`, those in flight come back."""

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """Length of a prompt in tokens; None where only the server knows."""
