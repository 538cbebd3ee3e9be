"""The interval of a box holds all its resonances."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.beam import unexcited
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.p1.resonance import narrow_resonance_range_hz
from vehbench_hf.bank.schema import empty_spec
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import designs_at
from vehbench_oracle.veh.domain import problem_of_brief

ANCHORS = load_anchors()


@given(st.sampled_from([a for a in ANCHORS if a.inside_domain]), st.integers(0, 2**32 - 1), st.floats(0.05, 0.3))
def test_every_resonance_lies_in_the_range_that_holds_all(anchor: Any, seed: int, half_width: float) -> None:
    draw = np.random.default_rng(seed)
    spec = empty_spec()
    box = box_around(anchor.design, piezo=anchor.piezo, substrate=anchor.substrate, half_width=half_width, draw=draw)
    spec["variable_bounds"] = {**box}
    spec["materials"] = {"piezo": anchor.piezo, "substrate": anchor.substrate, "damping_ratio": 0.01}
    reach = narrow_resonance_range_hz(spec)
    u = np.clip(draw.uniform(-0.5, 1.5, (len(VARIABLES), 2000)), 0.0, 1.0)
    found = unexcited(spec, designs_at(problem_of_brief(spec), u)).resonant_freq_hz
    assert reach.low <= found.min()
    assert found.max() <= reach.high
    # Not much wider than needed: the extremes over a grid of both thicknesses at the extremes of the others.
    grid = np.linspace(0, 1, 41)
    at = {name: np.array(problem_of_brief(spec).range_of(name)) for name in VARIABLES}
    layers = {
        name: (at[name][0] + grid * np.ptp(at[name]))[(slice(None), None) if i == 0 else (None, slice(None))]
        for i, name in enumerate(("substrate_thickness_um", "piezo_thickness_um"))
    }
    for end, found_end, extreme in ((1, reach.low, np.min), (0, reach.high, np.max)):
        corner = {
            "beam_length_mm": at["beam_length_mm"][end],
            "beam_width_mm": at["beam_width_mm"][1 - end],
            "tip_mass_g": at["tip_mass_g"][end],
            "load_resistance_ohm": 1.0,
        }
        reached = extreme(unexcited(spec, {**corner, **layers}).resonant_freq_hz)
        assert found_end == pytest.approx(reached, rel=0.03)
