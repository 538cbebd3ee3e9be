"""Two or more runs side by side: paired differences on the tasks they share."""

from vehbench_hf.compare.compare import COMPARE_SCHEMA, compare_runs
from vehbench_hf.compare.notes import incomplete
from vehbench_hf.compare.settle import require_comparable
from vehbench_hf.compare.sources import ComparedRun, read_compared

__all__ = ["COMPARE_SCHEMA", "ComparedRun", "compare_runs", "incomplete", "read_compared", "require_comparable"]
