"""How fast importing, running and scoring are. Asserts hold ratios from one run only; the times are reported."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from vehbench_hf.bank.bank import Bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, load_run, write_run_json
from vehbench_hf.scoring import score_run
from vehbench_hf.types import PROBES, SPLITS
from vehbench_runners import Plan, make_backend, run_tasks

pytestmark = pytest.mark.slow


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def fastest_import(statement: str) -> float:
    return min(seconds(lambda: subprocess.run([sys.executable, "-c", statement], check=True)) for _ in range(3))


def test_importing_the_package_costs_little_more_than_a_bare_interpreter(benchmark: BenchmarkFixture) -> None:
    """Aim: under 0.3 s. The import of numpy alone is the yardstick."""
    ours = fastest_import("import vehbench_hf")
    benchmark.pedantic(fastest_import, ("import vehbench_hf",), rounds=1)
    benchmark.extra_info.update(seconds=round(ours, 3))
    assert ours < 1.5 * fastest_import("import numpy")


def test_scoring_a_whole_run_takes_at_most_three_times_as_long_as_running_it(
    benchmark: BenchmarkFixture, bank_v1: Bank, tmp_path: Path
) -> None:
    settings = RunSettings("baseline/random", bank_v1.version, bank_v1.fingerprint, PROBES, SPLITS, None, 1, Protocol())
    write_run_json(tmp_path, {"settings": settings.flat(), "bank": str(bank_v1.path)})

    def run() -> None:
        with TurnWriter(tmp_path) as writer:
            backend = make_backend(settings.model)
            run_tasks(Plan(list(bank_v1.tasks), 1, settings.protocol), backend, writer, [])

    running = seconds(run)
    scores = benchmark.pedantic(lambda: score_run(load_run(tmp_path, bank_v1)), rounds=2)
    benchmark.extra_info.update(run_seconds=round(running, 2), tasks=len(bank_v1.tasks))
    assert scores["complete"]
    assert benchmark.stats.stats.min < 3 * running
