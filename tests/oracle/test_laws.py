"""Laws that follow from the equations: they hold for every design, not only for remembered ones."""

import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_oracle import DECLARED_DOMAIN, Response, respond
from vehbench_oracle.veh.cantilever import BLOCK, GRAVITY_M_S2
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE

Design = dict[str, float]

designs = st.fixed_dictionaries({name: st.floats(low, high) for name, (low, high) in DECLARED_DOMAIN.items()})
frequencies = st.floats(2.0, 2000.0)
accelerations = st.floats(0.01, 3.0)
scales = st.floats(0.2, 5.0)
piezos = st.sampled_from(sorted(PIEZO))
substrates = st.sampled_from(sorted(SUBSTRATE))

FIELDS = [field.name for field in fields(Response)]


def scaled(design: Design, **factors: float) -> Design:
    return {name: value * factors.get(name, 1.0) for name, value in design.items()}


def close(value: object, expected: float) -> bool:
    return bool(value == pytest.approx(expected, rel=1e-9))


@given(designs, frequencies, scales, piezos, substrates)
def test_a_similar_beam_resonates_in_inverse_proportion_to_its_size(
    design: Design, f_e: float, k: float, piezo: str, substrate: str
) -> None:
    similar = scaled(
        design,
        beam_length_mm=k,
        beam_width_mm=k,
        substrate_thickness_um=k,
        piezo_thickness_um=k,
        tip_mass_g=k**3,
    )
    setting = {"frequency_hz": f_e, "acceleration_g": 0.5, "piezo": piezo, "substrate": substrate}
    first, second = respond(design, **setting), respond(similar, **setting)
    assert close(second.resonant_freq_hz, float(first.resonant_freq_hz) / k)


@given(designs, frequencies, accelerations, scales)
def test_power_is_quadratic_and_amplitudes_are_linear_in_the_acceleration(
    design: Design, f_e: float, a_g: float, k: float
) -> None:
    first = respond(design, frequency_hz=f_e, acceleration_g=a_g)
    second = respond(design, frequency_hz=f_e, acceleration_g=k * a_g)
    assert close(second.load_power_uw, k * k * float(first.load_power_uw))
    assert close(second.tip_disp_mm, k * float(first.tip_disp_mm))
    assert close(second.tip_stress_mpa, k * float(first.tip_stress_mpa))
    assert second.resonant_freq_hz == first.resonant_freq_hz


@given(designs, frequencies, scales, piezos)
def test_a_wider_beam_is_beams_side_by_side(design: Design, f_e: float, k: float, piezo: str) -> None:
    wider = scaled(design, beam_width_mm=k, tip_mass_g=k, load_resistance_ohm=1 / k)
    first = respond(design, frequency_hz=f_e, acceleration_g=0.5, piezo=piezo)
    second = respond(wider, frequency_hz=f_e, acceleration_g=0.5, piezo=piezo)
    for name in ("resonant_freq_hz", "tip_disp_mm", "tip_stress_mpa"):
        assert close(getattr(second, name), float(getattr(first, name))), name
    assert close(second.load_power_uw, k * float(first.load_power_uw))


@given(designs, frequencies, st.floats(-12, 12), piezos, substrates)
def test_power_vanishes_towards_a_short_and_towards_an_open_circuit(
    design: Design, f_e: float, decade: float, piezo: str, substrate: str
) -> None:
    load = 10.0**decade
    r = respond(
        {**design, "load_resistance_ohm": load},
        frequency_hz=f_e,
        acceleration_g=0.5,
        piezo=piezo,
        substrate=substrate,
    )
    w, w_r = 2 * math.pi * f_e, 2 * math.pi * float(r.resonant_freq_hz)
    highest_tip = 0.5 * GRAVITY_M_S2 / (2 * 0.01 * w_r * w)  # from |D| >= 2 zeta m w_r w
    charge = abs(float(r.coupling_n_per_v)) * highest_tip
    towards_short = 1e6 * (charge * w) ** 2 * load / 2
    towards_open = 1e6 * (charge / float(r.capacitance_f)) ** 2 / (2 * load)
    assert 0 < r.load_power_uw <= min(towards_short, towards_open) * (1 + 1e-9)


