"""Straight paths through the box of a brief, in shares of its ranges."""

from collections.abc import Sequence

import numpy as np

from vehbench_builder.veh.spec_numbers import Array, bounds_of, unit_box
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES


def place_of(spec: Spec, design: Design) -> Array:
    """Where a design lies in its box: 0 to 1 in every variable, the load in log scale; shape (6,)."""
    places = []
    for name in VARIABLES:
        low, high = bounds_of(spec, name)
        log = name == "load_resistance_ohm"
        places.append(np.log(design[name] / low) / np.log(high / low) if log else (design[name] - low) / (high - low))
    return np.array(places)


def on_path(spec: Spec, corners: Array, along: Array) -> dict[str, Array]:
    """The designs at positions 0 to n - 1 on the path through n places, shape (n, 6)."""
    places = np.array([np.interp(along, np.arange(len(corners)), column) for column in corners.T])
    return unit_box(spec)(np.clip(places, 0.0, 1.0))


def onward(spec: Spec, designs: Sequence[Design]) -> Array:
    """The corners of the path through some designs, then straight on to the edge of the box; shape (n + 1, 6)."""
    places = np.array([place_of(spec, design) for design in designs])
    heading = places[-1] - places[-2]
    moving = heading != 0
    room = np.where(heading > 0, 1 - places[-1], places[-1])[moving] / np.abs(heading[moving])
    return np.vstack([places, places[-1] + heading * max(0.0, float(room.min()))])
