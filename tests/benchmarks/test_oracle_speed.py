"""How fast the oracle is. Asserts hold ratios from one run only; the times are reported for people."""

import time
from collections.abc import Callable

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from vehbench_oracle import DECLARED_DOMAIN, respond
from vehbench_oracle.veh.distributed import respond_distributed, respond_first_mode

pytestmark = pytest.mark.slow

SETTING = {"frequency_hz": 60.0, "acceleration_g": 0.5}
ALONE = 300


def designs(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {name: rng.uniform(low, high, n) for name, (low, high) in DECLARED_DOMAIN.items()}


def fastest_ns(call: Callable[[], object], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return float(min(times))


@pytest.mark.parametrize("n", [10_000, 100_000, 1_000_000])
def test_a_batch_is_far_faster_than_its_designs_one_at_a_time(benchmark: BenchmarkFixture, n: int) -> None:
    """Report ns a design of a batch (aim: at most 150 on one core) and the gain over single calls."""
    batch = designs(n)
    singles = [{name: float(values[i]) for name, values in batch.items()} for i in range(ALONE)]
    alone_ns = fastest_ns(lambda: [respond(design, **SETTING) for design in singles]) / ALONE
    batch_ns = fastest_ns(lambda: respond(batch, **SETTING)) / n
    benchmark.pedantic(respond, (batch,), SETTING, rounds=3)
    benchmark.extra_info.update(ns_a_design=round(batch_ns, 1), ns_alone=round(alone_ns))
    print(f"{n} designs: {batch_ns:.0f} ns a design, {alone_ns:.0f} ns alone")  # noqa: T201
    assert alone_ns > 50 * batch_ns


def test_the_distributed_beam_costs_few_oracle_calls() -> None:
    """Aims on an idle core: 200 ns a design for the first mode, 30 us for three modes."""
    batch = designs(100_000)
    lumped, first, three = (
        fastest_ns(lambda model=model: model(batch, **SETTING)) / 100_000  # type: ignore[misc]
        for model in (respond, respond_first_mode, respond_distributed)
    )
    print(f"oracle {lumped:.0f} ns a design, first mode {first:.0f} ns, three modes {three:.0f} ns")  # noqa: T201
    assert first < 4 * lumped
    assert three < 100 * lumped
