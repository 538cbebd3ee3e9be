"""The oracle's designs as distributed beams."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vehbench_oracle.checks import positive
from vehbench_oracle.veh import materials
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO, GRAVITY_M_S2
from vehbench_oracle.veh.distributed.beam import beam_response
from vehbench_oracle.veh.distributed.section import bimorph, unimorph
from vehbench_oracle.veh.quantities import VARIABLES

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Distributed:
    """What the beam theory gives for a design; the first five fields are the oracle's metrics by name and unit."""

    resonant_freq_hz: Array  # short-circuited, undamped
    freq_error_pct: Array
    load_power_uw: Array
    tip_stress_mpa: Array  # of the substrate at the clamp
    tip_disp_mm: Array  # relative to the base
    piezo_stress_mpa: Array  # at the clamp, bending and field at their largest
    open_circuit_hz: Array
    tip_mass_ratio: Array  # tip mass over the mass of the beam


def respond_distributed(
    design: Mapping[str, ArrayLike],
    *,
    frequency_hz: ArrayLike,
    acceleration_g: ArrayLike,
    piezo: str | materials.Piezo = "PZT-5A",
    substrate: str | materials.Substrate = "stainless_steel",
    damping_ratio: float | None = None,
    layers: Literal["unimorph", "series", "parallel"] = "unimorph",
    tip_inertia_kg_m2: ArrayLike = 0.0,
    count: int = 3,
) -> Distributed:
    """As `cantilever.respond`, with `count` modes of the distributed beam and the rest of them static.

    Takes the oracle's design and units. `layers` "series" and "parallel" are symmetric bimorphs with two piezo layers
    of the stated thickness. Raises as `cantilever.respond` does, and InvalidValueError for other `layers` or a `count`
    outside 1 to 40.
    """
    numbers = {name: positive(name, design.get(name), zero_allowed=name == "tip_mass_g") for name in VARIABLES}
    p, s = materials.piezo(piezo), materials.substrate(substrate)
    width, h_s, h_p = (
        1e-3 * numbers["beam_width_mm"],
        1e-6 * numbers["substrate_thickness_um"],
        1e-6 * numbers["piezo_thickness_um"],
    )
    section = (
        unimorph(p, s, width_m=width, substrate_m=h_s, piezo_m=h_p)
        if layers == "unimorph"
        else bimorph(p, s, width_m=width, substrate_m=h_s, piezo_m=h_p, wiring=layers)
    )
    length, tip_mass = 1e-3 * numbers["beam_length_mm"], 1e-3 * numbers["tip_mass_g"]
    excited = positive("frequency_hz", frequency_hz)
    with np.errstate(all="ignore"):  # as in the oracle: legal input may overflow
        beam = beam_response(
            section,
            length_m=length,
            tip_mass_kg=tip_mass,
            tip_inertia_kg_m2=tip_inertia_kg_m2,
            load_ohm=numbers["load_resistance_ohm"],
            frequency_hz=excited,
            acceleration_m_s2=GRAVITY_M_S2 * positive("acceleration_g", acceleration_g),
            damping_ratio=DEFAULT_DAMPING_RATIO if damping_ratio is None else positive("damping_ratio", damping_ratio),
            count=count,
        )
        return Distributed(
            beam.short_circuit_hz,
            100 * np.abs(beam.short_circuit_hz - excited) / excited,
            1e6 * beam.load_w,
            1e-6 * section.substrate_pa_m * beam.curvature_per_m,
            1e3 * beam.tip_m,
            1e-6 * (section.piezo_pa_m * beam.curvature_per_m + np.abs(section.piezo_pa_per_v) * beam.voltage_v),
            beam.open_circuit_hz,
            tip_mass / (section.mass_per_m * length),
        )
