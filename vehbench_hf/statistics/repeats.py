"""The mean over repeated runs and how far it moves from run to run."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

from vehbench_hf.statistics.bootstrap import LEVEL


def repeat_interval(values: Sequence[float], *, level: float = LEVEL) -> tuple[float, float] | None:
    """Student's interval for the mean over k repeats on the same tasks; None for fewer than two.

    It holds the noise between repeats alone, not that of drawing other tasks.
    """
    if len(values) < 2:
        return None
    from scipy.special import stdtrit  # slow to import, and most runs have one repeat

    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * stdev(values) / sqrt(len(values))
    return fmean(values) - half, fmean(values) + half
