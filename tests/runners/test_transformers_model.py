"""`hf/`: a model through transformers alone runs all probes, one call at a time or in batches."""

import asyncio
from pathlib import Path

import pytest

from local_model_runs import equal_share, turns_of
from tiny_llama import make_model
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import PROBES
from vehbench_runners.make import make_backend
from vehbench_runners.options import BackendOptions

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason=f"needs {name}: pip install 'vehbench-hf[hf]'")
    return f"hf/{make_model(tmp_path_factory.mktemp('tiny'))}"


@pytest.mark.parametrize(
    ("sampling", "weights", "engine", "named"),
    [
        (Sampling(structured=True), Weights(), {}, "--structured"),
        (Sampling(reasoning_tokens=5), Weights(), {}, "--reasoning-tokens"),
        (Sampling(), Weights(quantization="awq"), {}, "--quantization"),
        (Sampling(), Weights(), {"tensor_parallel_size": 2}, "tensor_parallel_size"),
    ],
)
def test_what_only_vllm_has_is_refused(
    tmp_path: Path, sampling: Sampling, weights: Weights, engine: dict[str, int], named: str
) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(UserError, match=named):
        make_backend(f"hf/{tmp_path}", sampling=sampling, weights=weights, options=BackendOptions(engine=engine))


@pytest.mark.slow
def test_batches_answer_as_single_calls_do(model: str, small_bank: Bank, tmp_path: Path) -> None:
    sampling = Sampling(temperature=0, max_tokens=12)
    alone = turns_of(model, small_bank, tmp_path / "1", sampling=sampling, options=BackendOptions(concurrency=1))
    together = turns_of(model, small_bank, tmp_path / "4", sampling=sampling, options=BackendOptions(concurrency=4))
    assert {turn.reply.error for turn in alone} == {None}
    assert {turn.reply.finish_reason for turn in alone} <= {"stop", "length"}
    for turn in alone:
        assert 0 < (turn.reply.usage.output or 0) <= 12
    share = equal_share(alone, together)
    print(f"equal in batches of 4 and alone: {share:.0%} of {len(alone)} calls")  # noqa: T201
    assert share > 0.5  # padding changes the order of additions, which seldom changes a word in float32


def test_a_cpu_answers_call_by_call(model: str) -> None:
    torch = pytest.importorskip("torch")

    async def entered(options: BackendOptions) -> int:
        async with make_backend(model, options=options) as backend:
            return backend.concurrency

    if torch.cuda.is_available():
        pytest.skip("the model goes to an accelerator here")
    assert asyncio.run(entered(BackendOptions())) == 1
    assert asyncio.run(entered(BackendOptions(concurrency=4))) == 4


@pytest.mark.slow
def test_a_prompt_beyond_the_context_is_unscored_and_the_others_go_on(
    model: str, small_bank: Bank, tmp_path: Path
) -> None:
    turns = turns_of(
        model,
        small_bank,
        tmp_path / "run",
        sampling=Sampling(temperature=0, max_tokens=4),
        weights=Weights(max_model_len=6000),
    )
    errors = {turn.task_id: turn.reply.error for turn in turns}
    over = {task.task_id for task in small_bank.select(PROBES) if task.probe == "p3"} & errors.keys()
    assert over
    for task_id, error in errors.items():
        assert ("context overflow" in (error or "")) == (task_id in over)


@pytest.mark.slow
def test_a_seed_repeats_what_was_drawn(model: str, small_bank: Bank, tmp_path: Path) -> None:
    def drawn(name: str, seed: int) -> list[str | None]:
        sampling = Sampling(temperature=1.0, seed=seed, max_tokens=8)
        return [turn.reply.text for turn in turns_of(model, small_bank, tmp_path / name, sampling=sampling)]

    first = drawn("first", 5)
    assert drawn("again", 5) == first
    assert drawn("other", 6) != first
