"""Running a model over tasks: backends that answer, and the loop that drives episodes and writes the log."""

from vehbench_runners.backends import Backend, make_backend
from vehbench_runners.run import Plan, RunResult, run_tasks

__all__ = ["Backend", "Plan", "RunResult", "make_backend", "run_tasks"]
