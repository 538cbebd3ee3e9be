"""The oracle against a second implementation, written from the paper's equations with complex numbers."""

import math
from dataclasses import fields

import numpy as np
import pytest

from vehbench_oracle import DECLARED_DOMAIN, Response, respond

# d31 m/V, relative permittivity, modulus Pa, density kg/m3; typed again, so that a slip in the tables shows.
PIEZO = {
    "PZT-5A": (-171e-12, 1700.0, 61e9, 7750.0),
    "PZT-5H": (-274e-12, 3800.0, 60e9, 7500.0),
    "MFC-M8528": (-170e-12, 800.0, 30e9, 5400.0),
    "PVDF": (-23e-12, 13.0, 2e9, 1780.0),
}
SUBSTRATE = {
    "stainless_steel": (200e9, 7900.0),
    "aluminum": (70e9, 2700.0),
    "brass": (100e9, 8500.0),
    "titanium": (114e9, 4510.0),
}


def scalar_response(
    design: dict[str, float], f_e: float, a_g: float, zeta: float, piezo: str, substrate: str
) -> dict[str, float]:
    """Appendix B for one design, with the impedance and the denominator kept complex."""
    d31, permittivity, e_p, rho_p = PIEZO[piezo]
    e_s, rho_s = SUBSTRATE[substrate]
    length = design["beam_length_mm"] / 1000.0
    b = design["beam_width_mm"] / 1000.0
    h_s = design["substrate_thickness_um"] / 1e6
    h_p = design["piezo_thickness_um"] / 1e6
    m_t = design["tip_mass_g"] / 1000.0
    load = design["load_resistance_ohm"]
    a = 9.80665 * a_g
    area_s, area_p = b * h_s, b * h_p
    y_s, y_p = h_s / 2.0, h_s + h_p / 2.0
    y_bar = (e_s * area_s * y_s + e_p * area_p * y_p) / (e_s * area_s + e_p * area_p)
    inertia_s = b * h_s**3 / 12.0 + area_s * (y_s - y_bar) ** 2
    inertia_p = b * h_p**3 / 12.0 + area_p * (y_p - y_bar) ** 2
    bending = e_s * inertia_s + e_p * inertia_p
    m_eff = 0.2357 * (rho_s * h_s + rho_p * h_p) * b * length + m_t
    omega_r = math.sqrt(3.0 * bending / (m_eff * length**3))
    f_r = omega_r / (2.0 * math.pi)
    theta = -(d31 * e_p) * b * (y_p - y_bar) * 1.3765 / length
    c_p = 8.854187817e-12 * permittivity * b * length / h_p
    omega = 2.0 * math.pi * f_e
    z_e = load / (1.0 + 1j * omega * load * c_p)
    denominator = (
        m_eff * (omega_r**2 - omega**2) + 1j * 2.0 * zeta * m_eff * omega_r * omega + theta**2 * 1j * omega * z_e
    )
    tip = m_eff * a / abs(denominator)
    voltage = abs(theta) * omega * abs(z_e) * tip
    rms = voltage / math.sqrt(2.0)
    return {
        "resonant_freq_hz": f_r,
        "freq_error_pct": 100.0 * abs(f_r - f_e) / f_e,
        "load_power_uw": 1e6 * rms**2 / load,
        "tip_stress_mpa": 1e-6 * e_s * y_bar * 3.0 * tip / length**2,
        "tip_disp_mm": 1e3 * tip,
        "effective_mass_kg": m_eff,
        "bending_stiffness_n_m2": bending,
        "coupling_n_per_v": theta,
        "capacitance_f": c_p,
    }


def random_designs(seed: int, n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    designs = {name: rng.uniform(low, high, n) for name, (low, high) in DECLARED_DOMAIN.items()}
    designs["load_resistance_ohm"] = np.exp(rng.uniform(math.log(100.0), math.log(1e7), n))
    designs["tip_mass_g"][: n // 10] = 0.0
    return designs


@pytest.mark.parametrize("piezo", PIEZO)
@pytest.mark.parametrize("substrate", SUBSTRATE)
def test_the_formulas_agree_with_a_second_implementation(piezo: str, substrate: str) -> None:
    n = 400
    designs = random_designs(sorted(PIEZO).index(piezo) * 4 + sorted(SUBSTRATE).index(substrate), n)
    rng = np.random.default_rng(99)
    tuned = respond(designs, frequency_hz=50.0, acceleration_g=1.0, piezo=piezo, substrate=substrate)
    # Half of the designs near their resonance, where damping and coupling decide, and half anywhere.
    near = tuned.resonant_freq_hz * rng.uniform(0.97, 1.03, n)
    frequency = np.where(np.arange(n) % 2, near, np.exp(rng.uniform(math.log(5), math.log(2000), n)))
    acceleration = rng.uniform(0.05, 3.0, n)
    zeta = float(rng.uniform(0.003, 0.05))
    batch = respond(
        designs,
        frequency_hz=frequency,
        acceleration_g=acceleration,
        piezo=piezo,
        substrate=substrate,
        damping_ratio=zeta,
    )
    for i in range(n):
        one = {name: float(values[i]) for name, values in designs.items()}
        expected = scalar_response(one, float(frequency[i]), float(acceleration[i]), zeta, piezo, substrate)
        # Both subtract f_e from f_r, so the error in percent is compared on the scale of f_r, not its own.
        room = {"freq_error_pct": 1e-10 * max(100.0, expected["freq_error_pct"])}
        for name, value in batch.at(i).items():
            assert value == pytest.approx(expected[name], rel=1e-10, abs=room.get(name, 0.0)), (name, one)


def test_the_damping_ratio_is_the_papers_when_none_is_given() -> None:
    designs = random_designs(7, 50)
    unstated = respond(designs, frequency_hz=60.0, acceleration_g=0.5)
    stated = respond(designs, frequency_hz=60.0, acceleration_g=0.5, damping_ratio=0.01)
    other = respond(designs, frequency_hz=60.0, acceleration_g=0.5, damping_ratio=0.02)
    assert np.array_equal(unstated.load_power_uw, stated.load_power_uw)
    assert not np.array_equal(unstated.load_power_uw, other.load_power_uw)


def test_the_default_pair_is_the_papers() -> None:
    designs = random_designs(8, 20)
    unstated = respond(designs, frequency_hz=60.0, acceleration_g=0.5)
    stated = respond(designs, frequency_hz=60.0, acceleration_g=0.5, piezo="PZT-5A", substrate="stainless_steel")
    for field in fields(Response):
        assert np.array_equal(getattr(unstated, field.name), getattr(stated, field.name))
