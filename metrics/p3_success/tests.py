"""Cases with a known result: gold answers, and replies that cannot be read."""

from vehbench_hf.metrics.example import cases

test_cases = cases("p3_success")
