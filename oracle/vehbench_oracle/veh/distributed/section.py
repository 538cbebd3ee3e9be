"""Cross-sections of a layered beam, in SI units: what the beam theory asks of the layers."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_oracle.errors import InvalidValueError
from vehbench_oracle.veh.cantilever import VACUUM_PERMITTIVITY_F_M
from vehbench_oracle.veh.materials import Piezo, Substrate

Array = NDArray[np.float64]

WIRINGS = ("series", "parallel")


class Section(NamedTuple):
    """A cross-section; numbers or arrays that broadcast against each other.

    `moment_per_volt` is the bending moment of the electrodes' voltage (N m / V), `capacitance_per_m` between the
    electrodes at constant strain. A curvature (1/m) times `substrate_pa_m` is the largest stress in the substrate,
    times `piezo_pa_m` that in the piezo layers by bending; a volt adds `piezo_pa_per_v` there.
    """

    stiffness_n_m2: Array
    mass_per_m: Array
    moment_per_volt: Array
    capacitance_per_m: Array
    substrate_pa_m: Array
    piezo_pa_m: Array
    piezo_pa_per_v: Array


def constant_strain_permittivity(piezo: Piezo) -> float:
    """Permittivity (F/m) of a layer that is held along the beam and free across: eps_T - d31^2 E_p."""
    return VACUUM_PERMITTIVITY_F_M * piezo.relative_permittivity - piezo.d31**2 * piezo.youngs_modulus


def unimorph(
    piezo: Piezo,
    substrate: Substrate,
    *,
    width_m: ArrayLike,
    substrate_m: ArrayLike,
    piezo_m: ArrayLike,
    permittivity_f_m: float | None = None,
) -> Section:
    """One piezo layer on one substrate layer, electrodes over the whole length.

    `permittivity_f_m` is at constant strain; None derives it from the material's at constant stress.
    """
    width, h_s, h_p = (np.asarray(value, dtype=np.float64) for value in (width_m, substrate_m, piezo_m))
    e_s, e_p = substrate.youngs_modulus, piezo.youngs_modulus
    axis = (e_s * h_s * h_s / 2 + e_p * h_p * (h_s + h_p / 2)) / (e_s * h_s + e_p * h_p)
    d_s, d_p = h_s / 2 - axis, h_s + h_p / 2 - axis
    epsilon = constant_strain_permittivity(piezo) if permittivity_f_m is None else permittivity_f_m
    return Section(
        width * (e_s * h_s * (h_s * h_s / 12 + d_s * d_s) + e_p * h_p * (h_p * h_p / 12 + d_p * d_p)),
        width * (substrate.density * h_s + piezo.density * h_p),
        -piezo.d31 * e_p * width * d_p,
        epsilon * width / h_p,
        e_s * np.maximum(axis, np.abs(h_s - axis)),
        e_p * np.maximum(np.abs(h_s + h_p - axis), np.abs(h_s - axis)),
        -piezo.d31 * e_p / h_p,
    )


def bimorph(
    piezo: Piezo,
    substrate: Substrate,
    *,
    width_m: ArrayLike,
    substrate_m: ArrayLike,
    piezo_m: ArrayLike,
    wiring: Literal["series", "parallel"],
    permittivity_f_m: float | None = None,
) -> Section:
    """A substrate between two equal piezo layers of thickness `piezo_m` each; the rest as in `unimorph`.

    In series each layer sees half of the voltage and the capacitance is half of one layer's; in parallel each sees
    all of it and the capacitances add up. Erturk and Inman (2009), doi:10.1088/0964-1726/18/2/025009, tables 1 and 2.

    Raises InvalidValueError for another wiring.
    """
    if wiring not in WIRINGS:
        raise InvalidValueError("wiring", f"wiring must be series or parallel, got {str(wiring)[:40]!r}")
    width, h_s, h_p = (np.asarray(value, dtype=np.float64) for value in (width_m, substrate_m, piezo_m))
    e_s, e_p = substrate.youngs_modulus, piezo.youngs_modulus
    arm = (h_s + h_p) / 2
    share = 0.5 if wiring == "series" else 1.0  # of the voltage that each layer sees
    layer = (constant_strain_permittivity(piezo) if permittivity_f_m is None else permittivity_f_m) * width / h_p
    return Section(
        width * (e_s * h_s**3 / 12 + 2 * e_p * h_p * (h_p * h_p / 12 + arm * arm)),
        width * (substrate.density * h_s + 2 * piezo.density * h_p),
        -2 * share * piezo.d31 * e_p * width * arm,
        2 * share * share * layer,
        e_s * h_s / 2,
        e_p * (h_s / 2 + h_p),
        -share * piezo.d31 * e_p / h_p,
    )
