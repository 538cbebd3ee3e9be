"""How often intervals hold what they say, and tests find what they say, on runs drawn on the papers of bank v2.

`pytest -n 0 -s -m slow tests/statistics/test_coverage.py` prints the tables, beside what the percentile bootstrap would
give.
"""

import sys
from statistics import fmean

import numpy as np
import pytest

from tests.support.simulated_runs import Design, draw_run, shared_ranks
from vehbench_hf.paper.reproduce.bootstrap import percentile_interval, resample_weights
from vehbench_hf.scoring import SCORERS
from vehbench_hf.scoring.score import headline_estimate
from vehbench_hf.statistics import Estimate, combined, holm_adjusted, interval, p_value, smallest_detectable
from vehbench_hf.types import PROBES, Probe

pytestmark = pytest.mark.slow

DRAWS = 700
OFTEN = 500
BEFORE = 200
"""Replications of an interval, of a comparison, and of the bootstrap that is shown beside the interval."""
NOISE = 2.6 * (0.05 * 0.95 / DRAWS) ** 0.5
"""A share of 95 % comes out within this in 99 % of simulations."""

LEVELS: dict[Probe, tuple[tuple[float, float], ...]] = {
    "p1": ((0.3, 0.1), (0.6, 0.2), (0.9, 0.1)),
    "p2": ((0.02, 0.1), (0.07, 0.3), (0.4, 0.2), (0.9, 0.1)),
    "p3": ((0.02, 0.1), (0.1, 0.2), (0.3, 0.2), (0.6, 0.2), (0.97, 0.1)),
    "p4": ((0.5, 0.1), (0.77, 0.2), (0.9, 0.1)),
}
"""By probe the mean (as a share of full marks) and the share of the variance that lies between papers."""
MIDDLE: dict[Probe, tuple[float, float]] = {"p1": (0.6, 0.2), "p2": (0.4, 0.2), "p3": (0.4, 0.2), "p4": (0.7, 0.2)}
CASES = [(probe, None, *level) for probe in PROBES for level in LEVELS[probe]] + [
    (probe, papers, *MIDDLE[probe]) for probe in PROBES for papers in (5, 10, 20, 50)
]


def show(line: str) -> None:
    """A line of the table."""
    sys.stdout.write(f"\n{line}")


def truth(probe: Probe, mean: float, icc: float) -> float:
    """The headline over very many papers: papers are drawn, so that their number does not move what is expected."""
    rng = np.random.default_rng(7)
    design = Design.of(probe, 6000, rng)
    return headline_estimate(probe, draw_run(design, mean, icc, rng), ["one"] * len(design.clusters)).value


@pytest.mark.parametrize(("probe", "papers", "mean", "icc"), CASES)
def test_intervals_hold_the_true_value_in_95_of_100_runs(
    probe: Probe, papers: int | None, mean: float, icc: float
) -> None:
    true, rng = truth(probe, mean, icc), np.random.default_rng(763)
    held, before, widths = [], [], []
    for _ in range(DRAWS):
        design = Design.of(probe, papers, rng)
        run = draw_run(design, mean, icc, rng)
        ends = interval(headline_estimate(probe, run, design.clusters))
        if ends is None:
            continue  # a class of P1 is missing: undefined, and printed as such
        held.append(ends[0] - 1e-9 <= true <= ends[1] + 1e-9)
        widths.append(ends[1] - ends[0])
        if len(before) < BEFORE:
            weights = resample_weights(design.clusters, resamples=300)
            resampled = percentile_interval(SCORERS[probe].headline(run, weights))
            before.append(resampled is not None and resampled[0] <= true <= resampled[1])
    covered = fmean(held)
    show(
        f"{probe} {papers or 'all'} papers, value {true:.3f}, between papers {icc:g}: covered {covered:.3f} "
        f"(bootstrap {fmean(before):.3f}), width {fmean(widths):.3f}, defined {len(held) / DRAWS:.3f}",
    )
    assert min(widths) > 0
    assert covered > 0.93 - NOISE
    assert covered < (0.97 + NOISE if papers is None and probe != "p3" else 1.0)


def differences(probe: Probe, means: tuple[float, float], icc: float, number: int) -> list[Estimate]:
    rng, found = np.random.default_rng(11), []
    design = Design.of(probe, None, rng)
    for _ in range(number):
        runs = [
            headline_estimate(probe, draw_run(design, mean, icc, rng, ranks), design.clusters)
            for mean, ranks in zip(means, shared_ranks(design, rng), strict=True)
        ]
        found.append(combined([(1.0, runs[1]), (-1.0, runs[0])]))
    return found


@pytest.mark.parametrize("probe", PROBES)
def test_a_difference_as_large_as_the_detectable_one_is_found_in_four_of_five(probe: Probe) -> None:
    mean, icc = MIDDLE[probe]
    if probe == "p4":
        mean = 0.6
    none = differences(probe, (mean, mean), icc, 3 * OFTEN)
    size = fmean((p_value(each) or 1.0) <= 0.05 for each in none)
    step = 0.15
    for _ in range(4):  # the mean of the other run at which the true difference is the detectable one
        some = differences(probe, (mean, mean + step), icc, 200)
        step *= fmean(smallest_detectable(each) or 0.0 for each in some) / fmean(each.value for each in some)
    some = differences(probe, (mean, mean + step), icc, OFTEN)
    detectable = fmean(smallest_detectable(each) or 0.0 for each in some)
    power = fmean((p_value(each) or 1.0) <= 0.05 for each in some)
    true = fmean(each.value for each in some)
    held = fmean((ends := interval(each)) is not None and ends[0] <= true <= ends[1] for each in some)
    show(
        f"{probe}: size {size:.3f}; true difference {true:.3f}, detectable {detectable:.3f}, found in {power:.3f}; "
        f"interval covers {held:.3f}",
    )
    assert size < 0.05 + 2.6 * (0.05 * 0.95 / (3 * OFTEN)) ** 0.5
    assert abs(true / detectable - 1) < 0.06
    assert 0.77 - 0.04 < power < 0.85 + 0.04


def test_a_family_of_comparisons_finds_something_by_chance_in_one_of_twenty() -> None:
    rng, families = np.random.default_rng(5), []
    drawn = {probe: Design.of(probe, None, rng) for probe in PROBES}
    for _ in range(300):
        p_values = []
        for probe, design in drawn.items():
            runs = [
                headline_estimate(probe, draw_run(design, *MIDDLE[probe], rng, ranks), design.clusters)
                for ranks in (*shared_ranks(design, rng), shared_ranks(design, rng)[0])
            ]
            for a, b in ((0, 1), (0, 2), (1, 2)):
                p_values.append(p_value(combined([(1.0, runs[b]), (-1.0, runs[a])])) or 1.0)
        families.append((min(p_values) <= 0.05, min(holm_adjusted(p_values)) <= 0.05))
    single, adjusted = (fmean(column) for column in zip(*families, strict=True))
    show(f"12 comparisons of 3 equal runs: any finding {adjusted:.3f} (unadjusted {single:.3f})")
    assert adjusted < 0.05 + 2.6 * (0.05 * 0.95 / 300) ** 0.5
