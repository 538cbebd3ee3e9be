"""Limits follow from the design they were taken from, and a device survives the brief."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import judge_for
from vehbench_builder.veh import strengths
from vehbench_builder.veh.anchors import AnchorDesign, load_anchors
from vehbench_builder.veh.limits import Factors, credible_acceleration_g, limited, piezo_stress_mpa
from vehbench_builder.veh.numbers import known, rounded_design
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Spec
from vehbench_oracle.veh.domain import problem_of_brief

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
