"""What the local engines have in common: weights by name, a chat template, and tokens counted without the model."""

from typing import Any

from vehbench_hf.isomorphic.types import AnyTask
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply
from vehbench_runners.local.chat_template import load_chat
from vehbench_runners.local.weights_on_disk import describe_weights, resolved
from vehbench_runners.options import BackendOptions


class LocalModel:
    """Open weights on this machine, asked through the chat template of their tokenizer.

    `name` is a folder or ORG/MODEL; `options.engine` holds further arguments by the engine's own names. Raises
    UserError for a folder without a model. An engine puts into `_as_started` what it made of its arguments.
    """

    is_language_model = True

    def __init__(self, name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> None:
        self._name, self._sampling, self._weights, self._options = resolved(name), sampling, weights, options
        self._chat = load_chat(self._name, sampling, weights, options.engine)
        self._as_started: dict[str, Any] = {}

    def request_text(self, task: AnyTask, messages: list[Message]) -> str:
        """The exact text of the tokens that the model reads."""
        return self._chat.text(messages)

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """Length of a prompt in tokens; needs the tokenizer only."""
        return len(self._chat.tokens(messages))

    def _describe(self, kind: str, arguments: dict[str, Any], **further: Any) -> dict[str, Any]:
        """Engine, weights and template; once the model is there, what became of the arguments as well."""
        return {
            "kind": kind,
            "weights": describe_weights(self._name, self._weights.revision),
            "chat_template": self._chat.template_hash,
            "engine_arguments": {name: value for name, value in arguments.items() if name != "hf_token"},
            **further,
            **self._as_started,
        }

    def _late(self) -> Reply:
        """The reply where none came in time: an error outside the model."""
        error = f"no reply within {self._options.timeout_s:g} s; raise --timeout"
        return Reply(None, finish_reason=None, error=error)
