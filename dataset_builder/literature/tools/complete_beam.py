"""What follows from a beam and its resonance: an equal unimorph, a tip mass, a thickness.

Every function takes and returns the oracle's units and asks the oracle for stiffness and mass, so that a completed
device has in the oracle the resonance it was completed from.
"""

import math
from collections.abc import Callable, Sequence

from scipy.optimize import brentq

from vehbench_builder.veh.beam import beam, resonance_hz
from vehbench_hf.types import Design
from vehbench_oracle.veh import materials

LAYER_RANGE_UM = (0.1, 10_000.0)
"""Where a thickness is looked for."""


def laminate_stiffness(layers: Sequence[tuple[float, float]]) -> float:
    """Bending stiffness per width in N m of layers (Young's modulus in Pa, thickness in m), from bottom to top.

    (A-4) to (A-6) for any number of layers.
    """
    bottoms = [sum(h for _, h in layers[:i]) for i in range(len(layers))]
    centres = [bottom + h / 2 for bottom, (_, h) in zip(bottoms, layers, strict=True)]
    axial = [e * h for e, h in layers]
    neutral = sum(a * y for a, y in zip(axial, centres, strict=True)) / sum(axial)
    return sum(a * (h * h / 12 + (y - neutral) ** 2) for a, y, (_, h) in zip(axial, centres, layers, strict=True))


def equal_unimorph_um(bottom_um: float, substrate_um: float, top_um: float, *, piezo: str, substrate: str) -> float:
    """The piezo thickness in um of the unimorph on the same substrate that is as stiff as the bimorph.

    It has the same stiffness and a slightly smaller mass. Exactly one solution exists: the stiffness grows with the
    thickness from that of the bare substrate.
    """
    e_p, e_s = materials.piezo(piezo).youngs_modulus, materials.substrate(substrate).youngs_modulus
    h_s = 1e-6 * substrate_um
    target = laminate_stiffness([(e_p, 1e-6 * bottom_um), (e_s, h_s), (e_p, 1e-6 * top_um)])

    def excess(h_p_um: float) -> float:
        return laminate_stiffness([(e_s, h_s), (e_p, 1e-6 * h_p_um)]) / target - 1

    upper = bottom_um + top_um
    while excess(upper) < 0:
        upper *= 2
    return _root(excess, 0.0, upper)


def tip_mass_for(design: Design, frequency_hz: float, piezo: str, substrate: str) -> float:
    """The tip mass in g with which the beam resonates at `frequency_hz`, (A-8) and (A-9) solved for m_t.

    Negative where the bare beam is already slower than that.
    """
    bare = beam({**design, "tip_mass_g": 0.0}, piezo, substrate)
    length = 1e-3 * design["beam_length_mm"]
    w = 2 * math.pi * frequency_hz
    return 1e3 * (3 * bare["bending_stiffness_n_m2"] / (length**3 * w * w) - bare["effective_mass_kg"])


def thickness_for(design: Design, name: str, frequency_hz: float, piezo: str, substrate: str) -> float | None:
    """The thickness `name` in um that gives `frequency_hz`; the other variables of `design` are known.

    None when no layer of `LAYER_RANGE_UM` does.
    """
    low, high = LAYER_RANGE_UM

    def excess(h_um: float) -> float:
        return resonance_hz({**design, name: h_um}, piezo, substrate) / frequency_hz - 1

    return _root(excess, low, high) if excess(low) < 0 < excess(high) else None


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(function, low, high, xtol=1e-12, rtol=1e-14))
