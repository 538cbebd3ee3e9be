"""The box of a brief: ranges around a known design that say neither where in them it lies nor how large it is."""

import numpy as np

from vehbench_builder.veh.beam import beam
from vehbench_builder.veh.numbers import rounded
from vehbench_hf.types import Design
from vehbench_oracle import DECLARED_DOMAIN, VARIABLES, Box

PLACES = (0.3, 0.7)
"""Between which shares of each range the design lies (the load in log scale)."""


def box_around(
    design: Design, *, piezo: str, substrate: str, half_width: float, draw: np.random.Generator
) -> dict[str, Box]:
    """Ranges of c (1 - half_width) to c (1 + half_width) that hold `design`, inside the oracle's declared domain.

    The centre c is drawn for each variable so that the design lies between 30 and 70 % of the range. The half width
    is a share of the centre and not of the design x: a width of 2 half_width x would give x away. The load has a
    range of (1 + 3 half_width)^2 in log scale. A tip mass below that of the moving beam has the range [0, m_t +
    2 half_width times that mass], since it gives no scale itself. A range that would leave the domain is moved back
    into it, so that a design at the domain's edge is at an end of its range.
    """
    places = {name: float(draw.uniform(*PLACES)) for name in VARIABLES}
    box = {name: _range(name, design[name], half_width, place) for name, place in places.items()}
    moving = 1e3 * beam({**design, "tip_mass_g": 0.0}, piezo, substrate)["effective_mass_kg"]
    if design["tip_mass_g"] < moving:
        largest = min(design["tip_mass_g"] + 2 * half_width * moving, DECLARED_DOMAIN["tip_mass_g"][1])
        box["tip_mass_g"] = Box(min=0.0, max=rounded(largest))
    return box


def _range(name: str, value: float, half_width: float, place: float) -> Box:
    if name == "load_resistance_ohm":
        ratio = (1 + 3 * half_width) ** 2
        low = value / ratio**place
    else:
        ratio = (1 + half_width) / (1 - half_width)
        low = value / (1 + place * (ratio - 1))
    lowest, highest = DECLARED_DOMAIN[name]
    if low < lowest:
        return Box(min=lowest, max=min(rounded(lowest * ratio), highest))
    if low * ratio > highest:
        return Box(min=max(rounded(highest / ratio), lowest), max=highest)
    return Box(min=rounded(low), max=rounded(low * ratio))
