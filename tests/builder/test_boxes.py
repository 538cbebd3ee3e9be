"""A box holds its design, stays in the declared domain, and does not give the design away; its resonances lie in
the interval that is said to hold them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.beam import beam, unexcited
from vehbench_builder.veh.boxes import PLACES, box_around
from vehbench_builder.veh.numbers import rounded_design
from vehbench_builder.veh.p1.resonance import narrow_resonance_range_hz
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Design
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, Box
from vehbench_oracle.space import designs_at
from vehbench_oracle.veh.cantilever import MASS_FACTOR
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE

HALF_WIDTHS = (0.14, 0.18, 0.25, 0.35)
DIGITS = 1e-5
"""What rounding a bound to six digits may change."""


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Any design of the domain, often at an end of it."""
    ends = {name: st.sampled_from(ends) | st.floats(*ends) for name, ends in DECLARED_DOMAIN.items()}
    return rounded_design({name: draw(ends[name]) for name in VARIABLES})


def boxed(design: Design, half_width: float, seed: int = 0) -> dict[str, Box]:
    draw = np.random.default_rng(seed)
    return box_around(design, piezo="PZT-5A", substrate="brass", half_width=half_width, draw=draw)


@given(designs(), st.sampled_from(HALF_WIDTHS), st.integers(0, 1000))
def test_a_box_holds_its_design_and_stays_in_the_domain(design: Design, half_width: float, seed: int) -> None:
    box = boxed(design, half_width, seed)
    for name, (lowest, highest) in DECLARED_DOMAIN.items():
        assert lowest <= box[name]["min"] <= design[name] <= box[name]["max"] <= highest
        assert box[name]["max"] > box[name]["min"]


@given(designs(), st.sampled_from(HALF_WIDTHS), st.integers(0, 1000))
def test_the_width_of_a_range_does_not_give_the_design_away(design: Design, half_width: float, seed: int) -> None:
    """The ratio of the ends is the same for every design, so that only the place of the range says where it is."""
    box = boxed(design, half_width, seed)
    for name in VARIABLES:
        low, high = box[name]["min"], box[name]["max"]
        if name == "load_resistance_ohm":
            assert high / low == pytest.approx((1 + 3 * half_width) ** 2, rel=DIGITS)
        elif low > 0:
            assert high / low == pytest.approx((1 + half_width) / (1 - half_width), rel=DIGITS)


@pytest.mark.parametrize("half_width", HALF_WIDTHS)
def test_the_design_lies_at_places_spread_over_its_range(half_width: float) -> None:
    design = {
        "beam_length_mm": 50.0,
        "beam_width_mm": 10.0,
        "substrate_thickness_um": 300.0,
        "piezo_thickness_um": 100.0,
        "tip_mass_g": 3.0,
        "load_resistance_ohm": 1e5,
    }
    places: dict[str, list[float]] = {name: [] for name in VARIABLES}
    for seed in range(400):
        for name, bounds in boxed(design, half_width, seed).items():
            low, high, value = bounds["min"], bounds["max"], design[name]
            if name == "load_resistance_ohm":
                low, high, value = np.log([low, high, value])
            places[name].append((value - low) / (high - low))
    for name, found in places.items():
        assert min(found) >= PLACES[0] - 1e-3, name
        assert max(found) <= PLACES[1] + 1e-3, name
        assert np.quantile(found, [0.25, 0.75]) == pytest.approx([0.4, 0.6], abs=0.04), name
    together = np.corrcoef(list(places.values()))
    assert np.abs(together - np.eye(len(VARIABLES))).max() < 0.25


@given(designs(), st.sampled_from(HALF_WIDTHS))
def test_a_light_tip_gets_a_range_of_the_size_of_the_beam(design: Design, half_width: float) -> None:
    box = boxed({**design, "tip_mass_g": 0.0}, half_width)["tip_mass_g"]
    volumes = [1e-6 * design[f"{layer}_thickness_um"] for layer in ("substrate", "piezo")]
    area = 1e-6 * design["beam_length_mm"] * design["beam_width_mm"]
    grams = 1e3 * area * (volumes[0] * SUBSTRATE["brass"].density + volumes[1] * PIEZO["PZT-5A"].density)
    largest = min(2 * half_width * MASS_FACTOR * grams, DECLARED_DOMAIN["tip_mass_g"][1])
    assert box["min"] == 0
    assert box["max"] == pytest.approx(largest, rel=DIGITS)


def test_the_anchors_are_where_the_boxes_say() -> None:
    """Every anchor's box has the anchor in the middle 40 % of a range unless the domain or a light tip forbids it."""
    for anchor in load_anchors():
        design = rounded_design(anchor.design)
        box = box_around(
            design,
            piezo=anchor.piezo,
            substrate=anchor.substrate,
            half_width=0.25,
            draw=np.random.default_rng(1),
        )
        moving = 1e3 * beam(design, anchor.piezo, anchor.substrate)["effective_mass_kg"] - design["tip_mass_g"]
        for name in VARIABLES:
            low, high = box[name]["min"], box[name]["max"]
            at_an_edge = low == DECLARED_DOMAIN[name][0] or high == DECLARED_DOMAIN[name][1]
            if at_an_edge or name == "load_resistance_ohm":
                continue
            assert name != "tip_mass_g" or design[name] >= moving
            assert PLACES[0] - 1e-3 <= (design[name] - low) / (high - low) <= PLACES[1] + 1e-3, (anchor.key, name)


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
