"""Walks stay in the box and in tune, and the limits put the whole way back out of reach."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vehbench_builder.veh import strengths
from vehbench_builder.veh.anchors import AnchorDesign, load_anchors
from vehbench_builder.veh.beam import unexcited
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.limits import piezo_stress_mpa
from vehbench_builder.veh.numbers import known
from vehbench_builder.veh.p3.history_limits import SECONDARIES, base_limits, secondary, with_secondary
from vehbench_builder.veh.p3.moves import (
    TRAPS,
    Trap,
    draw_place,
    onward,
    start_at,
    tuned_substrate_um,
    tuned_to,
    walk,
    way_back,
)
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Spec
from vehbench_oracle import VARIABLES, box_violations
from vehbench_oracle.space import designs_at, places_of
from vehbench_oracle.veh.domain import problem_of_brief

ANCHORS = st.sampled_from(load_anchors())
VARIANTS = st.sampled_from([trap for traps in TRAPS.values() for trap in traps])
SEEDS = st.integers(0, 2**32 - 1)
SUBSTRATE = "substrate_thickness_um"


def brief_of(anchor: AnchorDesign, draw: np.random.Generator, acceleration_g: float = 0.1) -> Spec:
    """Bounds, materials and an acceleration, as a P3 task takes them from its source."""
    spec = empty_spec()
    half_width = float(draw.uniform(0.14, 0.35))
    box = box_around(anchor.design, piezo=anchor.piezo, substrate=anchor.substrate, half_width=half_width, draw=draw)
    spec["variable_bounds"] = {**box}
    spec["materials"] = {"piezo": anchor.piezo, "substrate": anchor.substrate, "damping_ratio": 0.01}
    spec["excitation"]["acceleration_g"] = acceleration_g
    return spec


@given(ANCHORS, SEEDS)
def test_a_solved_substrate_is_in_tune_and_none_is_overlooked(anchor: AnchorDesign, seed: int) -> None:
    draw = np.random.default_rng(seed)
    brief = brief_of(anchor, draw)
    spec = tuned_to(brief, start_at(brief, draw.uniform(0.2, 0.8, 6)))
    designs = designs_at(problem_of_brief(spec), draw.random((6, 50)))
    thickness = tuned_substrate_um(spec, designs)
    slowest, fastest = (
        unexcited(spec, {**designs, SUBSTRATE: end}).resonant_freq_hz
        for end in problem_of_brief(spec).range_of(SUBSTRATE)
    )
    f_e, solved = known(spec["excitation"]["frequency_hz"]), np.isfinite(thickness)
    assert np.array_equal(solved, (slowest <= f_e) & (f_e < fastest))
    tuned = {name: values[solved] for name, values in designs.items()} | {SUBSTRATE: thickness[solved]}
    assert problem_of_brief(spec).respond(tuned).freq_error_pct.max(initial=0.0) < 0.005


@given(ANCHORS, VARIANTS, SEEDS)
def test_a_walk_stays_in_the_box_and_moves_as_its_trap_says(anchor: AnchorDesign, trap: Trap, seed: int) -> None:
    draw = np.random.default_rng(seed)
    brief = brief_of(anchor, draw)
    place = draw_place(trap, draw)
    assert np.all((place >= 0.2) & (place <= 0.8))
    spec = tuned_to(brief, start_at(brief, place))
    walked = walk(spec, trap, place, draw)
    assume(walked is not None)
    assert walked is not None
    assert problem_of_brief(spec).respond(walked.start).freq_error_pct < 1e-3
    states = [walked.start, *walked.steps]
    assert len(states) == 5
    assert not [v for state in states for v in box_violations(VARIABLES, state, spec["variable_bounds"])]
    moves = np.diff([places_of(problem_of_brief(spec), state) for state in states], axis=0)
    moved = [{name for name, by in zip(VARIABLES, move, strict=True) if abs(by) > 1e-9} for move in moves]
    if trap.type == "false_feasibility":
        powers = (
            problem_of_brief(spec)
            .respond({name: np.array([s[name] for s in states]) for name in VARIABLES})
            .load_power_uw
        )
        assert np.all(np.diff(powers) > 0)
    elif trap.type == "topology_trap":
        assert all(names <= {"beam_length_mm", SUBSTRATE} for names in moved)
    else:
        wanted = trap.moves if len(trap.moves) > 1 else trap.moves * 4
        assert moved == [{name} for name, _ in wanted]
        for move, (name, sign) in zip(moves, wanted, strict=True):
            stride = 0.12 if len(trap.moves) > 1 else 0.06
            # Four digits of a value near the end of a narrow range are coarse.
            assert sign * move[list(VARIABLES).index(name)] == pytest.approx(stride, abs=0.006)
    if walked.heading is not None:
        assert all(problem_of_brief(spec).respond(step).freq_error_pct < 0.2 for step in walked.steps)


@settings(max_examples=40)
@given(ANCHORS, VARIANTS, st.sampled_from(sorted(SECONDARIES)), SEEDS)
def test_no_design_on_the_way_back_is_feasible(anchor: AnchorDesign, trap: Trap, name: str, seed: int) -> None:
    draw = np.random.default_rng(seed)
    brief = brief_of(anchor, draw, acceleration_g=0.003)
    place = draw_place(trap, draw)
    start = start_at(brief, place)
    spec = base_limits(tuned_to(brief, start), start)
    assume(spec is not None)
    assert spec is not None
    walked = walk(spec, trap, place, draw)
    assume(walked is not None)
    assert walked is not None
    limit = secondary(spec, name, way_back(spec, trap, walked))
    assume(limit is not None)
    assert limit is not None
    spec = with_secondary(spec, limit)
    corners = onward(spec, [*reversed(walked.steps), walked.start])
    along = np.sort(draw.uniform(0, len(corners) - 1, 3000))
    places = np.array([np.interp(along, np.arange(len(corners)), column) for column in corners.T])
    assert problem_of_brief(spec).least_slack(designs_at(problem_of_brief(spec), places)).max() < 0
    assert problem_of_brief(spec).least_slack(start) < -0.02


@given(ANCHORS, SEEDS, st.floats(1e-4, 1.0))
def test_no_limit_is_beyond_what_a_device_bears(anchor: AnchorDesign, seed: int, acceleration_g: float) -> None:
    draw = np.random.default_rng(seed)
    brief = brief_of(anchor, draw, acceleration_g)
    start = start_at(brief, draw.uniform(0.2, 0.8, 6))
    tuned = tuned_to(brief, start)
    own = problem_of_brief(tuned).respond(start).at(0)
    spec = base_limits(tuned, start)
    if spec is None:
        piezo = piezo_stress_mpa(tuned, start) / strengths.PIEZO[anchor.piezo].mpa
        substrate = own["tip_stress_mpa"] / strengths.SUBSTRATE[anchor.substrate].mpa
        deflection = own["tip_disp_mm"] / (0.1 * start["beam_length_mm"])
        weak = own["load_power_uw"] < 0.0167 or own["load_power_uw"] > 1e4
        assert max(piezo, substrate, deflection) > 0.95 or weak
        return
    limits = {name: known(value) for name, value in spec["constraints"].items()}
    assert limits["stress_limit_mpa"] <= strengths.SUBSTRATE[anchor.substrate].mpa * (1 + 1e-6)
    assert limits["disp_limit_mm"] <= 0.1 * start["beam_length_mm"] * (1 + 1e-6)
    # The piezo layer of the start at the stress limit.
    piezo = piezo_stress_mpa(tuned, start) * limits["stress_limit_mpa"] / own["tip_stress_mpa"]
    assert piezo <= strengths.PIEZO[anchor.piezo].mpa * (1 + 1e-5)
    assert limits["power_target_uw"] == pytest.approx(0.6 * own["load_power_uw"], rel=1e-5)
    assert problem_of_brief(spec).least_slack(start) > 0.04
