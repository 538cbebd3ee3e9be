"""The experiments of the paper around the benchmark: interventions, controlled prompts, the isomorphism audit.

Each compares runs of one model that differ in one thing. Nothing here calls a model.
"""

from vehbench_hf.experiments.arms import Arm, read_arm
from vehbench_hf.experiments.controlled import CELLS, Cell, cell_effects, cell_tasks
from vehbench_hf.experiments.intervention import intervention_effects, intervention_tasks
from vehbench_hf.experiments.isomorphic import score_isomorphic
from vehbench_hf.experiments.isomorphic_run import isomorphic_tasks, score_isomorphic_folder
from vehbench_hf.experiments.paired import paired_effect

__all__ = [
    "CELLS",
    "Arm",
    "Cell",
    "cell_effects",
    "cell_tasks",
    "intervention_effects",
    "intervention_tasks",
    "isomorphic_tasks",
    "paired_effect",
    "read_arm",
    "score_isomorphic",
    "score_isomorphic_folder",
]
