"""P3-Success of VEHBench as an `evaluate` module. All of it is in the package `vehbench-hf`."""

from vehbench_hf.metrics import module


class P3Success(module.P3Success):
    """See `vehbench_hf.metrics.module`."""
