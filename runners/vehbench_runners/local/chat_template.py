"""From messages to the tokens that a local model reads, by its tokenizer's chat template, and back from its text."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.parsing.reasoning import Parts, has_reasoning_marks, opening_mark, split_reasoning
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply, Usage
from vehbench_runners.backend import RunStopped

_TEMPLATE_ARGUMENTS = "chat_template_kwargs"


@dataclass(frozen=True)
class Chat:
    """A tokenizer with its chat template, loaded when first needed and without the model.

    `name` and `revision` say which tokenizer, `template_file` is a Jinja file to use instead of the stored template,
    `arguments` are handed to the template. Raises UserError on first use when there is no tokenizer or no template.
    """

    name: str
    revision: str | None = None
    template_file: str | None = None
    arguments: tuple[tuple[str, Any], ...] = ()

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer of the model, as transformers loads it; code that comes with weights is never run."""
        try:
            from transformers import AutoTokenizer
        except ImportError:
            raise UserError(
                "local models need transformers: pip install 'vehbench-hf[hf]' or 'vehbench-hf[vllm]'."
            ) from None
        try:
            return AutoTokenizer.from_pretrained(self.name, revision=self.revision)
        except (OSError, ValueError, ImportError) as error:
            raise UserError(
                f"cannot load the tokenizer of {self.name}: {_first_line(error)}. Expected a folder with the weights, "
                "or ORG/MODEL on a model hub that can be reached or is in the local cache."
            ) from None

    @cached_property
    def template(self) -> str:
        """The Jinja text of the chat template."""
        if self.template_file is not None:
            try:
                return Path(self.template_file).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UserError(f"cannot read the chat template {self.template_file}: {error}") from None
        tokenizer = self.tokenizer
        try:
            return str(tokenizer.get_chat_template())
        except ValueError:
            raise UserError(
                f"{self.name} has no chat template, as base models have none: it cannot hold the conversation of a "
                "task. Take an instruction-tuned model, or give a template with the engine argument chat_template=FILE."
            ) from None

    @property
    def template_hash(self) -> str:
        """SHA-256 of the template, 16 hexadecimal digits."""
        return hashlib.sha256(self.template.encode()).hexdigest()[:16]

    def text(self, messages: list[Message]) -> str:
        """What the model reads for these messages, start tokens and all, up to where its answer begins.

        Raises RunStopped when the template refuses them, as some do with a system message.
        """
        from jinja2 import TemplateError

        template = self.template
        try:
            rendered = self.tokenizer.apply_chat_template(
                [_as_template_reads(message) for message in messages],
                chat_template=template,
                tokenize=False,
                add_generation_prompt=True,
                **dict(self.arguments),
            )
        except TemplateError as error:
            raise RunStopped(
                f"the chat template of {self.name} refuses the messages of a task (system, user, assistant in turn): "
                f"{_first_line(error)}. Give another template with the engine argument chat_template=FILE."
            ) from None
        return str(rendered).encode("utf-8", "replace").decode()  # without lone surrogates, which no tokenizer reads

    def tokens(self, messages: list[Message]) -> list[int]:
        """The tokens of `text`. Nothing is added to it: the template has written the start token already."""
        return self.token_ids(self.text(messages))

    def token_ids(self, text: str) -> list[int]:
        """Tokens of a text as it stands."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    @property
    def may_think(self) -> bool:
        """Whether the model thinks before it answers, as far as its template and the template's arguments show."""
        return dict(self.arguments).get("enable_thinking", True) and has_reasoning_marks(self.template)


def load_chat(name: str, sampling: Sampling, weights: Weights, engine: dict[str, Any]) -> Chat:
    """The chat of a model; `engine` may name another `tokenizer`, its `tokenizer_revision`, and a `chat_template` file.

    The effort of reasoning goes to the template, which is where open models read it, and `chat_template_kwargs` among
    the extra fields of a request with it; both as vLLM's server does it.
    """
    arguments: dict[str, Any] = {}
    if sampling.reasoning_effort is not None:
        arguments = {
            "reasoning_effort": sampling.reasoning_effort,
            "enable_thinking": sampling.reasoning_effort != "none",
        }
    given = sampling.extra.get(_TEMPLATE_ARGUMENTS, {})
    if not isinstance(given, dict):
        raise UserError(f"{_TEMPLATE_ARGUMENTS}: expected an object of template arguments, got {given!r}.")
    return Chat(
        name=str(engine.get("tokenizer") or name),
        revision=engine.get("tokenizer_revision") or weights.revision,
        template_file=engine.get("chat_template"),
        arguments=tuple((arguments | given).items()),
    )


def extra_fields(sampling: Sampling, known: set[str], where: str) -> dict[str, Any]:
    """The extra fields of a request that are no template arguments. Raises UserError when one is not in `known`."""
    fields = {name: value for name, value in sampling.extra.items() if name != _TEMPLATE_ARGUMENTS}
    unknown = sorted(fields.keys() - known)
    if unknown:
        raise UserError(f"{', '.join(unknown)}: no sampling parameter of {where}; it has {', '.join(sorted(known))}.")
    return fields


def overflow(prompt_tokens: int, context: int) -> Reply:
    """The reply when a prompt leaves no room for an answer: unscored, as an error outside the model."""
    return Reply(
        text=None,
        finish_reason=None,
        error=f"context overflow: the prompt has {prompt_tokens} tokens, the context {context}. "
        "Raise --max-model-len if the model allows it.",
        usage=Usage(input=prompt_tokens),
    )


def made_reply(
    chat: Chat, prompt: str, output: str, *, finish_reason: str, usage: Usage, latency_s: float, request_id: str | None
) -> Reply:
    """A reply from what a local model wrote after `prompt`, special tokens included.

    Its reasoning is told apart by the marks around it, which may be special tokens; all others are left out. Where the
    template has already opened the reasoning, an answer cut before the closing mark is all reasoning.
    """
    parts = Parts(*(_plain(chat, part) for part in split_reasoning(opening_mark(prompt) + output)))
    thought = len(chat.token_ids(parts.reasoning)) if parts.reasoning else 0
    return Reply(
        text=parts.content,
        reasoning=parts.reasoning or None,
        finish_reason=finish_reason,
        usage=Usage(usage.input, usage.cached, usage.output, thought),
        latency_s=round(latency_s, 3),
        served_model=chat.name,
        request_id=request_id,
    )


def _plain(chat: Chat, text: str) -> str:
    """A text without the tokenizer's special tokens."""
    for token in chat.tokenizer.all_special_tokens:
        text = text.replace(token, "")
    return text


def _as_template_reads(message: Message) -> dict[str, str]:
    """Templates read earlier reasoning under either of two names; one that knows neither passes over it."""
    plain = {"role": message["role"], "content": message["content"]}
    thought = message.get("reasoning")
    return plain if thought is None else {**plain, "reasoning_content": thought, "reasoning": thought}


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
