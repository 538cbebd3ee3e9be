"""Backends by the first word of a model's name. A backend gives each task a speaker, and a speaker answers messages.

Speakers of real models know nothing but the messages they are given; only baselines are built from the whole task.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from vehbench_hf.errors import UserError
from vehbench_hf.types import Message, Reply, Task

Position = tuple[int, int, int]
"""(epoch, index, attempt) of a call, from which a seeded speaker draws."""

Speaker = Callable[[list[Message], Position], Awaitable[Reply]]


class Backend(NamedTuple):
    """A model ready to be asked. `concurrency` is how many episodes may wait for it at once."""

    speaker_for: Callable[[Task], Speaker]
    concurrency: int = 1
    is_language_model: bool = True


def make_backend(model: str, *, seed: int) -> Backend:
    """The backend of a model name, for instance `baseline/anchor`.

    Raises UserError for an unknown name, with the names that exist.
    """
    from vehbench_runners.baselines import BASELINES, baseline_speaker

    kind, _, name = model.partition("/")
    if kind == "baseline" and name in BASELINES:
        return Backend(lambda task: baseline_speaker(name, task, seed), is_language_model=False)
    known = ", ".join(f"baseline/{name}" for name in BASELINES)
    raise UserError(f"unknown model {model!r}; this version runs {known}.")
