"""Steady response of a layered beam with a resistor to harmonic motion of its base.

Erturk and Inman (2008), doi:10.1115/1.2890402, and (2009), doi:10.1088/0964-1726/18/2/025009: the relative motion is
expanded in the modes of the short-circuited beam, each with the same damping ratio. Modes beyond the last one answer
as if they were static, so that few modes give displacement, stress and power. Amplitudes are peak values; power is the
average over a cycle, half of the |V|^2 / R which those papers state.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_oracle.checks import positive
from vehbench_oracle.veh.distributed.modes import modes, tabulated_modes
from vehbench_oracle.veh.distributed.section import Section

Array = NDArray[np.float64]


class BeamResponse(NamedTuple):
    """Numbers for one beam, arrays of the batch's shape for a batch; amplitudes are peak values."""

    short_circuit_hz: Array
    open_circuit_hz: Array
    voltage_v: Array
    tip_m: Array  # relative to the base
    curvature_per_m: Array  # at the clamp
    load_w: Array  # average power in the resistor
    damping_w: Array
    input_w: Array  # what the base gives; the sum of the two before


def beam_response(
    section: Section,
    *,
    length_m: ArrayLike,
    load_ohm: ArrayLike,
    frequency_hz: ArrayLike,
    acceleration_m_s2: ArrayLike,
    tip_mass_kg: ArrayLike = 0.0,
    tip_inertia_kg_m2: ArrayLike = 0.0,
    damping_ratio: ArrayLike = 0.01,
    count: int = 3,
) -> BeamResponse:
    """The response by `count` modes and the static rest; all inputs broadcast against each other.

    `tip_inertia_kg_m2` is of the tip mass about an axis through the tip, across the beam. With 0 the modes come from
    tables (see `modes.tabulated_modes`). Raises InvalidValueError for an input that is no finite positive number; tip
    mass, inertia and damping may be 0.
    """
    length, load, frequency, acceleration = (
        positive(name, value)
        for name, value in (
            ("length_m", length_m),
            ("load_ohm", load_ohm),
            ("frequency_hz", frequency_hz),
            ("acceleration_m_s2", acceleration_m_s2),
        )
    )
    tip_mass, inertia, damping = (
        positive(name, value, zero_allowed=True)
        for name, value in (
            ("tip_mass_kg", tip_mass_kg),
            ("tip_inertia_kg_m2", tip_inertia_kg_m2),
            ("damping_ratio", damping_ratio),
        )
    )
    ei, moment = section.stiffness_n_m2, section.moment_per_volt
    mass = section.mass_per_m * length
    ratio = tip_mass / mass
    shape = (
        modes(ratio, count, inertia / (mass * length * length)) if np.any(inertia) else tabulated_modes(ratio, count)
    )
    w = 2 * np.pi * frequency
    unit_w = np.sqrt(ei / (mass * length * length * length))
    w_r = shape.eigenvalue * shape.eigenvalue * unit_w[..., None]

    # What a unit of base acceleration (l) or of voltage's moment (m) does to the tip's rotation, its displacement, the
    # curvature at the clamp, and to the moving mass as a whole: the static beam, and what resonance adds in each mode.
    wide = w[..., None]
    dynamic = w_r * w_r - wide * wide + 2j * damping[..., None] * w_r * wide
    beyond = (wide * wide - 2j * damping[..., None] * w_r * wide) / (dynamic * w_r * w_r)

    def added(first: Array, second: Array) -> NDArray[np.complex128]:
        return np.asarray(np.sum(first * second * beyond, axis=-1))

    slope_l = length * length * mass * (1 / 6 + ratio / 2) / ei + added(shape.slope, shape.forcing) / length
    slope_m = length / ei + added(shape.slope, shape.slope) / (mass * length * length)
    tip_l = length**3 * mass * (1 / 8 + ratio / 3) / ei + added(shape.tip, shape.forcing)
    tip_m = length * length / (2 * ei) + added(shape.tip, shape.slope) / (mass * length)
    bend_l = length * mass * (1 / 2 + ratio) / ei + added(shape.curvature, shape.forcing) / (length * length)
    bend_m = 1 / ei + added(shape.curvature, shape.slope) / (mass * length**3)

    capacitance = section.capacitance_per_m * length
    volts = 1j * w * moment * slope_l * acceleration
    volts = volts / (1 / load + 1j * w * (capacitance + moment * moment * slope_m))
    pull = moment * volts
    q = (shape.forcing * acceleration[..., None] - shape.slope * (pull / (mass * length))[..., None]) / dynamic
    damping_w = np.sum(damping[..., None] * w_r * (wide * np.abs(q)) ** 2, axis=-1) * mass
    load_w = np.abs(volts) ** 2 / (2 * load)
    # Only the part of the moving mass's answer that is out of step with the base takes power from it.
    whole = mass * np.sum(shape.forcing * q, axis=-1)
    rest = moment * np.imag(volts) * (slope_l - np.sum(shape.slope * shape.forcing / dynamic, axis=-1) / length).real
    stiffer = shape.slope[..., 0] * moment / length
    return BeamResponse(
        w_r[..., 0] / (2 * np.pi),
        np.sqrt(w_r[..., 0] ** 2 + stiffer * stiffer / (capacitance * mass)) / (2 * np.pi),
        np.abs(volts),
        np.abs(tip_l * acceleration - tip_m * pull),
        np.abs(bend_l * acceleration - bend_m * pull),
        load_w,
        damping_w,
        -acceleration * w * (np.imag(whole) - rest) / 2,
    )
