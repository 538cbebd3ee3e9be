"""How fast the bootstrap is. The assert holds a ratio from one run only; the time is reported."""

import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from vehbench_hf.bank.bank import Bank
from vehbench_hf.runlog import load_run
from vehbench_hf.scoring import SCORERS, Row, cluster
from vehbench_hf.statistics import percentile_interval, resample_weights

pytestmark = pytest.mark.slow

RESAMPLES = 10_000
ONE_BY_ONE = 200


def test_the_bootstrap_is_far_faster_than_one_resample_at_a_time(benchmark: BenchmarkFixture, bank_v1: Bank) -> None:
    """Aim: 10,000 resamples of one model over all probes in under 1 s. The yardstick draws and computes one by one."""
    records = load_run(bank_v1.path / "runs" / "model_H", bank_v1).records
    prepared = []
    for probe, scorer in SCORERS.items():
        rows = [Row(bank_v1.by_id[name], r) for name, listed in records.items() for r in listed if r.probe == probe]
        prepared.append((scorer, scorer.read_rows(rows, "defined"), [cluster(row.task) for row in rows]))

    def together() -> list[tuple[float, float] | None]:
        return [
            percentile_interval(scorer.headline(of, resample_weights(clusters, resamples=RESAMPLES)))
            for scorer, of, clusters in prepared
        ]

    def one_by_one() -> None:
        for scorer, of, clusters in prepared:
            for seed in range(ONE_BY_ONE):
                scorer.headline(of, resample_weights(clusters, resamples=1, seed=seed)[0])

    intervals = benchmark.pedantic(together, rounds=3)
    assert len(intervals) == 4
    assert all(interval is not None for interval in intervals)
    assert benchmark.stats.stats.min < seconds(one_by_one) * (RESAMPLES / ONE_BY_ONE) / 3


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
