"""P2 ratio of VEHBench as an `evaluate` module. All of it is in the package `vehbench-hf`."""

from vehbench_hf.metrics import module


class P2Ratio(module.P2Ratio):
    """See `vehbench_hf.metrics.module`."""
