"""Metrics for the `evaluate` library: predictions and dataset rows in, the headline of a probe out.

`load_metric("p4_tau")` gives the module; `compute.compute` is the function behind it, for code without `evaluate`.
"""

from typing import TYPE_CHECKING

from vehbench_hf.errors import MetricInputError
from vehbench_hf.probes import BENCHMARK

if TYPE_CHECKING:
    from vehbench_hf.metrics.module import ProbeMetric

METRICS = tuple(info.headline for info in BENCHMARK)


def load_metric(name: str) -> "ProbeMetric":
    """The `evaluate` module of a metric that ships with the package. No Hub is asked.

    Raises MetricInputError for an unknown name.
    """
    if name not in METRICS:
        raise MetricInputError(f"no metric {str(name)[:60]!r}; expected one of {', '.join(METRICS)}.")
    from vehbench_hf.metrics.module import MODULES

    # Kept in memory, since `evaluate` would keep a copy of the module and of what is added in the user's cache.
    return MODULES[name](keep_in_memory=True)


__all__ = ["METRICS", "MetricInputError", "load_metric"]
