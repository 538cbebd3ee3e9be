"""`vllm/`: a random and a real model run all probes in this process and through a managed server, and say the same.

Needs vLLM; on a machine without a GPU, vllm-cpu without torchvision, torchaudio and torchcodec.
"""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from local_model_runs import demo_model, equal_share, texts, turns_of
from tiny_llama import make_model
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import UserError
from vehbench_hf.prompts import opening
from vehbench_hf.protocol import Protocol
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import PROBES, Reply, Task
from vehbench_runners.backend import RunStopped
from vehbench_runners.make import make_backend
from vehbench_runners.options import BackendOptions

HERE = Path(__file__).parent

ENGINE = {"enforce_eager": True, "max_num_seqs": 16}
FLOAT32 = Weights(dtype="float32", max_model_len=8192)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _vllm() -> None:
    pytest.importorskip("vllm", reason="needs vLLM: pip install 'vehbench-hf[vllm]'")


@pytest.fixture(autouse=True)
def _on_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = make_model(tmp_path_factory.mktemp("tiny"))
    return made


@pytest.fixture(scope="module", params=["tiny", "smollm2"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "tiny":
        return f"vllm/{request.getfixturevalue('tiny')}"
    return f"vllm/{demo_model(tmp_path_factory.mktemp('demo') / 'model')}"


def test_the_engine_and_its_server_say_the_same(model: str, small_bank: Bank, tmp_path: Path) -> None:
    sampling = Sampling(temperature=0, max_tokens=12)

    def run(name: str, concurrency: int, server: bool = False, limit: int = 1) -> list:  # type: ignore[type-arg]
        options = BackendOptions(engine=ENGINE, concurrency=concurrency, managed_server=server)
        found: list = turns_of(  # type: ignore[type-arg]
            model, small_bank, tmp_path / name, sampling=sampling, weights=FLOAT32, options=options, limit=limit
        )
        return found

    engine, server = run("engine", 1), run("server", 1, server=True)
    assert {turn.reply.error for turn in engine + server} == {None}
    assert texts(engine) == texts(server)
    for one, other in zip(engine, server, strict=True):
        assert (one.reply.usage.input, one.reply.usage.output) == (other.reply.usage.input, other.reply.usage.output)
    together = run("together", 16)
    assert texts(together).keys() == texts(engine).keys()
    print(f"equal at concurrency 16 and 1: {equal_share(engine, together):.0%} of {len(engine)}")  # noqa: T201


async def asked(model: str, sampling: Sampling, task: Task, epochs: Sequence[int]) -> list[Reply]:
    # vLLM 0.32 on a CPU dies of a seeded call whose prompt is read in more than one piece
    options = BackendOptions(engine={**ENGINE, "max_num_batched_tokens": 8192})
    async with make_backend(model, sampling=sampling, weights=FLOAT32, options=options) as backend:
        assert backend.concurrency == ENGINE["max_num_seqs"]
        speak = backend.speaker_for(task)
        messages = opening(task.probe, task.spec, Protocol())
        return [await speak(messages, (epoch, 0, 0)) for epoch in epochs]


def test_replies_follow_the_schema_and_a_brief_is_read_once(tiny: Path, small_bank: Bank) -> None:
    task = small_bank.select(["p4"])[0]
    sampling = Sampling(temperature=0, structured=True, max_tokens=400)
    first, again = asyncio.run(asked(f"vllm/{tiny}", sampling, task, (0, 1)))
    assert (first.text or "").lstrip().startswith("{")  # random weights would not write that by themselves
    assert again.text == first.text
    assert again.usage.cached
    if first.finish_reason == "stop":
        ids = {candidate["id"] for candidate in task.spec["candidates"]}
        assert set(json.loads(first.text or "")["ranking"]) <= ids


def test_a_seed_repeats_what_was_drawn(tiny: Path, small_bank: Bank) -> None:
    task = small_bank.select(["p1"])[0]
    sampling = Sampling(temperature=1.0, seed=3, max_tokens=40)
    drawn = [reply.text for reply in asyncio.run(asked(f"vllm/{tiny}", sampling, task, (0, 0, 1)))]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_prompt_beyond_the_context_is_unscored_and_the_others_go_on(
    tiny: Path, small_bank: Bank, tmp_path: Path
) -> None:
    turns = turns_of(
        f"vllm/{tiny}",
        small_bank,
        tmp_path / "run",
        sampling=Sampling(temperature=0, max_tokens=4),
        weights=Weights(dtype="float32", max_model_len=6000),
        options=BackendOptions(engine=ENGINE),
    )
    errors = {turn.task_id: turn.reply.error for turn in turns}
    over = {task.task_id for task in small_bank.select(PROBES) if task.probe == "p3"} & errors.keys()
    assert over
    for task_id, error in errors.items():
        assert ("context overflow" in (error or "")) == (task_id in over)


def entered(model: str, **given: object) -> None:
    async def enter() -> None:
        async with make_backend(model, **given):  # type: ignore[arg-type]
            pytest.fail("it started")

    asyncio.run(enter())


def test_what_the_engine_does_not_know_is_named(tiny: Path) -> None:
    with pytest.raises(UserError, match="gpu_memory_utilisation"):
        entered(f"vllm/{tiny}", options=BackendOptions(engine={"gpu_memory_utilisation": 0.5}))
    with pytest.raises(RunStopped, match="could not start"):
        entered(f"vllm/{tiny}", options=BackendOptions(engine=ENGINE), weights=Weights(max_model_len=10**6))


def test_a_server_that_cannot_start_says_why(tiny: Path) -> None:
    options = BackendOptions(engine={"gpu_memory_utilisation": 0.5}, managed_server=True)
    with pytest.raises(RunStopped, match="unrecognized arguments: --gpu-memory-utilisation"):
        entered(f"vllm/{tiny}", options=options)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for processes in /proc")
def test_a_killed_run_takes_its_engine_along(tiny: Path, small_bank: Bank, tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    command = f"-m vehbench_hf run --bank {small_bank.path} --model vllm/{tiny} --dtype float32 --max-model-len 8192"
    command += f" --engine-arg enforce_eager=true --temperature 0 --max-tokens 200 --out {tmp_path / 'run'}"
    runner = subprocess.Popen([sys.executable, *command.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = tmp_path / "run" / "turns.jsonl"
    while not (log.is_file() and log.stat().st_size):  # the engine is up once a reply is in the log
        assert runner.poll() is None
        time.sleep(0.2)
    below = psutil.Process(runner.pid).children(recursive=True)
    assert len(below) >= 2
    runner.send_signal(signal.SIGKILL)
    runner.wait(30)
    gone, alive = psutil.wait_procs(below, timeout=20)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    assert gone
