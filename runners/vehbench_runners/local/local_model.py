"""What the local engines have in common: weights by name, a chat template, and tokens counted without the model.

A name stands for a folder, or for a commit of a repository in the local cache of the model hub.
"""

import hashlib
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply, Task
from vehbench_runners.backend import RunStopped
from vehbench_runners.local.chat_template import load_chat
from vehbench_runners.options import BackendOptions

_SUFFIXES = {".safetensors", ".bin", ".gguf", ".pt"}


class LocalModel:
    """Open weights on this machine, asked through the chat template of their tokenizer.

    `name` is a folder or ORG/MODEL; `options.engine` holds further arguments by the engine's own names. Raises
    UserError for a folder without a model. An engine puts into `_as_started` what it made of its arguments.
    """

    is_language_model = True

    def __init__(self, name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> None:
        self._name, self._sampling, self._weights, self._options = _resolved(name), sampling, weights, options
        self._chat = load_chat(self._name, sampling, weights, options.engine)
        self._as_started: dict[str, Any] = {}

    def request_text(self, task: Task, messages: list[Message]) -> str:
        """The exact text of the tokens that the model reads."""
        return self._chat.text(messages)

    def trouble(self) -> str:
        """Nothing stands between this model and its calls."""
        return ""

    def stop(self, reason: RunStopped) -> None:
        """Calls that have begun come back."""

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """Length of a prompt in tokens; needs the tokenizer only."""
        return len(self._chat.tokens(messages))

    def _describe(self, kind: str, arguments: dict[str, Any], **further: Any) -> dict[str, Any]:
        """Engine, weights and template; once the model is there, what became of the arguments as well."""
        return {
            "kind": kind,
            "weights": _describe_weights(self._name, self._weights.revision),
            "chat_template": self._chat.template_hash,
            "engine_arguments": {name: value for name, value in arguments.items() if name != "hf_token"},
            **further,
            **self._as_started,
        }

    def _late(self) -> Reply:
        """The reply where none came in time: an error outside the model."""
        error = f"no reply within {self._options.timeout_s:g} s; raise --timeout"
        return Reply(None, finish_reason=None, error=error)


def _is_folder(name: str) -> bool:
    """Whether a model's name is a path."""
    return name.startswith(("/", "./", "../", "~"))


def _resolved(name: str) -> str:
    """The name as an engine takes it, a path made absolute. Raises UserError for a path without a model."""
    if not _is_folder(name):
        return name
    folder = Path(name).expanduser().resolve()
    if not (folder / "config.json").is_file():
        raise UserError(
            f"{folder} holds no model: config.json is missing. Expected a folder that save_pretrained wrote."
        )
    return str(folder)


def _describe_weights(name: str, revision: str | None) -> dict[str, Any]:
    """Where the weights are and which they are, without reading gigabytes.

    `commit` is that of the cached copy; None for a folder, or while nothing is cached. `fingerprint` covers, for a
    folder, its config.json and the names and sizes of the weight files.
    """
    if _is_folder(name):
        return {"path": name, "revision": None, "commit": None, "fingerprint": _fingerprint(Path(name))}
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(name, "config.json", revision=revision)
    commit = Path(cached).parent.name if isinstance(cached, str) else None
    return {"path": name, "revision": revision, "commit": commit, "fingerprint": None}


def _fingerprint(folder: Path) -> str:
    files = sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES)
    sizes = "".join(f"{file.name} {file.stat().st_size}\n" for file in files)
    return hashlib.sha256((folder / "config.json").read_bytes() + sizes.encode()).hexdigest()[:16]
