"""Limits of a P3 brief: those of the hidden start, and one that the start and the whole way back break."""

from collections.abc import Mapping
from typing import NamedTuple

from vehbench_builder.veh import strengths
from vehbench_builder.veh.limits import (
    LARGEST_DEFLECTION,
    LARGEST_POWER_UW,
    SMALLEST_TARGET_UW,
    known_materials,
    piezo_stress_mpa,
)
from vehbench_builder.veh.numbers import known, rounded
from vehbench_hf.types import Design, Spec
from vehbench_oracle import LIMITS
from vehbench_oracle.space import Array
from vehbench_oracle.veh.domain import problem_of_brief

FREQ_ERROR_PCT = 4.0
AMPLITUDE = 1.8
"""Stress and displacement limit over the values of the start, where a device bears that."""
STRESS_FLOOR_MPA, DISP_FLOOR_MM = 20.0, 1.0
LEAST_AMPLITUDE = 1.05
"""A start must be this far from what a device bears."""
TARGET_SHARE = 0.60
"""Power target over the power of the start."""
SECONDARY_SHARE = 0.97
"""Secondary limit over the smallest value of the tuned and strong enough designs on the way back."""
SECONDARIES = {"stress_limit_mpa": 1.0, "disp_limit_mm": 1e-3}
"""What may become the secondary limit, and the smallest value that is still credible."""


class Secondary(NamedTuple):
    """The limit that the way back breaks, and its value at six digits."""

    name: str
    value: float


def base_limits(spec: Spec, start: Design) -> Spec | None:
    """The brief with limits from the unrounded response of its start; None when no device bears the start itself.

    Stress and displacement limit are 1.8 times the start's values, at least 20 MPa and 1 mm, and not more than the
    strength of the substrate, the stress at which the piezo layer of the start reaches its own, and a tenth of its
    length.
    """
    own = problem_of_brief(spec).respond(start).at(0)
    strength = min(
        strengths.SUBSTRATE[known_materials(spec)[1]].mpa,
        own["tip_stress_mpa"] * strengths.PIEZO[known_materials(spec)[0]].mpa / piezo_stress_mpa(spec, start),
    )
    largest = {"stress_limit_mpa": strength, "disp_limit_mm": LARGEST_DEFLECTION * start["beam_length_mm"]}
    if any(LEAST_AMPLITUDE * own[LIMITS[name].metric] > most for name, most in largest.items()):
        return None
    target = TARGET_SHARE * own["load_power_uw"]
    if not SMALLEST_TARGET_UW <= target <= LARGEST_POWER_UW:
        return None
    wished = {
        "stress_limit_mpa": max(STRESS_FLOOR_MPA, AMPLITUDE * own["tip_stress_mpa"]),
        "disp_limit_mm": max(DISP_FLOOR_MM, AMPLITUDE * own["tip_disp_mm"]),
    }
    limits = {
        **{name: rounded(min(wished[name], most)) for name, most in largest.items()},
        "freq_error_pct_limit": FREQ_ERROR_PCT,
        "power_target_uw": rounded(target),
    }
    return {**spec, "constraints": {name: limits[name] for name in LIMITS}}


def secondary(spec: Spec, name: str, line: Mapping[str, Array]) -> Secondary | None:
    """The limit `name` that every design of the line breaks which meets frequency limit and power target.

    0.97 times their smallest value; None when that is too small to be credible. The line passes through the start,
    which does meet both.
    """
    response = problem_of_brief(spec).respond(line)
    tuned = response.freq_error_pct <= known(spec["constraints"]["freq_error_pct_limit"])
    strong = response.load_power_uw >= known(spec["constraints"]["power_target_uw"])
    values = getattr(response, LIMITS[name].metric)[tuned & strong]
    limit = rounded(SECONDARY_SHARE * float(values.min()))
    return Secondary(name, limit) if limit >= SECONDARIES[name] else None


def with_secondary(spec: Spec, limit: Secondary) -> Spec:
    """The brief with the secondary limit in place of the base one."""
    return {**spec, "constraints": {**spec["constraints"], limit.name: limit.value}}
