"""The common ground of P1 briefs: a box around an anchor, an excitation and limits, drawn alike for every subtype.

A context says nothing about the verdict. The power target, what is withheld and the words come later.
"""

from typing import NamedTuple

import numpy as np

from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.beam import unexcited
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.limits import Factors, credible_acceleration_g
from vehbench_builder.veh.numbers import rounded, rounded_design
from vehbench_builder.veh.p1.search import best_design
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import designs_at
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO
from vehbench_oracle.veh.domain import problem_of_brief

HALF_WIDTHS = (0.12, 0.25)
ACCELERATIONS_G = (0.6, 1.2)
"""Before they are lowered to what the device survives."""
FREQ_ERROR_LIMITS_PCT = (2.0, 3.0, 4.0, 5.0)
AMPLITUDE_FACTORS = (0.6, 1.4)
"""Stress and displacement limit over the values of the design that the excitation is tuned to."""
TUNING, SCATTER = (0.03, 0.97), 0.15
"""Where the tuned design lies between the slowest (0) and the fastest (1) corner of the box, and how far each variable
strays from there, as a share of its range."""
EASIEST_TARGET = 0.4
"""Smallest power target over the reference power that a brief may get."""


class Context(NamedTuple):
    """A brief without a power target, and the strongest design found that keeps its other limits."""

    spec: Spec
    reference: Design
    power_uw: float


def draw_context(anchor: AnchorDesign, draw: np.random.Generator) -> Context | None:
    """A context around an anchor; None when no design is found for it, so that another must be drawn.

    The excitation is the resonance of a design somewhere in the box, so that neither the anchor nor the middle of the
    box is tuned. The stress and displacement limits are drawn factors of that design's values.
    """
    spec = empty_spec()
    half_width = float(draw.uniform(*HALF_WIDTHS))
    box = box_around(anchor.design, piezo=anchor.piezo, substrate=anchor.substrate, half_width=half_width, draw=draw)
    spec["variable_bounds"] = {**box}
    spec["materials"] = {
        "piezo": anchor.piezo,
        "substrate": anchor.substrate,
        "damping_ratio": DEFAULT_DAMPING_RATIO,
    }
    tuned = _tuned_design(spec, draw)
    frequency = rounded(float(unexcited(spec, tuned).resonant_freq_hz))
    acceleration = rounded(float(draw.uniform(*ACCELERATIONS_G)))
    stress, disp = (float(factor) for factor in draw.uniform(*AMPLITUDE_FACTORS, 2))
    freq_error = float(draw.choice(FREQ_ERROR_LIMITS_PCT))
    seed = int(draw.integers(2**32))

    def at(acceleration_g: float) -> Spec:
        shaken: Spec = {
            **spec,
            "excitation": {"frequency_hz": frequency, "acceleration_g": acceleration_g, "stated": []},
        }
        own = problem_of_brief(shaken).respond(tuned).at(0)
        shaken["constraints"] = {
            "stress_limit_mpa": rounded(stress * own["tip_stress_mpa"]),
            "disp_limit_mm": rounded(disp * own["tip_disp_mm"]),
            "freq_error_pct_limit": freq_error,
            "power_target_uw": 0.0,
        }
        return shaken

    best = best_design(at(acceleration), seed=seed)
    if best is None:
        return None
    factors = Factors(max(stress, disp), EASIEST_TARGET, freq_error, 0.0)
    # Amplitudes are linear in the acceleration, so that the strongest design stays the strongest.
    shaken = at(credible_acceleration_g(at(acceleration), tuned, factors, best.design))
    return Context(shaken, best.design, float(problem_of_brief(shaken).respond(best.design).load_power_uw))


def with_target(spec: Spec, power_uw: float) -> Spec:
    """The brief with a power target, at six digits."""
    return {**spec, "constraints": {**spec["constraints"], "power_target_uw": rounded(power_uw)}}


def _tuned_design(spec: Spec, draw: np.random.Generator) -> Design:
    place = float(draw.uniform(*TUNING))
    fast = np.array([1 - place, place, place, place, 1 - place, 0.5])  # in the order of VARIABLES
    u = np.clip(fast + draw.uniform(-SCATTER, SCATTER, len(VARIABLES)), 0.0, 1.0)
    return rounded_design(designs_at(problem_of_brief(spec), u))
