"""Moves that need no thought: one variable alone. A task must not fall to them."""

import numpy as np

from vehbench_builder.brief import Array
from vehbench_builder.p3_limits import least_slack
from vehbench_builder.p3_paths import on_path, place_of
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES

POINTS = 2001
CLOSER = 3
"""How often the best place of a line is looked at more closely, each time over the two neighbouring intervals."""
CLOSER_POINTS = 201


def single_fixes(spec: Spec, last: Design) -> list[str]:
    """The variables that, moved alone from the last step, lead to a feasible design."""
    place = place_of(spec, last)
    found = []
    for index, name in enumerate(VARIABLES):
        ends = np.array([place, place])
        ends[:, index] = 0.0, 1.0
        if _meets_feasible(spec, ends):
            found.append(name)
    return found


def _meets_feasible(spec: Spec, ends: Array) -> bool:
    """Whether a feasible design was found between two places of the box, shape (2, 6)."""
    low, high, points = 0.0, 1.0, POINTS
    for _ in range(1 + CLOSER):
        along = np.linspace(low, high, points)
        slack = least_slack(spec, on_path(spec, ends, along))
        best = int(np.argmax(slack))
        if slack[best] >= 0:
            return True
        low, high, points = along[max(best - 1, 0)], along[min(best + 1, points - 1)], CLOSER_POINTS
    return False
