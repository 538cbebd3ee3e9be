"""Limits follow from the design they were taken from, a device survives the brief, and references are proven."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import judge_for
from vehbench_builder.build_spec import BuildError
from vehbench_builder.seeds import rng
from vehbench_builder.veh import certified as module
from vehbench_builder.veh import strengths
from vehbench_builder.veh.anchors import AnchorDesign, load_anchors
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.certified import certified, strongest
from vehbench_builder.veh.limits import Factors, credible_acceleration_g, limited, piezo_stress_mpa
from vehbench_builder.veh.numbers import known, rounded_design
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Spec
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, respond
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE

ANCHORS = st.sampled_from(load_anchors())
FACTORS = st.builds(
    Factors,
    amplitude=st.floats(1.02, 1.6),
    power=st.floats(0.2, 0.95),
    freq_floor=st.floats(1, 5),
    freq=st.floats(1.01, 1.3),
)
DETUNINGS = st.floats(0.9, 1.1)


def shaken(anchor: AnchorDesign, detuning: float, acceleration_g: float) -> Spec:
    spec = empty_spec()
    spec["materials"] = {"piezo": anchor.piezo, "substrate": anchor.substrate, "damping_ratio": 0.01}
    spec["excitation"]["frequency_hz"] = detuning * anchor.resonance_hz
    spec["excitation"]["acceleration_g"] = acceleration_g
    return spec


@given(ANCHORS, FACTORS, DETUNINGS, st.floats(1e-3, 3))
def test_a_design_meets_the_limits_taken_from_it(
    anchor: AnchorDesign, factors: Factors, detuning: float, acceleration_g: float
) -> None:
    design = rounded_design(anchor.design)
    spec = limited(shaken(anchor, detuning, acceleration_g), design, factors)
    verdict = judge_for(spec, design)
    assert verdict.feasible
    limits, metrics = spec["constraints"], verdict.metrics
    assert limits["stress_limit_mpa"] == pytest.approx(factors.amplitude * metrics["tip_stress_mpa"], rel=1e-5)
    assert limits["disp_limit_mm"] == pytest.approx(factors.amplitude * metrics["tip_disp_mm"], rel=1e-5)
    assert limits["power_target_uw"] == pytest.approx(factors.power * metrics["load_power_uw"], rel=1e-5)
    error = max(factors.freq_floor, factors.freq * metrics["freq_error_pct"])
    assert limits["freq_error_pct_limit"] == pytest.approx(error, rel=1e-5)


@given(ANCHORS, FACTORS, DETUNINGS, st.floats(1e-3, 3))
def test_no_limit_shows_more_digits_than_the_others(
    anchor: AnchorDesign, factors: Factors, detuning: float, acceleration_g: float
) -> None:
    spec = limited(shaken(anchor, detuning, acceleration_g), rounded_design(anchor.design), factors)
    assert all(limit == float(f"{known(limit):.6g}") for limit in spec["constraints"].values())


@given(ANCHORS, ANCHORS, st.booleans(), FACTORS, DETUNINGS, st.floats(1e-3, 30))
def test_no_brief_asks_for_what_no_device_bears(
    anchor: AnchorDesign, other: AnchorDesign, swing: bool, factors: Factors, detuning: float, acceleration_g: float
) -> None:
    """With any reference, here another anchor made of the same layers: limits, piezo stress, deflection and power."""
    design, reference = rounded_design(anchor.design), rounded_design(other.design)
    spec = shaken(anchor, detuning, acceleration_g)
    if swing:  # the reference at its resonance, so that its amplitudes are the larger ones
        spec["excitation"]["frequency_hz"] = float(problem_of_brief(spec).respond(reference).resonant_freq_hz)
    chosen = credible_acceleration_g(spec, design, factors, reference)
    spec["excitation"]["acceleration_g"] = chosen
    limits = limited(spec, design, factors)["constraints"]
    strongest_piezo = strengths.PIEZO[anchor.piezo].mpa
    best = problem_of_brief(spec).respond(reference).at(0)
    shares = [
        known(limits["stress_limit_mpa"]) / strengths.SUBSTRATE[anchor.substrate].mpa,
        known(limits["disp_limit_mm"]) / (0.1 * design["beam_length_mm"]),
        factors.amplitude * piezo_stress_mpa(spec, design) / strongest_piezo,
        piezo_stress_mpa(spec, reference) / strongest_piezo,
        best["tip_disp_mm"] / (0.1 * reference["beam_length_mm"]),
        (best["load_power_uw"] / 1e4) ** 0.5,
    ]
    assert max(shares) <= 1
    too_weak = best["load_power_uw"] < 0.1 or known(limits["power_target_uw"]) < 0.01
    if too_weak or chosen < acceleration_g * (1 - 1e-5):
        assert max(shares) > 0.999, "the acceleration is lower than the limits ask for"
    if chosen > acceleration_g * (1 + 1e-5):
        enough = min(best["load_power_uw"] / 0.1, known(limits["power_target_uw"]) / 0.01)
        assert max(shares) > 0.999 or enough == pytest.approx(1, rel=1e-3), "raised beyond need"


def test_every_material_has_a_strength() -> None:
    assert strengths.SUBSTRATE.keys() == SUBSTRATE.keys()
    assert strengths.PIEZO.keys() == PIEZO.keys()


def test_every_strength_has_a_stated_origin() -> None:
    for name, strength in {**strengths.SUBSTRATE, **strengths.PIEZO}.items():
        assert 5 < strength.mpa < 500, name
        assert len(strength.basis) > 40, name


@given(
    st.fixed_dictionaries({name: st.floats(*DECLARED_DOMAIN[name]) for name in VARIABLES}),
    st.sampled_from(sorted(PIEZO)),
    st.sampled_from(sorted(SUBSTRATE)),
)
def test_the_piezo_stress_is_that_of_its_outer_face(design: dict[str, float], piezo: str, substrate: str) -> None:
    """Against the section of (A-3), (A-4) integrated anew: E_p times the curvature times the distance to the axis."""
    response = respond(design, frequency_hz=60.0, acceleration_g=0.5, piezo=piezo, substrate=substrate).at(0)
    found = strengths.piezo_stress_mpa(
        design,
        tip_stress_mpa=response["tip_stress_mpa"],
        tip_disp_mm=response["tip_disp_mm"],
        piezo=piezo,
        substrate=substrate,
    )
    e_s, e_p = SUBSTRATE[substrate].youngs_modulus, PIEZO[piezo].youngs_modulus
    h_s, h_p = design["substrate_thickness_um"] * 1e-6, design["piezo_thickness_um"] * 1e-6
    axis = (e_s * h_s**2 + e_p * ((h_s + h_p) ** 2 - h_s**2)) / 2 / (e_s * h_s + e_p * h_p)
    curvature = 3 * response["tip_disp_mm"] * 1e-3 / (design["beam_length_mm"] * 1e-3) ** 2
    assert found == pytest.approx(e_p * curvature * (h_s + h_p - axis) * 1e-6, rel=1e-6)


@pytest.fixture(scope="module")
def brief() -> Spec:
    anchor = next(a for a in load_anchors() if a.key == "10_1063_1_3406253")
    design = rounded_design(anchor.design)
    spec = empty_spec()
    box = box_around(
        design, piezo=anchor.piezo, substrate=anchor.substrate, half_width=0.14, draw=rng("test_certified")
    )
    spec["variable_bounds"] = {**box}
    spec["materials"] = {"piezo": anchor.piezo, "substrate": anchor.substrate, "damping_ratio": 0.01}
    spec["excitation"] = {"frequency_hz": 1.015 * anchor.resonance_hz, "acceleration_g": 1.0, "stated": []}
    return limited(spec, design, Factors(amplitude=1.08, power=0.7, freq_floor=1.5, freq=1.05))


def test_a_reference_meets_all_limits_and_is_written_with_six_digits(brief: Spec) -> None:
    design = strongest(brief)
    assert design is not None
    verdict = judge_for(brief, design)
    assert verdict.feasible
    assert all(value == float(f"{value:.6g}") for value in design.values())
    found = certified(brief, design).reference
    assert found["power_uw"] == verdict.objective
    assert found["upper_bound_uw"] is not None
    assert found["power_uw"] is not None
    assert found["power_uw"] <= found["upper_bound_uw"] <= 1.05 * found["power_uw"] * (1 + 1e-9)


def test_no_tip_mass_of_next_to_nothing_is_asked_for(brief: Spec) -> None:
    design = strongest(brief)
    assert design is not None
    for name, box in brief["variable_bounds"].items():
        assert box is not None
        inside = min(design[name] - box["min"], box["max"] - design[name]) / (box["max"] - box["min"])
        assert inside == 0 or inside > 1e-6, name


def test_limits_that_nothing_meets_give_no_reference(brief: Spec) -> None:
    impossible: Spec = {**brief, "constraints": {**brief["constraints"], "disp_limit_mm": 1e-9}}
    assert strongest(impossible) is None


def test_a_weak_design_does_not_pass_for_the_reference(brief: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    design = strongest(brief)
    assert design is not None
    monkeypatch.setattr(module, "MAX_BOXES", (2_000, 2_000))
    weak = {**design, "load_resistance_ohm": 0.7 * design["load_resistance_ohm"]}
    assert judge_for(brief, weak).objective < 0.95 * judge_for(brief, design).objective  # type: ignore[operator]
    with pytest.raises(BuildError, match="no proof"):
        certified(brief, weak)


def test_a_brief_that_withholds_its_excitation_or_material_is_not_certified(brief: Spec) -> None:
    silent: Spec = {**brief, "excitation": {**brief["excitation"], "acceleration_g": None}}
    with pytest.raises(ValueError, match="acceleration_g is missing"):
        strongest(silent)
    unnamed: Spec = {**brief, "materials": {**brief["materials"], "piezo": None}}
    with pytest.raises(ValueError, match="withholds a material"):
        strongest(unnamed)
