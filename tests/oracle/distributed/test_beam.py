"""The beam against an independent closed form, the balance of its power, and two published harvesters."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vehbench_oracle.veh.distributed import BeamResponse, Section, beam_response, bimorph, unimorph
from vehbench_oracle.veh.materials import Piezo, Substrate

EPS0 = 8.854187817e-12
STEEL, PZT = Substrate(200e9, 7900.0), Piezo(-171e-12, 1700.0, 61e9, 7750.0)
AMPLITUDES = ("voltage_v", "tip_m", "curvature_per_m", "load_w")


def closed_form(
    section: Section, length: float, mass: float, inertia: float, load: float, hz: float, loss: float
) -> NDArray[np.float64]:
    """Voltage, tip displacement, curvature at the clamp and power at 1 m/s2, by solving the boundary-value problem.

    No modes: the relative motion is a combination of cos, sin, cosh and sinh of one wave number and a constant.
    Damping is in the material, by a complex stiffness EI (1 + i loss).
    """
    ei, w = section.stiffness_n_m2 * (1 + 1j * loss), 2 * np.pi * hz
    k = (section.mass_per_m * w * w / ei) ** 0.25
    z = k * length
    c, s, ch, sh = np.cos(z), np.sin(z), np.cosh(z), np.sinh(z)
    theta, capacitance = section.moment_per_volt, section.capacitance_per_m * length
    still = 1 / (w * w)  # the particular solution, for a base acceleration of 1
    # Unknown: the four amplitudes and the voltage. Rows: clamp (2), shear and moment at the tip, current.
    slope = k * np.array([-s, c, sh, ch, 0])
    end = np.array([c, s, ch, sh, 0])
    matrix = np.array(
        [
            [1, 0, 1, 0, 0],
            [0, 1, 0, 1, 0],
            ei * k**3 * np.array([s, -c, sh, ch, 0]) + mass * w * w * end,
            ei * k**2 * np.array([-c, -s, ch, sh, 0]) - inertia * w * w * slope + np.array([0, 0, 0, 0, theta]),
            1j * w * theta * slope - np.array([0, 0, 0, 0, 1 / load + 1j * w * capacitance]),
        ]
    )
    right = np.array([-still, 0, 0, 0, 0])
    found = np.linalg.solve(matrix, right)
    tip = end @ found + still
    bend = k * k * (found[2] - found[0])
    return np.array([abs(found[4]), abs(tip), abs(bend), abs(found[4]) ** 2 / (2 * load)])


def random_beams(count: int, seed: int = 0) -> tuple[Section, dict[str, NDArray[np.float64]]]:
    draw = np.random.default_rng(seed)
    section = unimorph(
        PZT,
        STEEL,
        width_m=1e-3 * draw.uniform(1, 50, count),
        substrate_m=1e-6 * draw.uniform(50, 2000, count),
        piezo_m=1e-6 * draw.uniform(5, 500, count),
    )
    inputs = {
        "length_m": 1e-3 * draw.uniform(10, 200, count),
        "tip_mass_kg": 1e-3 * draw.uniform(0, 20, count) * draw.integers(0, 2, count),
        "load_ohm": 10 ** draw.uniform(2, 7, count),
    }
    return section, inputs


def respond_at(section: Section, inputs: dict[str, NDArray[np.float64]], ratio: float, **more: float) -> BeamResponse:
    """The response at `ratio` times the first resonance."""
    first = beam_response(section, **inputs, frequency_hz=1.0, acceleration_m_s2=1.0, **{**more, "count": 1})
    hz = ratio * first.short_circuit_hz
    return beam_response(section, **inputs, frequency_hz=hz, acceleration_m_s2=1.0, **{"count": 3, **more})


def one(section: Section, index: int) -> Section:
    return Section(
        *(
            float(np.broadcast_to(value, (index + 1,) if np.ndim(value) == 0 else np.shape(value))[index])
            for value in section
        )
    )


@pytest.mark.parametrize(
    ("ratio", "inertia"), [(0.3, 0.0), (0.97, 0.0), (1.1, 0.0), (3.0, 0.0), (0.9, 1e-7), (2.0, 1e-6)]
)
def test_without_damping_the_modes_add_up_to_the_closed_form(ratio: float, inertia: float) -> None:
    section, inputs = random_beams(40)
    beam = respond_at(section, inputs, ratio, damping_ratio=0.0, count=30, tip_inertia_kg_m2=inertia)
    for i in range(40):
        length, mass, load = (float(inputs[name][i]) for name in ("length_m", "tip_mass_kg", "load_ohm"))
        exact = closed_form(one(section, i), length, mass, inertia, load, ratio * float(beam.short_circuit_hz[i]), 0.0)
        assert [float(getattr(beam, name)[i]) for name in AMPLITUDES] == pytest.approx(exact, rel=2e-4)


def test_three_modes_with_damping_are_near_the_closed_form_with_a_lossy_material() -> None:
    section, inputs = random_beams(60, seed=1)
    beam = respond_at(section, inputs, 1.0, damping_ratio=0.01)
    errors = []
    for i in range(60):
        length, mass, load = (float(inputs[name][i]) for name in ("length_m", "tip_mass_kg", "load_ohm"))
        exact = closed_form(one(section, i), length, mass, 0.0, load, float(beam.short_circuit_hz[i]), 0.02)
        errors.append(np.abs(np.array([float(getattr(beam, name)[i]) for name in AMPLITUDES]) / exact - 1))
    assert np.max(errors) < 0.03
    assert np.median(errors) < 0.003


@pytest.mark.parametrize("inertia", [0.0, 1e-6])
@pytest.mark.parametrize("count", [1, 3, 8])
def test_the_power_that_the_base_gives_is_damped_or_in_the_load(count: int, inertia: float) -> None:
    section, inputs = random_beams(400, seed=2)
    for ratio in (0.5, 0.99, 1.02, 6.0):
        beam = respond_at(section, inputs, ratio, count=count, tip_inertia_kg_m2=inertia)
        scale = np.abs(beam.damping_w) + beam.load_w
        assert np.max(np.abs(beam.input_w - beam.damping_w - beam.load_w) / scale) < 1e-12


def test_the_unimorph_of_erturk_and_inman_2008_has_its_published_frequencies() -> None:
    """doi:10.1115/1.2890402. 47.8 Hz was read in public code; the other frequencies are from memory."""
    section = unimorph(
        Piezo(-190e-12, 0.0, 66e9, 7800.0), Substrate(100e9, 7165.0),
        width_m=0.02, substrate_m=0.5e-3, piezo_m=0.4e-3, permittivity_f_m=15.93e-9,
    )  # fmt: skip
    beam = beam_response(section, length_m=0.1, load_ohm=1e4, frequency_hz=47.8, acceleration_m_s2=9.81)
    assert float(beam.short_circuit_hz) == pytest.approx(47.8, abs=0.05)
    assert float(beam.open_circuit_hz) == pytest.approx(48.8, abs=0.05)


def optimum(section: Section, *, length: float, mass: float, hz: float, zeta: float) -> tuple[float, float]:
    """The best load (ohm) at a frequency and the peak power there, |V|^2 / R in mW at 9.81 m/s2."""
    loads = np.geomspace(1e3, 1e7, 4001)
    beam = beam_response(
        section, length_m=length, tip_mass_kg=mass, load_ohm=loads, frequency_hz=hz, acceleration_m_s2=9.81,
        damping_ratio=zeta,
    )  # fmt: skip
    best = int(np.argmax(beam.load_w))
    return float(loads[best]), 2e3 * float(beam.load_w[best])


BENDER = {"width_m": 31.8e-3, "substrate_m": 0.14e-3, "piezo_m": 0.26e-3, "permittivity_f_m": 1500 * EPS0}
BENDER_MATERIALS = Piezo(-190e-12, 0.0, 66e9, 7800.0), Substrate(105e9, 9000.0)


def test_the_bimorph_of_erturk_and_inman_2009_has_its_measured_power_and_load() -> None:
    """doi:10.1088/0964-1726/18/2/025009: 45.6 Hz, 48.4 Hz, 35 kohm, 23.9 mW/g2; constants and figures from memory."""
    section = bimorph(*BENDER_MATERIALS, **BENDER, wiring="series")
    beam = beam_response(
        section, length_m=50.8e-3, tip_mass_kg=0.012, load_ohm=1e5, frequency_hz=45.6, acceleration_m_s2=9.81
    )
    assert float(beam.short_circuit_hz) == pytest.approx(45.6, rel=0.01)
    assert float(beam.open_circuit_hz) == pytest.approx(48.4, rel=0.01)
    load, power = optimum(section, length=50.8e-3, mass=0.012, hz=45.6, zeta=0.027)
    assert load == pytest.approx(35e3, rel=0.05)
    assert power == pytest.approx(23.9, rel=0.05)


def test_the_bimorph_of_the_2011_book_has_its_frequencies_and_loads() -> None:
    """Erturk and Inman, Piezoelectric Energy Harvesting, Wiley 2011: PZT-5H without tip mass; figures from memory."""
    section = bimorph(
        Piezo(-16.6 / 60.6e9, 0.0, 60.6e9, 7500.0), Substrate(105e9, 9000.0),
        width_m=6.4e-3, substrate_m=0.14e-3, piezo_m=0.265e-3, permittivity_f_m=25.55e-9, wiring="series",
    )  # fmt: skip
    beam = beam_response(section, length_m=24.53e-3, load_ohm=1e5, frequency_hz=500.0, acceleration_m_s2=9.81)
    assert float(beam.short_circuit_hz) == pytest.approx(502.5, rel=0.01)
    assert float(beam.open_circuit_hz) == pytest.approx(524.7, rel=0.01)
    for hz, load in ((502.5, 7.6e3), (524.7, 189e3)):
        assert optimum(section, length=24.53e-3, mass=0.0, hz=hz, zeta=0.00874)[0] == pytest.approx(load, rel=0.05)


def test_layers_in_parallel_give_the_power_of_layers_in_series_at_a_quarter_of_the_load() -> None:
    series, parallel = (bimorph(*BENDER_MATERIALS, **BENDER, wiring=wiring) for wiring in ("series", "parallel"))
    first = optimum(series, length=50.8e-3, mass=0.012, hz=46.5, zeta=0.02)
    second = optimum(parallel, length=50.8e-3, mass=0.012, hz=46.5, zeta=0.02)
    assert second[0] == pytest.approx(first[0] / 4, rel=0.01)
    assert second[1] == pytest.approx(first[1], rel=1e-4)
