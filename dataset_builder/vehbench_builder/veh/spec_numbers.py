"""What the briefs of the sample have in common: a box around a device, and limits taken from its response."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_builder.devices import Device
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Design, Spec
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, Box, Response, respond
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO

Array = NDArray[np.float64]

DIGITS = 6
"""Significant digits of a design in the bank; it is rounded before it is judged."""
LIMIT_DIGITS = 4
LOAD_SPREAD = 1.5
"""A box reaches from the device's load over this factor to both sides when the device sits in its middle."""


def brief_around(
    device: Device,
    *,
    draw: np.random.Generator,
    half_width: float,
    acceleration_g: float,
    detuning: float = 1.0,
    room: float = 1.25,
    freq_error_pct_limit: float = 3.0,
) -> Spec:
    """A brief whose box holds the device somewhere between 30 and 70 % of every range.

    `half_width` is the half range as a share of the device's value, `detuning` the excitation over the device's
    resonance, `room` the stress and displacement limits over the device's own amplitudes. The power target is
    0 until `with_limits` sets one.
    """
    spec = empty_spec()
    bounds = {name: _box(device, name, half_width, float(draw.uniform(0.3, 0.7))) for name in VARIABLES}
    spec["variable_bounds"] = {**bounds}
    spec["materials"] = {
        "piezo": device.piezo,
        "substrate": device.substrate,
        "damping_ratio": DEFAULT_DAMPING_RATIO,
    }
    resonance = float(response_for(spec, device.design, frequency_hz=1.0).resonant_freq_hz)
    spec = excited(spec, frequency_hz=resonance * detuning, acceleration_g=acceleration_g)
    own = response_for(spec, device.design)
    return with_limits(
        spec,
        stress_limit_mpa=room * float(own.tip_stress_mpa),
        disp_limit_mm=room * float(own.tip_disp_mm),
        freq_error_pct_limit=freq_error_pct_limit,
        power_target_uw=0.0,
    )


def with_limits(spec: Spec, **limits: float) -> Spec:
    """The brief with some of its limits changed, at four digits."""
    changed = {name: rounded(value, LIMIT_DIGITS) for name, value in limits.items()}
    return {**spec, "constraints": {**spec["constraints"], **changed}}


def excited(spec: Spec, *, frequency_hz: float | None, acceleration_g: float | None) -> Spec:
    """The brief with another base excitation, at four digits; None withholds a value."""
    return {
        **spec,
        "excitation": {
            "frequency_hz": None if frequency_hz is None else rounded(frequency_hz, LIMIT_DIGITS),
            "acceleration_g": None if acceleration_g is None else rounded(acceleration_g, LIMIT_DIGITS),
            "stated": spec["excitation"]["stated"],
        },
    }


def response_for(spec: Spec, design: Mapping[str, ArrayLike], *, frequency_hz: float | None = None) -> Response:
    """The oracle's response under the brief, at its own excitation or at another frequency (then at 1 g).

    Raises ValueError when the brief withholds the excitation.
    """
    stated = spec["excitation"]
    own = frequency_hz is None
    return respond(
        design,
        frequency_hz=known(stated["frequency_hz"] if own else frequency_hz),
        acceleration_g=known(stated["acceleration_g"]) if own else 1.0,
        piezo=spec["materials"]["piezo"] or "PZT-5A",
        substrate=spec["materials"]["substrate"] or "stainless_steel",
        damping_ratio=spec["materials"]["damping_ratio"],
    )


def unit_box(spec: Spec) -> Callable[[Array], dict[str, Array]]:
    """The map from points of the unit box, shape (6,) or (6, n), to designs; the load is spread in log scale."""
    boxes = [(name, bounds_of(spec, name)) for name in VARIABLES]

    def place(u: Array) -> dict[str, Array]:
        design = {}
        for row, (name, (low, high)) in zip(u, boxes, strict=True):
            log = name == "load_resistance_ohm"
            value = low * (high / low) ** row if log else low + row * (high - low)
            design[name] = np.clip(value, low, high)
        return design

    return place


def bounds_of(spec: Spec, name: str) -> tuple[float, float]:
    """Smallest and largest value of a variable. Raises ValueError when the brief withholds them."""
    box = spec["variable_bounds"][name]
    if box is None:
        raise ValueError(f"the brief withholds the bounds of {name}")
    return box["min"], box["max"]


def known(value: float | None) -> float:
    """A number of the brief. Raises ValueError when it is withheld."""
    if value is None:
        raise ValueError("the brief withholds a number that is needed")
    return value


def rounded(value: float, digits: int = DIGITS) -> float:
    """`value` at some significant digits."""
    return float(f"{value:.{digits}g}")


def rounded_design(design: Mapping[str, ArrayLike]) -> Design:
    """A design as the bank stores it."""
    return {name: rounded(float(np.asarray(design[name]))) for name in VARIABLES}


def _box(device: Device, name: str, half_width: float, place: float) -> Box:
    value, (lowest, highest) = device.design[name], DECLARED_DOMAIN[name]
    if name == "load_resistance_ohm":
        low, high = value / LOAD_SPREAD ** (2 * place), value * LOAD_SPREAD ** (2 * (1 - place))
    elif value == 0:
        # No tip mass gives no scale for one; the moving part of the beam does.
        low, high = 0.0, 2 * half_width * device.moving_beam_mass_g
    else:
        low = value * (1 - 2 * half_width * place)
        high = value * (1 + 2 * half_width * (1 - place))
    return Box(min=max(lowest, rounded(low, LIMIT_DIGITS)), max=min(highest, rounded(high, LIMIT_DIGITS)))
