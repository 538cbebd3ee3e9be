"""A device as built and an excitation that drifts: nominal changes no bit, bounds and optimum hold for the worst."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vehbench_oracle import (
    DECLARED_DOMAIN,
    VARIABLES,
    CertificateError,
    InvalidValueError,
    VehProblem,
    certify,
    find_optimum,
    proven_margin,
    respond,
    verify_certificate,
)
from vehbench_oracle.veh.conditions import Condition
from vehbench_oracle.veh.plant import NOMINAL, Plant
from vehbench_oracle.veh.proof.box_bounds import enclose_under
from vehbench_oracle.veh.proof.certificate import EMPTY, LEAVES
from vehbench_oracle.veh.proof.features import facts_of, facts_under, root_box
from vehbench_oracle.veh.proof.interval_model import RangeModel
from vehbench_oracle.veh.quantities import LIMITS, UPPER_LIMITS

seeds = st.integers(0, 10**9)
factors = st.floats(0.5, 1.5)
plants = st.builds(Plant, factors, factors, factors, st.none() | st.floats(0.003, 0.05))
drifts = st.lists(st.tuples(st.floats(0.9, 1.1), st.floats(0.5, 1.5)), max_size=2)

PROBLEM = VehProblem(
    bounds={
        "beam_length_mm": {"min": 45.0, "max": 55.0},
        "beam_width_mm": {"min": 9.0, "max": 11.0},
        "substrate_thickness_um": {"min": 250.0, "max": 350.0},
        "piezo_thickness_um": {"min": 180.0, "max": 250.0},
        "tip_mass_g": {"min": 0.5, "max": 2.0},
        "load_resistance_ohm": {"min": 3e4, "max": 1.5e5},
    },
    constraints={"stress_limit_mpa": 30.0, "disp_limit_mm": 1.0, "freq_error_pct_limit": 10.0, "power_target_uw": 1e-6},
    frequency_hz=70.0,
    acceleration_g=0.5,
)
BUILT = Plant(stiffness=0.85, coupling=0.8, permittivity=1.1, damping_ratio=0.015)
DRIFT = (Condition(70.0 * 0.97, 0.5), Condition(70.0 * 1.03, 0.6))
VARIANTS = {
    "as_built": dataclasses.replace(PROBLEM, plant=BUILT),
    "drift": dataclasses.replace(PROBLEM, conditions=DRIFT),
    "both": dataclasses.replace(PROBLEM, plant=BUILT, conditions=DRIFT),
}


def drifting(problem: VehProblem, drift: list[tuple[float, float]]) -> VehProblem:
    assert problem.frequency_hz is not None
    assert problem.acceleration_g is not None
    first = problem.frequency_hz, problem.acceleration_g
    conditions = tuple(Condition(first[0] * frequency, first[1] * level) for frequency, level in drift)
    return dataclasses.replace(problem, conditions=conditions)


def designs_of(problem: VehProblem, seed: int, count: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)
    return {name: draw.uniform(*problem.range_of(name), count) for name in VARIABLES}


def alone(problem: VehProblem) -> list[VehProblem]:
    """The problem under each of its excitations alone."""
    return [dataclasses.replace(problem, **c._asdict(), conditions=()) for c in problem.excitations]


@given(seeds)
def test_a_nominal_plant_and_one_excitation_change_no_bit(make_problem: Any, seed: int) -> None:
    problem = make_problem(seed)
    designs = designs_of(problem, seed, 50)
    plain = respond(
        designs,
        frequency_hz=problem.frequency_hz,
        acceleration_g=problem.acceleration_g,
        piezo=problem.piezo,
        substrate=problem.substrate,
        damping_ratio=problem.damping_ratio,
    )
    same = dataclasses.replace(problem, plant=Plant(1.0, 1.0, 1.0, None), conditions=())
    repeated = dataclasses.replace(problem, conditions=problem.excitations * 2)
    for other in (same, repeated):
        for name, values in vars(other.respond(designs)).items():
            assert np.array_equal(values, getattr(plain, name))
    assert problem.plant == NOMINAL
    assert facts_under(problem) == (facts_of(problem),)


@given(seeds, plants)
def test_each_factor_scales_what_it_names_and_nothing_else(make_problem: Any, seed: int, plant: Plant) -> None:
    problem = make_problem(seed)
    designs = designs_of(problem, seed, 20)
    nominal, built = problem.respond(designs), dataclasses.replace(problem, plant=plant).respond(designs)
    expected = {
        "bending_stiffness_n_m2": plant.stiffness,
        "resonant_freq_hz": plant.stiffness**0.5,
        "coupling_n_per_v": plant.coupling,
        "capacitance_f": plant.permittivity,
        "effective_mass_kg": 1.0,
    }
    for name, factor in expected.items():
        assert getattr(built, name) == pytest.approx(factor * getattr(nominal, name), rel=1e-9)
    damped = dataclasses.replace(problem, damping_ratio=plant.damping(problem.damping_ratio))
    only_damping = dataclasses.replace(problem, plant=Plant(damping_ratio=plant.damping_ratio))
    assert np.array_equal(damped.respond(designs).load_power_uw, only_damping.respond(designs).load_power_uw)


@given(seeds, plants, drifts)
def test_limits_hold_under_all_excitations_and_the_power_is_the_least(
    make_problem: Any, seed: int, plant: Plant, drift: list[tuple[float, float]]
) -> None:
    problem = drifting(dataclasses.replace(make_problem(seed), plant=plant), drift)
    design = {name: float(values[0]) for name, values in designs_of(problem, seed, 1).items()}
    verdict, single = problem.judge(design), [one.judge(design) for one in alone(problem)]
    assert len(single) == 1 + len(drift)
    assert verdict.feasible == all(one.feasible for one in single)
    assert verdict.objective == min(one.objective for one in single)
    for name in LIMITS:
        assert verdict.slack[name] == min(one.slack[name] for one in single)
    assert len(problem.margins(verdict.metrics)) == 4 + 2 * len(drift)


def test_the_message_names_the_excitation_that_is_farthest_from_the_resonance() -> None:
    wide = {name: {"min": low, "max": high} for name, (low, high) in DECLARED_DOMAIN.items()}
    problem = dataclasses.replace(VARIANTS["drift"], bounds=wide, constraints={"freq_error_pct_limit": 1e-3})
    design = {name: sum(PROBLEM.range_of(name)) / 2 for name in VARIABLES}
    resonance = problem.judge(design).metrics["resonant_freq_hz"]
    farthest = max((c.frequency_hz for c in problem.excitations), key=lambda hz: abs(resonance - hz) / hz)
    assert f"the excitation at {farthest:.4g} Hz" in problem.judge(design).message


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"conditions": DRIFT * 2}, "conditions"),
        ({"conditions": (Condition(0.0, 1.0),)}, "frequency_hz"),
        ({"conditions": (Condition(50.0, float("nan")),)}, "acceleration_g"),
        ({"plant": Plant(stiffness=0.0)}, "stiffness"),
        ({"plant": Plant(coupling=float("inf"))}, "coupling"),
        ({"plant": Plant(permittivity=-1.0)}, "permittivity"),
        ({"plant": Plant(damping_ratio=0.0)}, "damping_ratio"),
    ],
)
def test_impossible_factors_and_excitations_are_refused(changes: dict[str, Any], name: str) -> None:
    problem = dataclasses.replace(PROBLEM, **changes)
    for asked in (problem.require_complete, lambda: certify(problem, 1.0)):
        with pytest.raises(InvalidValueError) as refusal:
            asked()
        assert refusal.value.name == name


@settings(max_examples=100, deadline=None)
@given(seeds, plants, drifts)
def test_no_design_exceeds_a_bound_of_its_sub_box_or_leaves_the_root(
    make_problem: Any, seed: int, plant: Plant, drift: list[tuple[float, float]]
) -> None:
    problem = drifting(dataclasses.replace(make_problem(seed), plant=plant), drift)
    draw, designs = np.random.default_rng(seed), designs_of(problem, seed, 400)
    response = problem.respond(designs)
    features = np.array(
        [
            1e-3 * designs["beam_length_mm"],
            1e-6 * designs["substrate_thickness_um"],
            1e-6 * designs["piezo_thickness_um"],
            response.resonant_freq_hz / problem.frequency_hz,
            2 * np.pi * problem.frequency_hz * designs["load_resistance_ohm"] * response.capacitance_f,
        ]
    )
    in_band = response.freq_error_pct <= problem.limit("freq_error_pct_limit")
    met = np.all([getattr(response, LIMITS[n].metric) <= problem.limit(n) for n in UPPER_LIMITS], axis=0)
    for root in (root_box(facts_of(problem)), RangeModel(problem).root()):
        assert np.all(features[:, in_band] >= np.array(root[0])[:, np.newaxis])
        assert np.all(features[:, in_band] <= np.array(root[1])[:, np.newaxis])
    low, high = (end[:, np.newaxis] for end in root_box(facts_of(problem)))
    down, up = (draw.choice([0.0, 1e-9, 1e-3, 0.1, 1.0], features.shape) for _ in range(2))
    low, high = np.maximum(low, features / (1 + down)), np.minimum(high, features * (1 + up))
    known = enclose_under(facts_under(problem), low, high)
    assert not np.any(known.gap[in_band] > 0)
    assert not np.any(known.amplitude[met] > 1)
    assert not np.any(known.mechanical[met] * 1e6 < response.load_power_uw[met])
    assert not np.any(known.electrical[met] * 1e6 < response.load_power_uw[met])
    excluded = RangeModel(problem).excluded(low, high, 1e-6 * response.load_power_uw)
    assert not any(np.any(excluded[letter][met]) for letter in LEAVES)
    assert not np.any(excluded[EMPTY][in_band])


@pytest.mark.parametrize("name", VARIANTS)
def test_the_optimum_under_all_excitations_is_proven_and_not_beaten(name: str) -> None:
    problem = VARIANTS[name]
    optimum = find_optimum(problem)
    assert optimum is not None
    verdict = problem.judge(optimum.design)
    assert verdict.objective == optimum.power_uw
    assert verdict.feasible
    response = problem.respond(designs_of(problem, 7, 50_000))
    met = np.all([getattr(response, LIMITS[n].metric) <= problem.limit(n) for n in UPPER_LIMITS], axis=0)
    assert 0.5 * optimum.power_uw < response.load_power_uw[met].max() <= optimum.power_uw * (1 + 1e-6)
    margin = proven_margin(problem, optimum.power_uw)
    assert margin is not None
    assert margin.share <= 0.05
    verify_certificate(problem, margin.certificate.target_uw, margin.certificate.text)
    assert certify(problem, 0.999 * optimum.power_uw, max_boxes=4000) is None


def test_a_proof_holds_for_its_own_excitations_and_plant_only() -> None:
    drifting_best = find_optimum(VARIANTS["drift"])
    plain_best = find_optimum(PROBLEM)
    assert drifting_best is not None
    assert plain_best is not None
    assert drifting_best.power_uw < 0.9 * plain_best.power_uw
    margin = proven_margin(VARIANTS["drift"], drifting_best.power_uw)
    assert margin is not None
    for other in (PROBLEM, *alone(VARIANTS["drift"])):
        best = find_optimum(other)
        if best is None or best.power_uw <= margin.certificate.target_uw:
            continue

        with pytest.raises(CertificateError):
            verify_certificate(other, margin.certificate.target_uw, margin.certificate)
