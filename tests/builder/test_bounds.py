"""The closed-form bounds hold for every design of a box, and are what the certificates say they are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.veh.closed_bounds import allowed_range_hz, power_bound_uw, resonance_range_hz
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Design, Spec
from vehbench_oracle import DECLARED_DOMAIN, Response, respond
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE

PLACES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))


@st.composite
def boxes_with_a_design(draw: st.DrawFn) -> tuple[Spec, Design]:
    """A box of any size in the declared domain, and a design in it, often in a corner."""
    spec, design = empty_spec(), {}
    for name, (lowest, highest) in DECLARED_DOMAIN.items():
        low, high = sorted((draw(st.floats(lowest, highest)), draw(st.floats(lowest, highest))))
        spec["variable_bounds"][name] = {"min": low, "max": high}
        design[name] = min(high, low + draw(PLACES) * (high - low))
    spec["materials"] = {
        "piezo": draw(st.sampled_from(sorted(PIEZO))),
        "substrate": draw(st.sampled_from(sorted(SUBSTRATE))),
        "damping_ratio": draw(st.floats(0.002, 0.1)),
    }
    return spec, design


def response(spec: Spec, design: Design, frequency_hz: float, acceleration_g: float) -> Response:
    materials = spec["materials"]
    return respond(
        design,
        frequency_hz=frequency_hz,
        acceleration_g=acceleration_g,
        piezo=materials["piezo"] or "",
        substrate=materials["substrate"] or "",
        damping_ratio=materials["damping_ratio"],
    )


@given(boxes_with_a_design())
def test_a_design_resonates_outside_the_range_of_its_box(case: tuple[Spec, Design]) -> None:
    spec, design = case
    low, high = resonance_range_hz(spec)
    assert low <= response(spec, design, 1.0, 1.0).resonant_freq_hz <= high


@given(boxes_with_a_design(), st.floats(0.5, 40), st.floats(-1, 1), st.floats(0.01, 3), st.floats(0.25, 4))
def test_a_design_yields_more_than_the_bound_of_its_box(
    case: tuple[Spec, Design], limit_pct: float, place: float, acceleration_g: float, match: float
) -> None:
    spec, design = case
    resonance = float(response(spec, design, 1.0, 1.0).resonant_freq_hz)
    frequency = resonance / (1 + 0.999 * place * limit_pct / 100)
    spec["excitation"] = {"frequency_hz": frequency, "acceleration_g": acceleration_g, "stated": []}
    spec["constraints"]["freq_error_pct_limit"] = limit_pct
    low, high = allowed_range_hz(spec)
    assert low <= resonance <= high
    bound = power_bound_uw(spec)
    assert response(spec, design, frequency, acceleration_g).load_power_uw <= bound
    # The bound is for any load, so also for one near the match, where it can come close.
    matched = match / (2 * math.pi * frequency * float(response(spec, design, 1.0, 1.0).capacitance_f))
    loaded = {**design, "load_resistance_ohm": matched}
    assert response(spec, loaded, frequency, acceleration_g).load_power_uw <= bound


def test_the_power_bound_is_far_from_what_strong_coupling_reaches(sample_bank: Bank) -> None:
    """A bound of the right shape but ten times too large would prove nothing; here it is nearly met."""
    (task,) = sample_bank.select(["p2"], ["test_id"])
    reference = task.gold["reference"]
    assert reference is not None
    assert reference["power_uw"] is not None
    assert 1 < power_bound_uw(task.spec) / reference["power_uw"] < 1.2


def corner_values(spec: Spec, thickness: str, mass: str, width: str) -> tuple[float, float]:
    """EI / b and m_eff / b in SI units from the tables alone, at ends ("min" or "max") of the bounds."""
    at = {name: box for name, box in spec["variable_bounds"].items() if box is not None}
    piezo = PIEZO[spec["materials"]["piezo"] or ""]
    substrate = SUBSTRATE[spec["materials"]["substrate"] or ""]
    e_s, e_p = substrate.youngs_modulus, piezo.youngs_modulus
    h_s, h_p = (at[f"{layer}_thickness_um"][thickness] * 1e-6 for layer in ("substrate", "piezo"))
    y = (e_s * h_s**2 / 2 + e_p * h_p * (h_s + h_p / 2)) / (e_s * h_s + e_p * h_p)
    bending = e_s * (y**3 - (y - h_s) ** 3) / 3 + e_p * ((h_s + h_p - y) ** 3 - (h_s - y) ** 3) / 3
    h_s, h_p = (at[f"{layer}_thickness_um"][mass] * 1e-6 for layer in ("substrate", "piezo"))
    area_mass = substrate.density * h_s + piezo.density * h_p
    moving = 0.2357 * area_mass * at["beam_length_mm"][mass] * 1e-3
    return bending, moving + at["tip_mass_g"][mass] / at["beam_width_mm"][width]


def resonance(bending: float, mass: float, length_mm: float) -> float:
    return math.sqrt(3 * bending / (mass * (length_mm * 1e-3) ** 3)) / (2 * math.pi)


def test_the_bounds_are_not_those_of_the_equations(sample_bank: Bank) -> None:
    """A second evaluation of the same corners, from the tables and with the section integrated directly."""
    for task in sample_bank.tasks:
        spec = task.spec
        length, width = spec["variable_bounds"]["beam_length_mm"], spec["variable_bounds"]["beam_width_mm"]
        assert length is not None
        assert width is not None
        lowest = resonance(*corner_values(spec, "min", "max", "min"), length["max"])
        highest = resonance(*corner_values(spec, "max", "min", "max"), length["min"])
        assert resonance_range_hz(spec) == pytest.approx((lowest, highest), rel=1e-8)
        if spec["excitation"]["frequency_hz"] is None:
            continue
        _, mass = corner_values(spec, "min", "max", "max")
        heaviest = mass * width["max"] * 1e-3
        a = 9.80665 * (spec["excitation"]["acceleration_g"] or 0.0)
        expected = 1e6 * heaviest * a**2 / (16 * 0.01 * 2 * math.pi * max(lowest, allowed_range_hz(spec).low))
        assert power_bound_uw(spec) == pytest.approx(expected, rel=1e-8)
