"""No design may exceed a bound: one that does makes every certificate worthless."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cross_check import certificate_holds
from vehbench_oracle import VARIABLES, Certificate, VehProblem, certify
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE
from vehbench_oracle.veh.proof.box_bounds import enclose
from vehbench_oracle.veh.proof.certificate import EMPTY, LEAVES
from vehbench_oracle.veh.proof.features import (
    coupling,
    coupling_slope,
    facts_of,
    lever,
    neutral_axis,
    root_box,
    stiffness,
)
from vehbench_oracle.veh.proof.interval_model import RangeModel
from vehbench_oracle.veh.quantities import LIMITS, UPPER_LIMITS

seeds = st.integers(0, 10**9)
pairs = pytest.mark.parametrize(("piezo", "substrate"), [(p, s) for p in PIEZO for s in SUBSTRATE])

SAMPLES = 400


def sampled(problem: VehProblem, draw: np.random.Generator) -> dict[str, np.ndarray]:
    """Designs of the box: inside, on faces, in corners, and the strongest of many that meet the limits."""
    ranges = np.array([problem.range_of(name) for name in VARIABLES])
    low, high = ranges[:, :1], ranges[:, 1:]
    u = draw.random((len(VARIABLES), 8 * SAMPLES))
    on_face = draw.random(u.shape) < draw.choice([0.0, 0.5, 1.0], u.shape[1])
    u = np.where(on_face, np.round(u), u)
    designs = dict(zip(VARIABLES, np.clip(low + u * (high - low), low, high), strict=True))
    response = problem.respond(designs)
    met = np.all([getattr(response, LIMITS[n].metric) <= problem.limit(n) for n in UPPER_LIMITS], axis=0)
    order = np.lexsort((-response.load_power_uw, ~met))
    keep = np.concatenate([order[: SAMPLES // 2], draw.choice(u.shape[1], SAMPLES // 2)])
    return {name: values[keep] for name, values in designs.items()}


def features_of(problem: VehProblem, designs: dict[str, np.ndarray]) -> np.ndarray:
    """L, h_s, h_p, f_r / f_e and w R C_p as the oracle gives them."""
    response = problem.respond(designs)
    return np.array(
        [
            1e-3 * designs["beam_length_mm"],
            1e-6 * designs["substrate_thickness_um"],
            1e-6 * designs["piezo_thickness_um"],
            response.resonant_freq_hz / problem.frequency_hz,
            2 * np.pi * problem.frequency_hz * designs["load_resistance_ohm"] * response.capacitance_f,
        ]
    )


def around(features: np.ndarray, problem: VehProblem, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sub-boxes of the root box, narrow and wide, that hold the features; some of them have the features on a face."""
    low, high = (end[:, np.newaxis] for end in root_box(facts_of(problem)))
    down, up = (draw.choice([0.0, 1e-9, 1e-3, 0.1, 1.0], features.shape) for _ in range(2))
    return np.maximum(low, features / (1 + down)), np.minimum(high, features * (1 + up))


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_no_design_exceeds_a_bound_of_its_sub_box(make_problem, seed: int) -> None:
    problem, draw = make_problem(seed), np.random.default_rng(seed)
    designs = sampled(problem, draw)
    response, features = problem.respond(designs), features_of(problem, designs)
    low, high = around(features, problem, draw)
    in_band = response.freq_error_pct <= problem.limit("freq_error_pct_limit")
    in_stress = response.tip_stress_mpa <= problem.limit("stress_limit_mpa")
    met = in_band & in_stress & (response.tip_disp_mm <= problem.limit("disp_limit_mm"))
    known = enclose(facts_of(problem), low, high)
    assert not np.any(known.gap[in_band] > 0)
    assert not np.any(known.amplitude[met] > 1)
    assert not np.any(known.mechanical[met] * 1e6 < response.load_power_uw[met])
    assert not np.any(known.electrical[met] * 1e6 < response.load_power_uw[met])
    # The check of certificates has bounds of its own, which must hold as well.
    excluded = RangeModel(problem).excluded(low, high, 1e-6 * response.load_power_uw)
    assert not any(np.any(excluded[letter][met]) for letter in LEAVES)
    assert not np.any(excluded[EMPTY][in_band])


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_every_design_of_the_box_lies_within_the_root(make_problem, seed: int) -> None:
    problem = make_problem(seed)
    designs = sampled(problem, np.random.default_rng(seed))
    inside = problem.respond(designs).freq_error_pct <= problem.limit("freq_error_pct_limit")
    features = features_of(problem, designs)[:, inside]
    for low, high in (root_box(facts_of(problem)), RangeModel(problem).root()):
        assert np.all(features >= np.array(low)[:, np.newaxis])
        assert np.all(features <= np.array(high)[:, np.newaxis])


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_a_bound_is_near_the_power_where_only_one_design_is_left(make_problem, seed: int) -> None:
    problem = make_problem(seed)
    designs = {name: values[:1] for name, values in sampled(problem, np.random.default_rng(seed)).items()}
    response = problem.respond(designs)
    point = {name: {"min": float(values[0]), "max": float(values[0])} for name, values in designs.items()}
    limits = {name: float(getattr(response, LIMITS[name].metric)[0]) * (1 + 1e-7) for name in UPPER_LIMITS}
    alone = dataclasses.replace(problem, bounds=point, constraints=limits)
    low, high = (end[:, np.newaxis] for end in root_box(facts_of(alone)))
    known = enclose(facts_of(alone), low, high)
    power = float(response.load_power_uw[0])
    assert power <= 1e6 * float(known.mechanical[0]) <= power * (1 + 1e-4)
    assert power <= 1e6 * float(known.electrical[0]) <= power * (1 + 1e-4)