@given(designs, frequencies, accelerations, st.floats(0.002, 0.1), piezos, substrates)
def test_no_load_and_no_frequency_yield_more_than_the_matched_power(
    design: Design, f_e: float, a_g: float, zeta: float, piezo: str, substrate: str
) -> None:
    r = respond(design, frequency_hz=f_e, acceleration_g=a_g, piezo=piezo, substrate=substrate, damping_ratio=zeta)
    w_r = 2 * math.pi * float(r.resonant_freq_hz)
    bound = 1e6 * float(r.effective_mass_kg) * (GRAVITY_M_S2 * a_g) ** 2 / (16 * zeta * w_r)
    assert r.load_power_uw <= bound * (1 + 1e-9)


@given(st.lists(designs, min_size=2, max_size=40), frequencies, piezos, substrates, st.randoms())
def test_a_batch_gives_the_same_bits_as_its_designs_alone_in_any_order(
    rows: list[Design], f_e: float, piezo: str, substrate: str, random: object
) -> None:
    setting = {"frequency_hz": f_e, "acceleration_g": 0.5, "piezo": piezo, "substrate": substrate}
    order = list(range(len(rows)))
    random.shuffle(order)
    batch = respond({name: [rows[i][name] for i in order] for name in DECLARED_DOMAIN}, **setting)
    for place, i in enumerate(order):
        alone = respond(rows[i], **setting)
        assert batch.at(place) == {name: float(getattr(alone, name)) for name in FIELDS}


def test_a_large_batch_keeps_its_designs_apart_where_blocks_meet() -> None:
    n = 2 * BLOCK + 3
    rng = np.random.default_rng(5)
    columns = {name: rng.uniform(low, high, n) for name, (low, high) in DECLARED_DOMAIN.items()}
    frequency = rng.uniform(10, 200, n)
    batch = respond(columns, frequency_hz=frequency, acceleration_g=0.5)
    for i in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, n - 1):
        one = {name: values[i] for name, values in columns.items()}
        alone = respond(one, frequency_hz=frequency[i], acceleration_g=0.5)
        assert batch.at(i) == {name: float(getattr(alone, name)) for name in FIELDS}


@pytest.mark.parametrize("points", [7, BLOCK + 1])
def test_one_design_at_many_frequencies_has_every_field_at_every_frequency(points: int) -> None:
    design = {name: (low + high) / 2 for name, (low, high) in DECLARED_DOMAIN.items()}
    sweep = respond(design, frequency_hz=np.linspace(10, 500, points), acceleration_g=0.5)
    assert {getattr(sweep, name).shape for name in FIELDS} == {(points,)}
    assert sweep.at(points - 1)["effective_mass_kg"] == sweep.at(0)["effective_mass_kg"]


def test_a_grid_of_two_variables_keeps_its_shape() -> None:
    design = {name: (low + high) / 2 for name, (low, high) in DECLARED_DOMAIN.items()}
    lengths, loads = np.linspace(20, 60, 60)[:, None], np.geomspace(1e3, 1e6, 50)[None, :]
    grid = {**design, "beam_length_mm": lengths, "load_resistance_ohm": loads}
    response = respond(grid, frequency_hz=50.0, acceleration_g=0.5)
    assert {getattr(response, name).shape for name in FIELDS} == {(60, 50)}
    one = {**design, "beam_length_mm": lengths[41, 0], "load_resistance_ohm": loads[0, 17]}
    alone = respond(one, frequency_hz=50.0, acceleration_g=0.5)
    assert response.load_power_uw[41, 17] == alone.load_power_uw
