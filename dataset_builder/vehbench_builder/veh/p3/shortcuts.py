"""Moves that need no thought: one variable alone. A task must not fall to them."""

import numpy as np

from vehbench_builder.veh.p3.history_limits import least_slack
from vehbench_builder.veh.p3.paths import on_path, place_of
from vehbench_builder.veh.spec_numbers import Array
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES

POINTS = 2001
PEAKS = 5
"""Places of largest slack along a line, each better than its neighbours, that are looked at more closely."""
CLOSER, CLOSER_POINTS = 4, 101
"""How often, each time with so many designs between the neighbours of the best one."""


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
    along = np.linspace(0.0, 1.0, POINTS)
    slack = least_slack(spec, on_path(spec, ends, along))
    around = np.pad(slack, 1, constant_values=-np.inf)
    peaks = np.flatnonzero((slack >= around[:-2]) & (slack >= around[2:]))
    for peak in peaks[np.argsort(-slack[peaks])][:PEAKS]:
        best, reach, value = float(along[peak]), 1 / (POINTS - 1), float(slack[peak])
        for _ in range(CLOSER):
            close = np.clip(np.linspace(best - reach, best + reach, CLOSER_POINTS), 0.0, 1.0)
            closer = least_slack(spec, on_path(spec, ends, close))
            best, reach, value = float(close[closer.argmax()]), 2 * reach / (CLOSER_POINTS - 1), float(closer.max())
        if value >= 0:
            return True
    return False
