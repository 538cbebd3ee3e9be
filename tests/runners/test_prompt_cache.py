"""A prompt that begins as an earlier one is read as if there had been none, and what is kept does not grow."""

from pathlib import Path
from typing import Any

import pytest

from local_model_runs import equal_share, turns_of
from tiny_llama import make_model
from vehbench_hf.bank.bank import Bank
from vehbench_hf.sampling import Sampling
from vehbench_runners.local.prompt_cache import PromptCache
from vehbench_runners.options import BackendOptions

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason=f"needs {name}: pip install 'vehbench-hf[hf]'")
    made: Path = make_model(tmp_path_factory.mktemp("tiny"))
    return made


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder).eval()


def test_a_prompt_read_in_pieces_leaves_the_same_behind(model: Any) -> None:
    import torch

    cache = PromptCache(model, 3)
    with torch.inference_mode():
        cache.read("one", list(range(10, 40)))
        longer = cache.read("one", [*range(10, 40), *range(100, 105)])
        beside = cache.read("two", [*range(10, 20), *range(200, 230)])
        same = cache.read("three", list(range(10, 20)))
        for got, reused in ((longer, 30), (beside, 10), (same, 10)):
            assert got.reused == reused
            alone = PromptCache(model, 1).read("alone", got.ids)
            assert alone.reused == 0
            for (keys, values), (keys_alone, values_alone) in zip(got.layers, alone.layers, strict=True):
                torch.testing.assert_close(keys, keys_alone)
                torch.testing.assert_close(values, values_alone)


def test_prompts_of_a_batch_stay_apart_and_padding_is_masked(model: Any) -> None:
    import torch

    prompts = [list(range(10, 60)), list(range(100, 120)), list(range(30, 33))]
    cache = PromptCache(model, 3)
    with torch.inference_mode():
        batch = cache.together([cache.read(number, ids[:-1]) for number, ids in enumerate(prompts)])
        longest = max(map(len, prompts))
        mask = torch.tensor([[0] * (longest - len(ids)) + [1] * len(ids) for ids in prompts])
        last = torch.tensor([[ids[-1]] for ids in prompts])
        positions = torch.tensor([[len(ids) - 1] for ids in prompts])
        logits = model(last, attention_mask=mask, position_ids=positions, past_key_values=batch).logits[:, -1]
        for row, ids in enumerate(prompts):
            torch.testing.assert_close(logits[row], model(torch.tensor([ids])).logits[0, -1], rtol=1e-3, atol=1e-4)


def test_prompts_of_ended_episodes_are_dropped(model: Any) -> None:
    import torch

    cache = PromptCache(model, 2)
    with torch.inference_mode():
        cache.read("first", [1, 2, 3])
        cache.read("second", [4, 5, 6])
        cache.read("first", [1, 2, 3, 7])
        cache.read("third", [8, 9])  # the second has waited longest
        assert cache.read("again", [4, 5, 6]).reused == 0
        assert cache.read("again", [1, 2, 3]).reused == 0
        assert cache.read("again", [8, 9]).reused == 2


@pytest.mark.parametrize(("window", "suits"), [(None, True), (64, False)])
def test_a_model_with_a_window_has_no_cache(window: int | None, suits: bool) -> None:
    pytest.importorskip("torch", reason="needs torch: pip install 'vehbench-hf[hf]'")
    transformers = pytest.importorskip("transformers", reason="needs transformers: pip install 'vehbench-hf[hf]'")
    config = transformers.MistralConfig(
        vocab_size=50,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        sliding_window=window,
    )
    assert PromptCache.suits(transformers.MistralForCausalLM(config)) is suits


@pytest.mark.slow
def test_replies_do_not_depend_on_what_was_read_before(
    folder: Path, small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def turns(name: str) -> list[Any]:
        options = BackendOptions(concurrency=3)
        sampling = Sampling(temperature=0, max_tokens=12)
        got: list[Any] = turns_of(f"hf/{folder}", small_bank, tmp_path / name, sampling=sampling, options=options)
        return got

    with_cache = turns("with")
    monkeypatch.setattr(PromptCache, "suits", staticmethod(lambda model: False))
    without = turns("without")
    assert {turn.reply.usage.cached for turn in without} == {None}
    read = sum(turn.reply.usage.input - turn.reply.usage.cached for turn in with_cache)
    assert read < 0.5 * sum(turn.reply.usage.input for turn in without)
    share = equal_share(with_cache, without)
    print(f"equal with and without the cache: {share:.0%} of {len(without)} calls")  # noqa: T201
    assert share > 0.5  # padding changes the order of additions, which seldom changes a word in float32
