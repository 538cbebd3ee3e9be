"""`hf/ORG/MODEL` and `hf//path`: transformers alone, for machines without vLLM and for models that vLLM does not know.

Calls that wait at the same time are padded on the left and answered together, and what an earlier call of an episode
read is not read again. A batch ends with its longest reply, so this is several times slower than vLLM where replies
differ in length.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from vehbench_hf.sampling import DEFAULT_MAX_TOKENS, Sampling, Weights
from vehbench_hf.types import Message, Reply, Task, Usage
from vehbench_runners.backend import Position, RunStopped, Speaker
from vehbench_runners.local.batches import Batches
from vehbench_runners.local.chat_template import made_reply, overflow
from vehbench_runners.local.local_model import LocalModel
from vehbench_runners.local.prompt_cache import PromptCache
from vehbench_runners.local.transformers_loading import (
    as_loaded,
    check_options,
    context_of,
    end_tokens,
    generate_settings,
    load_model,
)
from vehbench_runners.options import BackendOptions

DEFAULT_BATCH = 16
"""On an accelerator. On a CPU calls are made one by one unless told otherwise: with padding, transformers copies keys
and values in every step, which costs more than a batch saves."""


@dataclass(frozen=True)
class _Prompt:
    text: str
    ids: list[int]
    epoch: int
    until: float
    episode: object


class TransformersBackend(LocalModel):
    """A causal language model in this process, asked in batches of at most `concurrency` calls.

    Where replies are drawn with a seed, a batch is a single call: the draws of one would depend on its neighbours.
    """

    def __init__(self, name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> None:
        super().__init__(name, sampling, weights, options)
        check_options(sampling, weights, options.engine)
        self._model: Any = None
        self._cache: PromptCache | None = None
        self._stop = threading.Event()
        self._set_concurrency(DEFAULT_BATCH)

    async def __aenter__(self) -> Self:
        self._chat.template  # noqa: B018  # a model without a template is refused before gigabytes are loaded
        self._model = load_model(self._name, self._weights, self._options.engine)
        self._context = context_of(self._model.config, self._weights)
        self._settings = generate_settings(self._sampling, self._model.generation_config)
        self._set_concurrency(1 if self._model.device.type == "cpu" else DEFAULT_BATCH)
        if not self._sampling.extra and PromptCache.suits(self._model):  # some settings of transformers exclude it
            self._cache = PromptCache(self._model, self.concurrency)
        self._as_started = as_loaded(self._model, self._context)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()  # a thread that generates cannot be cancelled; it looks at this after every token
        self._model = self._cache = None

    def _set_concurrency(self, unless_told: int) -> None:
        seeded = self._sampling.seed is not None and self._sampling.temperature != 0
        self.concurrency = 1 if seeded else self._options.concurrency or unless_told
        self._batches = Batches(self._generate, self.concurrency)

    def speaker_for(self, task: Task) -> Speaker:
        """Who answers the calls of one episode; of the task it knows nothing."""
        episode = object()

        async def speak(messages: list[Message], position: Position) -> Reply:
            text = self._chat.text(messages)
            ids = self._chat.token_ids(text)
            if self._context is not None and len(ids) >= self._context:
                return overflow(len(ids), self._context)
            until = time.monotonic() + self._options.timeout_s
            return await self._batches.answer(_Prompt(text, ids, position[0], until, episode))

        return speak

    def _generate(self, prompts: Sequence[_Prompt]) -> list[Reply]:
        """Answer one batch; runs in a thread."""
        import torch

        begun = time.monotonic()
        longest = max(len(prompt.ids) for prompt in prompts)
        ends = end_tokens(self._model.generation_config)
        pad = self._model.generation_config.pad_token_id
        rows = [[pad] * (longest - len(prompt.ids)) + prompt.ids for prompt in prompts]
        seen = [[0] * (longest - len(prompt.ids)) + [1] * len(prompt.ids) for prompt in prompts]
        if self._sampling.seed is not None:
            torch.manual_seed(self._sampling.seed + prompts[0].epoch)
        rooms = [self._room(len(prompt.ids)) for prompt in prompts]
        until = max(prompt.until for prompt in prompts)
        try:
            with torch.inference_mode():
                read, written_on = self._read(prompts)
                output = self._model.generate(
                    input_ids=torch.tensor(rows, device=self._model.device),
                    attention_mask=torch.tensor(seen, device=self._model.device),
                    max_new_tokens=max(rooms),
                    stopping_criteria=[lambda ids, scores, **_: _all(ids, self._stop.is_set() or _past(until))],
                    **written_on,
                    **self._settings,
                )
        except torch.OutOfMemoryError as error:
            raise RunStopped(
                f"{self._name} ran out of memory in a batch of {len(prompts)} calls with up to {longest} tokens each: "
                f"{str(error).splitlines()[0]} Give a smaller --concurrency; the same command goes on."
            ) from None
        except (TypeError, ValueError) as error:
            raise RunStopped(f"transformers refuses these calls: {error}") from error
        seconds = time.monotonic() - begun
        new = output[:, longest:].tolist()
        return [self._reply(*call, ends, seconds) for call in zip(prompts, new, rooms, read, strict=True)]

    def _read(self, prompts: Sequence[_Prompt]) -> tuple[list[int | None], dict[str, Any]]:
        """How much of each prompt need not be read again, and the arguments of `generate` that hold what was read.

        The last token of a prompt is left to `generate`, which needs one to go on from.
        """
        if self._cache is None or min(len(prompt.ids) for prompt in prompts) < 2:
            return [None] * len(prompts), {}
        read = [self._cache.read(prompt.episode, prompt.ids[:-1]) for prompt in prompts]
        return [prompt.reused for prompt in read], {"past_key_values": self._cache.together(read)}

    def _room(self, prompt_tokens: int) -> int:
        if self._context is None:
            return self._sampling.max_tokens or DEFAULT_MAX_TOKENS
        left = self._context - prompt_tokens
        return min(left, self._sampling.max_tokens or left)

    def _reply(
        self, prompt: _Prompt, new: list[int], room: int, cached: int | None, ends: set[int], seconds: float
    ) -> Reply:
        end = next((at for at, token in enumerate(new[:room]) if token in ends), None)
        if end is None and len(new) < room:
            return self._late()
        written = new[:room] if end is None else new[:end]
        return made_reply(
            self._chat,
            prompt.text,
            self._chat.tokenizer.decode(written, skip_special_tokens=False),
            finish_reason="length" if end is None else "stop",
            usage=Usage(input=len(prompt.ids), cached=cached, output=len(written) + (end is not None)),
            latency_s=seconds,
            request_id=None,
        )

    def description(self) -> dict[str, Any]:
        """Engine, weights and template; once the model is loaded, what was made of the options as well."""
        return self._describe("transformers", self._options.engine, batch=self.concurrency)


def _past(until: float) -> bool:
    return time.monotonic() > until


def _all(ids: Any, stop: bool) -> Any:
    import torch

    return torch.full((ids.shape[0],), stop, dtype=torch.bool, device=ids.device)
