"""Running a model over tasks: backends that answer, and the loop that drives episodes and writes the log."""

from vehbench_runners.backend import Backend, RunStopped
from vehbench_runners.budget import Budget
from vehbench_runners.make import make_backend
from vehbench_runners.options import BackendOptions
from vehbench_runners.run import Plan, RunResult, run_tasks

__all__ = ["Backend", "BackendOptions", "Budget", "Plan", "RunResult", "RunStopped", "make_backend", "run_tasks"]
