"""Response-control profiles: how a model behaves at the four stages, on five axes. Start with `profiles`."""

from vehbench_hf.profiles.axes import AXES, SUMMARY_GAINS, AxisScore, indicators, profiles
from vehbench_hf.profiles.ranks import correlations, spearman

__all__ = ["AXES", "SUMMARY_GAINS", "AxisScore", "correlations", "indicators", "profiles", "spearman"]
