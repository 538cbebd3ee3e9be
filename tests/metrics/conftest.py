"""Runs with every kind of reply, to be scored by the metrics and by `vehbench score`."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

MADE_RUNS = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent.parent / "made_runs.py")))


@pytest.fixture(scope="session")
def made_runs() -> SimpleNamespace:
    """`make_run` and the speakers of `made_runs.py`."""
    return MADE_RUNS
