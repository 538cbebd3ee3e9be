"""Excitation and limits of a brief, taken from the response of a design that shall meet them, and kept credible.

The model is linear in the acceleration: stress and displacement go with it, power with its square. So a brief whose
amplitudes no device would survive becomes one with the same designs at a smaller acceleration.
"""

from typing import NamedTuple

from vehbench_builder.veh import strengths
from vehbench_builder.veh.numbers import known, rounded
from vehbench_hf.types import Design, Spec
from vehbench_oracle.veh.domain import problem_of_brief

LARGEST_POWER_UW = 1e4
SMALLEST_POWER_UW = 0.1
SMALLEST_TARGET_UW = 0.01
"""Between which powers a reference lies, and what a target is at least."""
LARGEST_DEFLECTION = 0.1
"""Displacement over length up to which linear bending is a fair description."""
ROUNDING = 1e-4
"""Share that is kept in hand, so that rounding the acceleration cannot cross a bound."""


class Factors(NamedTuple):
    """Limits over the values of a design: stress and displacement, power target, and the frequency error.

    The frequency limit in percent is the larger of `freq_floor` and `freq` times the design's own error.
    """

    amplitude: float
    power: float
    freq_floor: float
    freq: float


def limited(spec: Spec, design: Design, factors: Factors) -> Spec:
    """The brief with its four limits: the factors times the unrounded response of `design`, then at six digits."""
    own = problem_of_brief(spec).respond(design).at(0)
    limits = {
        "stress_limit_mpa": factors.amplitude * own["tip_stress_mpa"],
        "disp_limit_mm": factors.amplitude * own["tip_disp_mm"],
        "freq_error_pct_limit": max(factors.freq_floor, factors.freq * own["freq_error_pct"]),
        "power_target_uw": factors.power * own["load_power_uw"],
    }
    return {**spec, "constraints": {name: rounded(value) for name, value in limits.items()}}


def credible_acceleration_g(spec: Spec, design: Design, factors: Factors, reference: Design) -> float:
    """The acceleration nearest to the brief's own at which its limits are credible, at six digits.

    Not more than leaves, with `limited`, the stress limit within the strength of the substrate and the displacement
    limit within a tenth of the design's length; the piezo stress of a design at the limit and that of the reference
    within the strength of the piezo layer, the reference's deflection within a tenth of its length, its power within
    10 mW. More than the brief's own only where the reference yields less than 0.1 uW or the target is below 0.01 uW.
    """
    piezo, substrate = known_materials(spec)
    own, best = problem_of_brief(spec).respond(design).at(0), problem_of_brief(spec).respond(reference).at(0)
    substrate_strength, piezo_strength = strengths.SUBSTRATE[substrate].mpa, strengths.PIEZO[piezo].mpa
    largest = (1 - ROUNDING) * min(
        substrate_strength / (factors.amplitude * own["tip_stress_mpa"]),
        piezo_strength / (factors.amplitude * piezo_stress_mpa(spec, design)),
        piezo_strength / piezo_stress_mpa(spec, reference),
        LARGEST_DEFLECTION * design["beam_length_mm"] / (factors.amplitude * own["tip_disp_mm"]),
        LARGEST_DEFLECTION * reference["beam_length_mm"] / best["tip_disp_mm"],
        (LARGEST_POWER_UW / best["load_power_uw"]) ** 0.5,
    )
    smallest = (1 + ROUNDING) * max(
        (SMALLEST_POWER_UW / best["load_power_uw"]) ** 0.5,
        (SMALLEST_TARGET_UW / (factors.power * own["load_power_uw"])) ** 0.5,
    )
    return rounded(known(spec["excitation"]["acceleration_g"]) * min(max(1.0, smallest), largest))


def piezo_stress_mpa(spec: Spec, design: Design) -> float:
    """Stress amplitude in MPa in the piezo layer's outer face under the brief."""
    piezo, substrate = known_materials(spec)
    response = problem_of_brief(spec).respond(design).at(0)
    return strengths.piezo_stress_mpa(
        design,
        tip_stress_mpa=response["tip_stress_mpa"],
        tip_disp_mm=response["tip_disp_mm"],
        piezo=piezo,
        substrate=substrate,
    )


def known_materials(spec: Spec) -> tuple[str, str]:
    """Piezo and substrate of the brief. Raises ValueError when one is withheld."""
    piezo, substrate = spec["materials"]["piezo"], spec["materials"]["substrate"]
    if piezo is None or substrate is None:
        raise ValueError("the brief withholds a material that is needed")
    return piezo, substrate
