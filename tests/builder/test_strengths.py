"""The stress that the oracle does not report, and a table that covers every material."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.veh import strengths
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, respond
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE


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
