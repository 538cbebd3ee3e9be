"""What a run costs beside the model: CPU time against an instant server, wall time against one with 200 ms latency.

Asserts compare with the bare `openai` client in the same run, so that a busy machine does not matter; the times are
reported. Aims on two idle cores: 4 s for the whole command with 500 calls, and 1.1 times the ideal schedule.

The same measurement for others, 500 single-turn items at 32 connections. First the server, which prints its port:

    python tests/runners/fake_server.py

inspect-ai 0.3.285 (`pip install inspect-ai openai`), `time python items.py`:

    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate
    items = [Sample(input="x" * 4000 + str(i), target="propose_design") for i in range(500)]
    eval(Task(dataset=MemoryDataset(items), solver=generate(), scorer=includes()),
         model="openai-api/local/m", max_connections=32, display="none")

with LOCAL_BASE_URL=http://127.0.0.1:PORT/v1 and LOCAL_API_KEY=none in the environment.

lm-eval 0.4.13 (`pip install "lm-eval[api]"`): `items.jsonl` holds 500 lines {"q": "...", "a": "propose_design"}, and
`DIR/veh.yaml`:

    task: veh
    dataset_path: json
    dataset_kwargs: {data_files: {test: items.jsonl}}
    test_split: test
    output_type: generate_until
    doc_to_text: "{{q}}"
    doc_to_target: "{{a}}"
    metric_list: [{metric: exact_match}]

    time lm_eval --model local-chat-completions --model_args \
        model=m,base_url=http://127.0.0.1:PORT/v1/chat/completions,num_concurrent=32,tokenizer_backend=None \
        --tasks veh --include_path DIR --apply_chat_template

vehbench: `time vehbench run --model openai/m --base-url http://127.0.0.1:PORT/v1 --probes p1 --limit 125 --epochs 4
--concurrency 32 --out DIR`.
"""

import asyncio
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bare_client import ask
from vehbench_hf.bank.bank import open_bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns
from vehbench_runners import BackendOptions, Plan, make_backend, run_tasks

pytestmark = pytest.mark.slow

SERVER = Path(__file__).parents[1] / "support" / "fake_server.py"
LATENCY_S = 0.2
CONNECTIONS = 64
CALLS = 1920
"""About as many as a run of all probes makes. What it costs to begin and to end weighs more in a shorter run."""

BARE = Path(__file__).parents[1] / "support" / "bare_client.py"


@contextmanager
def server(delay_s: float) -> Iterator[str]:
    """The fake server in a process of its own; gives its base URL."""
    command = [sys.executable, str(SERVER), str(delay_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.stdin.close()


def costs(arguments: list[str]) -> tuple[float, float]:
    """CPU and wall time of a Python process in seconds."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime, time.perf_counter() - begun


def test_a_whole_command_costs_little_more_than_its_calls(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    with server(0.0) as url:
        bare, _ = costs([str(BARE), url, "500", "32"])
        command = f"-m vehbench_hf run --model openai/m --base-url {url} --probes p1 --limit 125 --epochs 4"
        arguments = [*command.split(), "--concurrency", "32", "--out", str(tmp_path / "run")]
        cpu, wall = benchmark.pedantic(costs, (arguments,), rounds=1)
    assert len(read_turns(tmp_path / "run").turns) == 500
    benchmark.extra_info.update(cpu_s=round(cpu, 2), wall_s=round(wall, 2), bare_client_cpu_s=round(bare, 2))
    assert cpu < 2 * bare


def test_connections_are_kept_busy(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    tasks = [task for task in open_bank("v2").tasks if task.probe == "p1"][:160]
    begun: list[float] = []

    def run(url: str) -> None:
        backend = make_backend("openai/m", options=BackendOptions(base_url=url, concurrency=CONNECTIONS))
        with TurnWriter(tmp_path) as writer:
            plan = Plan(tasks, CALLS // len(tasks), Protocol())
            run_tasks(plan, backend, writer, [], on_ready=lambda: begun.append(time.perf_counter()))
        begun.append(time.perf_counter())

    with server(LATENCY_S) as url:
        start = time.perf_counter()
        asyncio.run(ask(url, CALLS, CONNECTIONS))
        bare = time.perf_counter() - start
        benchmark.pedantic(run, (url,), rounds=1)
    assert len(read_turns(tmp_path).turns) == CALLS
    ours, ideal = begun[1] - begun[0], math.ceil(CALLS / CONNECTIONS) * LATENCY_S
    benchmark.extra_info.update(of_ideal=round(ours / ideal, 3), bare_client_of_ideal=round(bare / ideal, 3))
    assert ours < 1.1 * max(ideal, bare)
