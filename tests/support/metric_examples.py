"""Examples of the metrics, read once, and a metric called through `evaluate`."""

import functools
from typing import Any

import vehbench_hf
from vehbench_hf.metrics.example import example as read_example

example = functools.cache(read_example)
"""Reads a bank, which costs more than most of these tests."""


def module(metric: str, **given: Any) -> Any:
    """What the `evaluate` module of a metric computes."""
    return vehbench_hf.load_metric(metric).compute(**given)
