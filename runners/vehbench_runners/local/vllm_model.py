"""What vLLM in this process and vLLM as a server have in common: the arguments of the engine."""

from dataclasses import fields
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling, Weights
from vehbench_runners.backend import RunStopped
from vehbench_runners.local.chat_template import Chat
from vehbench_runners.local.local_model import LocalModel
from vehbench_runners.options import BackendOptions

DEFAULT_SEQUENCES = 256
"""Episodes at once until a started engine says how many sequences it takes."""


class VllmModel(LocalModel):
    """Open weights in vLLM, with `_arguments` of its engine. Raises UserError for an argument that is given twice."""

    def __init__(self, name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> None:
        super().__init__(name, sampling, weights, options)
        self._arguments = engine_arguments(self._name, weights, options.engine)
        ranks = int(self._arguments.get("data_parallel_size", 1))
        sequences = int(self._arguments.get("max_num_seqs") or DEFAULT_SEQUENCES)
        self.concurrency = options.concurrency or sequences * ranks


def engine_arguments(name: str, weights: Weights, engine: dict[str, Any]) -> dict[str, Any]:
    """Arguments of vLLM's engine from ours; `engine` holds further ones by vLLM's names.

    Raises UserError for an argument that is given in two ways, or that would run code that comes with the weights.
    """
    chosen = {field.name: getattr(weights, field.name) for field in fields(weights)}
    ours = {"model": name, **{key: value for key, value in chosen.items() if value is not None}}
    further = {key: value for key, value in engine.items() if key != "chat_template"}
    twice = sorted(({"model"} | set(chosen)) & further.keys())
    if twice:
        raise UserError(f"engine argument {', '.join(twice)}: has an option of its own, for scores depend on it.")
    if any(key.endswith("remote_code") for key in further):
        raise UserError("code that comes with weights is never run; use a model that vLLM knows by itself.")
    return {"enable_prefix_caching": True, **ours, **further}


def check_structured(sampling: Sampling, chat: Chat, engine: dict[str, Any]) -> None:
    """Refuse a schema on replies that begin with reasoning, unless the engine knows where the reasoning ends."""
    if sampling.structured and chat.may_think and not engine.get("reasoning_parser"):
        raise RunStopped(
            f"{chat.name} thinks before it answers, and structured output would forbid that. Give vLLM's "
            "reasoning_parser for it as an engine argument, or --reasoning-effort none, or leave out --structured."
        )
