"""Modes of the clamped beam with a mass at its tip: limits known from textbooks, and a published fit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_oracle.errors import InvalidValueError
from vehbench_oracle.veh.distributed import modes
from vehbench_oracle.veh.distributed.modes import tabulated_modes


def test_a_bare_beam_has_the_textbook_eigenvalues() -> None:
    assert modes(0.0, 4).eigenvalue == pytest.approx([1.87510407, 4.69409113, 7.85475744, 10.99554073], abs=1e-8)


def test_an_endless_tip_mass_pins_the_tip_in_the_higher_modes() -> None:
    assert modes(1e9, 3).eigenvalue[1:] == pytest.approx([3.92660231, 7.06858275], abs=1e-6)


def test_an_endless_tip_mass_that_does_not_turn_clamps_both_ends_in_the_higher_modes() -> None:
    assert modes(1e9, 4, 1e9).eigenvalue[2:] == pytest.approx([4.73004074, 7.85320462], abs=1e-4)


def test_the_first_mode_of_a_light_and_of_a_heavy_tip_are_those_of_the_textbook() -> None:
    bare, heavy = modes(0.0, 1), modes(1e6, 1)
    assert bare.tip[0] ** -2 == pytest.approx(0.25)
    assert heavy.tip[0] ** -2 - 1e6 == pytest.approx(33 / 140, rel=1e-3)
    for mode, slope, curvature in ((bare, 1.3765, 3.5160), (heavy, 1.5, 3.0)):
        assert mode.slope[0] / mode.tip[0] == pytest.approx(slope, abs=1e-4)
        assert mode.curvature[0] / mode.tip[0] == pytest.approx(curvature, abs=1e-4)


@pytest.mark.parametrize("a", [0, 0.05, 0.3, 1, 3, 10])
def test_the_base_forcing_is_the_fit_of_erturk_and_inman(a: float) -> None:
    # Erturk and Inman (2008), doi:10.1088/0964-1726/17/6/065016, for the transverse correction factor; from memory.
    mode = modes(a, 1)
    fit = (a**2 + 0.603 * a + 0.08955) / (a**2 + 0.4637 * a + 0.05718)
    assert mode.forcing[0] * mode.tip[0] == pytest.approx(fit, rel=3e-4)


def test_effective_masses_add_up_to_the_moving_mass() -> None:
    for a in (0.0, 0.3, 4.0):
        assert 0.98 < np.sum(modes(a, 30).forcing ** 2) / (1 + a) < 1


@given(st.floats(0, 50), st.floats(0, 5))
def test_modes_solve_the_beam_with_mass_and_inertia(a: float, j: float) -> None:
    """Modes are orthogonal in mass, by numerical integration of their shapes."""
    values = modes(a, 3, j)
    k = values.eigenvalue
    assert np.all(np.diff(k) > 0)
    x = np.polynomial.legendre.leggauss(60)
    place, weight = (x[0] + 1) / 2, x[1] / 2
    ratio = -(np.sin(k) - np.sinh(k) + k * a * (np.cos(k) - np.cosh(k)))
    ratio = -ratio / (np.cos(k) + np.cosh(k) - k * a * (np.sin(k) - np.sinh(k)))
    along = np.outer(place, k)
    shape = np.cos(along) - np.cosh(along) + ratio * (np.sin(along) - np.sinh(along))
    shape *= -values.curvature / (2 * k * k)
    weights = (
        shape.T @ (shape * weight[:, None])
        + a * np.outer(values.tip, values.tip)
        + j * np.outer(values.slope, values.slope)
    )
    assert weights == pytest.approx(np.eye(3), abs=1e-6)
    assert weight @ shape + a * values.tip == pytest.approx(values.forcing, abs=1e-6)


@given(st.floats(0, 1e6), st.integers(1, 6))
def test_tables_give_the_modes_themselves(a: float, count: int) -> None:
    for table, exact in zip(tabulated_modes(a, count), modes(a, count), strict=True):
        assert table == pytest.approx(exact, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("mass", "count"), [(-1.0, 3), (float("nan"), 3), (0.0, 0), (0.0, 41)])
def test_senseless_requests_are_refused(mass: float, count: int) -> None:
    with pytest.raises(InvalidValueError):
        modes(mass, count)
