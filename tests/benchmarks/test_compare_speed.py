"""How fast many runs are compared. The assert holds a ratio from one run only; the time is reported."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from vehbench_hf.analysis.compare import compare_runs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.runlog import Run, load_run

pytestmark = pytest.mark.slow


def test_66_pairs_of_12_runs_take_far_less_than_66_times_one(benchmark: BenchmarkFixture, bank_v1: Bank) -> None:
    """What a run gives is computed once, so that a pair costs little. Aim: under 1 s."""
    run = load_run(bank_v1.path / "runs" / "model_H", bank_v1)
    runs = [replace(run, folder=Path(f"run{number}")) for number in range(12)]
    found = benchmark.pedantic(lambda: compared(runs), rounds=3)
    assert found == 4 * 66
    assert benchmark.stats.stats.min < 33 * min(seconds(lambda: compared(runs[:2])) for _ in range(3))


def compared(runs: list[Run]) -> int:
    return len(compare_runs(runs, convention="released", headline_splits=("test_id", "test_ood"))["comparisons"])


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
