"""P1-Composite of VEHBench as an `evaluate` module. All of it is in the package `vehbench-hf`."""

from vehbench_hf.metrics import module


class P1Composite(module.P1Composite):
    """See `vehbench_hf.metrics.module`."""
