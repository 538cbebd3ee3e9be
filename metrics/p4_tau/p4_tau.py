"""P4 Kendall tau of VEHBench as an `evaluate` module. All of it is in the package `vehbench-hf`."""

from vehbench_hf.metrics import module


class P4Tau(module.P4Tau):
    """See `vehbench_hf.metrics.module`."""
