"""Backends by the first word of a model's name. A backend gives each task a speaker, and a speaker answers messages.

Speakers of real models know nothing but the messages they are given, and the probe where replies are to follow a
schema; only baselines are built from the whole task.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from types import TracebackType
from typing import Any, Protocol, Self

from vehbench_hf.errors import UserError
from vehbench_hf.isomorphic_types import AnyTask
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply
from vehbench_runners.options import BackendOptions

Position = tuple[int, int, int]
"""(epoch, index, attempt) of a call, from which a seeded speaker draws."""

Speaker = Callable[[list[Message], Position], Awaitable[Reply]]
"""Answers one call. A failure outside the model comes back as a reply with `error` set; what makes every further call
pointless (no such model, wrong key, a parameter that the model refuses) raises RunStopped."""


OVERFLOW = "context overflow"
"""How the error of a reply begins whose prompt did not fit the context."""


class RunStopped(UserError):
    """Why no further call should be made. What was done is kept."""


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

    def speaker_for(self, task: AnyTask) -> Speaker:
        """Who answers the calls of one episode."""

    def description(self) -> dict[str, Any]:
        """What was really used: endpoint, versions, engine settings, weights. JSON values without any secret."""

    def request_text(self, task: AnyTask, messages: list[Message]) -> str:
        """What is sent for these messages, as exactly as can be known on this side."""

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """Length of a prompt in tokens; None where only the server knows."""


def make_backend(
    model: str,
    *,
    sampling: Sampling = Sampling(),
    weights: Weights = Weights(),
    options: BackendOptions = BackendOptions(),
) -> Backend:
    """The backend of a model name, for instance `baseline/anchor`, `openai/NAME` or `vllm/ORG/MODEL`.

    Raises UserError for an unknown name, with the names that exist.
    """
    kind, _, name = model.partition("/")
    if kind in ("baseline", "openai", "inspect"):
        local = [*options.engine, *(name for name, value in asdict(weights).items() if value is not None)]
        if local or options.managed_server:
            named = ", ".join(local) or "a managed server"
            raise UserError(f"{named}: only vllm/ and hf/ models are loaded here and can be told so; got {model!r}.")
    if kind == "baseline":
        from vehbench_runners.baseline_backend import baseline_backend

        return baseline_backend(name, seed=sampling.seed or 0)
    if not name:
        raise UserError(f"unknown model {model!r}; expected one of {FORMS}.")
    if kind == "openai":
        from vehbench_runners.openai_api import openai_backend

        return openai_backend(name, sampling, options)
    if kind == "vllm" and options.managed_server:
        from vehbench_runners.vllm_server import vllm_server_backend

        return vllm_server_backend(name, sampling, weights, options)
    if kind == "vllm":
        from vehbench_runners.vllm_engine import vllm_backend

        return vllm_backend(name, sampling, weights, options)
    if kind == "hf":
        from vehbench_runners.transformers_model import transformers_backend

        return transformers_backend(name, sampling, weights, options)
    if kind == "inspect":
        from vehbench_runners.inspect_models import inspect_backend

        return inspect_backend(name, sampling, options)
    raise UserError(f"unknown model {model!r}; expected one of {FORMS}.")


FORMS = "baseline/anchor, openai/NAME, vllm/ORG/MODEL, vllm//path, hf/ORG/MODEL, hf//path, inspect/PROVIDER/NAME"
