"""Drift: several stated excitations, under all of which the limits must hold; the power counts at the least."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from vehbench_oracle.veh.cantilever import Response, respond
from vehbench_oracle.veh.materials import Piezo, Substrate

MOST_CONDITIONS = 3
"""Excitations that a brief may state."""


class Condition(NamedTuple):
    """One excitation of the base: frequency in Hz, peak acceleration in g (9.80665 m/s2)."""

    frequency_hz: float
    acceleration_g: float


def respond_under(
    conditions: Sequence[Condition],
    design: Mapping[str, ArrayLike],
    *,
    piezo: str | Piezo,
    substrate: str | Substrate,
    damping_ratio: float | None,
) -> Response:
    """The least power under the conditions, and the largest of what is limited; raises as `cantilever.respond` does.

    What does not depend on the excitation is equal under all. A value that is NaN under one condition is NaN here, so
    that it is never feasible.
    """
    first, *others = (
        respond(
            design,
            frequency_hz=condition.frequency_hz,
            acceleration_g=condition.acceleration_g,
            piezo=piezo,
            substrate=substrate,
            damping_ratio=damping_ratio,
        )
        for condition in conditions
    )
    for other in others:
        first = replace(
            first,
            load_power_uw=np.minimum(first.load_power_uw, other.load_power_uw),
            freq_error_pct=np.maximum(first.freq_error_pct, other.freq_error_pct),
            tip_stress_mpa=np.maximum(first.tip_stress_mpa, other.tip_stress_mpa),
            tip_disp_mm=np.maximum(first.tip_disp_mm, other.tip_disp_mm),
        )
    return first
