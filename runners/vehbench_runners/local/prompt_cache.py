"""What a model has read of a prompt is kept: a later call of the same episode is read from where it differs on.

Turns and repeated calls of an episode begin alike, and so do the prompts of one probe. Each prompt is read alone and
without padding, then the batch is put together for writing.
"""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ReadPrompt:
    """Tokens that were read, `reused` of them earlier, and what each layer keeps of them.

    `layers` holds a pair of tensors a layer, keys and values, each of shape (1, heads, tokens, width).
    """

    ids: Sequence[int]
    layers: list[tuple[Any, Any]]
    reused: int


class PromptCache:
    """The last prompt of the `most` episodes that were asked last."""

    def __init__(self, model: Any, most: int) -> None:
        self._model, self._most = model, most
        self._kept: OrderedDict[Hashable, ReadPrompt] = OrderedDict()

    @staticmethod
    def suits(model: Any) -> bool:
        """Whether every layer keeps all tokens, each by itself; a window or a running state cannot be cut at will."""
        from transformers.cache_utils import DynamicCache, DynamicLayer

        layers = DynamicCache(config=model.config).layers
        return bool(layers) and all(type(layer) is DynamicLayer for layer in layers)

    def read(self, episode: Hashable, ids: Sequence[int]) -> ReadPrompt:
        """Let the model read `ids`, at least one, and keep it as the last prompt of `episode`."""
        import torch

        best = max(self._kept.values(), key=lambda kept: _common(kept.ids, ids), default=None)
        reused = 0 if best is None else _common(best.ids, ids)
        cache = self._empty()
        if best is not None and reused:
            for number, (keys, values) in enumerate(best.layers):
                cache.update(keys[:, :, :reused], values[:, :, :reused], number)
        if reused < len(ids):
            rest = torch.tensor([list(ids[reused:])], device=self._model.device)
            self._model.base_model(input_ids=rest, past_key_values=cache, use_cache=True)
        prompt = ReadPrompt(ids, [(layer.keys, layer.values) for layer in cache.layers], reused)
        self._kept[episode] = prompt
        self._kept.move_to_end(episode)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return prompt

    def together(self, prompts: Sequence[ReadPrompt]) -> Any:
        """The cache of a batch, each prompt padded on the left to the longest."""
        longest = max(len(prompt.ids) for prompt in prompts)
        cache = self._empty()
        for number in range(len(prompts[0].layers)):
            cache.update(
                *(_padded([prompt.layers[number][which] for prompt in prompts], longest) for which in (0, 1)), number
            )
        return cache

    def _empty(self) -> Any:
        from transformers.cache_utils import DynamicCache

        return DynamicCache(config=self._model.config)


def _padded(parts: Sequence[Any], longest: int) -> Any:
    _, heads, _, width = parts[0].shape
    whole = parts[0].new_zeros(len(parts), heads, longest, width)
    for row, part in enumerate(parts):
        whole[row, :, longest - part.shape[2] :] = part[0]
    return whole


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two prompts have in common from the beginning."""
    shortest = min(len(first), len(second))
    return next((at for at in range(shortest) if first[at] != second[at]), shortest)