@pairs
def test_the_facts_on_which_the_bounds_rest_hold_for_every_material_pair(piezo: str, substrate: str) -> None:
    bounds = {name: {"min": 1.0, "max": 2.0} for name in VARIABLES}
    f = facts_of(VehProblem(bounds, {}, 100.0, 1.0, piezo=piezo, substrate=substrate))
    assert f.n < 1
    thin = np.geomspace(1e-6, 1e-2, 300)
    for grows in (stiffness(f, thin[:, np.newaxis], thin), lever(f, thin[:, np.newaxis], thin)):
        assert np.all(np.diff(grows, axis=0) > 0)
        assert np.all(np.diff(grows, axis=1) > 0)
    t = np.geomspace(1e-6, 1e6, 20_001)
    assert np.all(np.diff(neutral_axis(f, t)) > 0)
    has_peak(coupling(f, t), t, f.coupling_peak)
    has_peak(lever(f, np.ones_like(t), t) / neutral_axis(f, t), t, f.strain_peak)
    assert np.max(coupling(f, t)) <= coupling(f, np.array(f.coupling_peak)) * (1 + 1e-12)
    assert coupling_slope(f.n, f.coupling_peak * 0.99) > 0 > coupling_slope(f.n, f.coupling_peak * 1.01)
    model = RangeModel(VehProblem(bounds, {}, 100.0, 1.0, piezo=piezo, substrate=substrate))
    assert model.coupling_peak() == pytest.approx(f.coupling_peak, rel=1e-9)
    assert model.lever_peak() == pytest.approx(f.strain_peak, rel=1e-9, abs=1e-12)
    assert model.coupling(t) == pytest.approx(coupling(f, t), rel=1e-9)


def has_peak(values: np.ndarray, t: np.ndarray, peak: float) -> None:
    slack = 1e-12 * values[:-1]
    assert np.all(np.diff(values)[t[1:] <= peak] >= -slack[t[1:] <= peak])
    assert np.all(np.diff(values)[t[:-1] >= peak] <= slack[t[:-1] >= peak])


def test_an_overflowing_sub_box_is_not_excluded() -> None:
    bounds = {name: {"min": 1e-150, "max": 1e150} for name in VARIABLES}
    problem = VehProblem(bounds, {"freq_error_pct_limit": 1e9}, 100.0, 1.0)
    low, high = (end[:, np.newaxis] for end in root_box(facts_of(problem)))
    known = enclose(facts_of(problem), low, high)
    assert not known.gap[0] > 0
    assert not known.amplitude[0] > 1
    assert not known.mechanical[0] < math.inf or known.mechanical[0] > 1
    assert not known.electrical[0] < math.inf or known.electrical[0] > 1
    assert not any(excluded[0] for excluded in RangeModel(problem).excluded(low, high, 1.0).values())
    assert certify(problem, 1.0, max_boxes=200) is None
    assert not certificate_holds(problem, 1.0, Certificate(1.0, "z"))
