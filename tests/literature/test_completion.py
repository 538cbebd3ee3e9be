"""Completed values must be what the oracle itself would give back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from literature.tools.complete_beam import equal_unimorph_um, laminate_stiffness, thickness_for, tip_mass_for
from literature.tools.similarity import LENGTHS, project
from vehbench_builder.veh.beam import beam, optimum_load_ohm, resonance_hz
from vehbench_hf.types import Design
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, respond
from vehbench_oracle.veh import materials

PIEZO = st.sampled_from(sorted(materials.PIEZO))
SUBSTRATE = st.sampled_from(sorted(materials.SUBSTRATE))


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))


def designs(factor: float = 1.0) -> st.SearchStrategy[Design]:
    """Designs of the declared domain, or up to `factor` times beyond its ends; a tip mass may be absent."""
    ends = {name: (max(low, 1e-3) / factor, high * factor) for name, (low, high) in DECLARED_DOMAIN.items()}
    ranges = {name: log_uniform(*pair) for name, pair in ends.items()}
    ranges["tip_mass_g"] = st.one_of(st.just(0.0), ranges["tip_mass_g"])
    return st.fixed_dictionaries(ranges)


@given(designs(), PIEZO, SUBSTRATE)
def test_a_completed_tip_mass_reproduces_the_frequency(design: Design, piezo: str, substrate: str) -> None:
    found = tip_mass_for(design, resonance_hz(design, piezo, substrate), piezo, substrate)
    total = 1e3 * beam(design, piezo, substrate)["effective_mass_kg"]
    assert found == pytest.approx(design["tip_mass_g"], abs=1e-9 * total)


@given(designs(), PIEZO, SUBSTRATE, st.sampled_from(["substrate_thickness_um", "piezo_thickness_um"]))
def test_a_solved_thickness_reproduces_the_frequency(design: Design, piezo: str, substrate: str, name: str) -> None:
    wanted = resonance_hz(design, piezo, substrate)
    found = thickness_for(design, name, wanted, piezo, substrate)
    if found is not None:
        assert resonance_hz({**design, name: found}, piezo, substrate) == pytest.approx(wanted, rel=1e-9)


def test_a_frequency_that_no_thickness_gives_has_no_thickness() -> None:
    design = {name: DECLARED_DOMAIN[name][1] for name in VARIABLES}
    assert thickness_for(design, "piezo_thickness_um", 1e9, "PZT-5A", "brass") is None


@given(designs(), PIEZO, SUBSTRATE, st.floats(0.02, 50.0).filter(lambda x: abs(x - 1) > 0.01))
def test_no_other_load_draws_more_power_than_the_optimum(
    design: Design, piezo: str, substrate: str, factor: float
) -> None:
    best = optimum_load_ohm(design, piezo, substrate)
    response = respond(
        {**design, "load_resistance_ohm": [best, factor * best]},
        frequency_hz=resonance_hz(design, piezo, substrate),
        acceleration_g=1.0,
        piezo=piezo,
        substrate=substrate,
    )
    assert response.load_power_uw[0] > response.load_power_uw[1]


@given(designs(), PIEZO, SUBSTRATE)
def test_the_laminate_of_two_layers_is_the_oracles(design: Design, piezo: str, substrate: str) -> None:
    layers = [
        (materials.substrate(substrate).youngs_modulus, 1e-6 * design["substrate_thickness_um"]),
        (materials.piezo(piezo).youngs_modulus, 1e-6 * design["piezo_thickness_um"]),
    ]
    width = 1e-3 * design["beam_width_mm"]
    expected = beam(design, piezo, substrate)["bending_stiffness_n_m2"]
    assert width * laminate_stiffness(layers) == pytest.approx(expected, rel=1e-12)


@given(designs(), PIEZO, SUBSTRATE, st.floats(0.2, 1.0))
def test_the_unimorph_is_as_stiff_as_its_bimorph(design: Design, piezo: str, substrate: str, share: float) -> None:
    e_p, e_s = materials.piezo(piezo).youngs_modulus, materials.substrate(substrate).youngs_modulus
    h_s, h_p = design["substrate_thickness_um"], design["piezo_thickness_um"]
    found = equal_unimorph_um(h_p, h_s, share * h_p, piezo=piezo, substrate=substrate)
    bimorph = laminate_stiffness([(e_p, 1e-6 * h_p), (e_s, 1e-6 * h_s), (e_p, 1e-6 * share * h_p)])
    unimorph = beam({**design, "piezo_thickness_um": found}, piezo, substrate)["bending_stiffness_n_m2"]
    assert unimorph / (1e-3 * design["beam_width_mm"]) == pytest.approx(bimorph, rel=1e-9)


@given(designs(factor=30.0))
def test_a_projected_design_stays_in_the_domain(design: Design) -> None:
    projected = project(design).design
    assert all(low <= projected[name] <= high for name, (low, high) in DECLARED_DOMAIN.items())


@given(designs())
def test_a_design_of_the_domain_is_not_moved(design: Design) -> None:
    kappa, same, outside, clipped = project(design)
    assert (kappa, same, outside, clipped) == (1.0, design, (), ())


@given(designs(factor=30.0), PIEZO, SUBSTRATE)
def test_scaling_changes_the_size_alone(design: Design, piezo: str, substrate: str) -> None:
    kappa, projected, _, clipped = project(design)
    if set(clipped) <= {"load_resistance_ohm"}:
        before, after = resonance_hz(design, piezo, substrate), resonance_hz(projected, piezo, substrate)
        assert after * kappa == pytest.approx(before, rel=1e-8)
        optimum = optimum_load_ohm(design, piezo, substrate)
        assert optimum_load_ohm(projected, piezo, substrate) == pytest.approx(optimum, rel=1e-8)


@given(designs(factor=30.0))
def test_no_kappa_nearer_to_one_would_do(design: Design) -> None:
    kappa = project(design).kappa
    if kappa != 1:
        nearer = kappa + 1e-6 * (1 - kappa)
        factors = dict.fromkeys(LENGTHS, nearer) | {"tip_mass_g": nearer**3}
        assert any(
            not DECLARED_DOMAIN[name][0] <= design[name] * factor <= DECLARED_DOMAIN[name][1]
            for name, factor in factors.items()
        )


def test_a_mass_too_heavy_at_every_scale_is_clipped_where_the_lengths_leave_the_domain() -> None:
    design = {
        "beam_length_mm": 3.0,
        "beam_width_mm": 5.0,
        "substrate_thickness_um": 5.0,
        "piezo_thickness_um": 3.0,
        "tip_mass_g": 0.0383,
        "load_resistance_ohm": 330e3,
    }
    kappa, projected, outside, clipped = project(design)
    assert kappa == 10
    assert outside == ("beam_length_mm", "substrate_thickness_um", "piezo_thickness_um")
    assert clipped == ("tip_mass_g",)
    assert projected["tip_mass_g"] == 20
