"""What asking vLLM through a backend costs against asking it directly, in one process on the same prompts."""

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from local_model_runs import demo_model
from vehbench_hf.bank.bank import Bank
from vehbench_hf.prompts import opening
from vehbench_hf.protocol import Protocol
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Task
from vehbench_runners.options import BackendOptions

pytestmark = pytest.mark.slow

TOKENS = 64
ROUNDS = 3


def test_the_backend_costs_at_most_a_twentieth(
    small_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Aim: 0.95 of the tokens a second of plain `AsyncLLM.generate`, on the demo model at 16 sequences.

    Both sides get what they need in the same form in which they would have it: the backend the messages, plain vLLM
    the text of the prompts. The best of alternating rounds counts, all of them with a warm prefix cache.
    """
    vllm = pytest.importorskip("vllm", reason="needs vLLM: pip install 'vehbench-hf[vllm]'")
    from vehbench_runners.local.vllm_engine import VllmBackend

    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "2")
    model = demo_model(tmp_path / "model")
    tasks = small_bank.select(["p1", "p2"])
    sampling = Sampling(temperature=0, max_tokens=TOKENS, extra={"ignore_eos": True})
    options = BackendOptions(engine={"max_num_seqs": 16, "enforce_eager": True})
    backend = VllmBackend(str(model), sampling, Weights(dtype="float32", max_model_len=8192), options)

    async def measure() -> tuple[float, float]:
        async with backend:
            engine: Any = backend._engine
            messages = {task.task_id: opening(task.probe, task.spec, Protocol()) for task in tasks}
            prompts = {task.task_id: backend.request_text(task, messages[task.task_id]) for task in tasks}
            parameters = vllm.SamplingParams(temperature=0, max_tokens=TOKENS, ignore_eos=True)
            parameters.output_kind = vllm.sampling_params.RequestOutputKind.FINAL_ONLY
            numbers = itertools.count()

            async def ours(task: Task) -> int:
                reply = await backend.speaker_for(task)(messages[task.task_id], (0, 0, 0))
                return reply.usage.output or 0

            async def plain(task: Task) -> int:
                name = f"plain-{next(numbers)}"
                [output] = [o async for o in engine.generate(prompts[task.task_id], parameters, name)]
                return len(output.outputs[0].token_ids)

            best = {ours: 0.0, plain: 0.0}
            await rate(plain, tasks)  # fills the prefix cache
            for _ in range(ROUNDS):
                for ask in (ours, plain):
                    best[ask] = max(best[ask], await rate(ask, tasks))
            return best[ours], best[plain]

    ours, plain = asyncio.run(measure())
    print(f"tokens a second: {ours:.0f} through the backend, {plain:.0f} plain, {ours / plain:.3f} of it")  # noqa: T201
    assert ours >= 0.95 * plain


async def rate(ask: Callable[[Task], Awaitable[int]], tasks: list[Task]) -> float:
    """Tokens a second with all tasks asked at once."""
    begun = time.perf_counter()
    tokens = sum(await asyncio.gather(*map(ask, tasks)))
    assert tokens == TOKENS * len(tasks)
    return tokens / (time.perf_counter() - begun)
