"""What layers may bear in years of vibration, and the stress in the piezo layer, which the oracle does not report.

The table decides how hard a brief may shake its device; it is no part of the oracle and no limit of a brief follows
from it alone. The values are working values, rounded down from the sources named beside them: alternating stresses for
the metals, and for the piezo layers a share of a static strength where no fatigue value for a bonded layer was found.
"""

from typing import NamedTuple

from vehbench_hf.types import Design
from vehbench_oracle.veh import materials


class Strength(NamedTuple):
    """A stress amplitude in MPa that a layer bears for good, and where it comes from."""

    mpa: float
    basis: str


SUBSTRATE: dict[str, Strength] = {
    "stainless_steel": Strength(
        200.0,
        "0.45 of the tensile strength at 1e6 to 1e7 fully reversed cycles for 1.4301 (AISI 304), Johansson and "
        "Nordberg, Fatigue properties of stainless steel; with 515 MPa (ASTM A240) 232 MPa",
    ),
    "titanium": Strength(
        240.0,
        "titanium grade 2, annealed: 280 MPa smooth and 240 MPa notched at 1e7 cycles, MatWeb MTU021",
    ),
    "brass": Strength(
        100.0,
        "working value: C26000 in spring temper has a fatigue strength of 160 MPa (makeitfrom.com), a yield strength "
        "between 110 MPa annealed and 570 MPa; no fatigue value of a soft temper was read",
    ),
    "aluminum": Strength(
        95.0,
        "6061-T6: 96.5 MPa for many reversed cycles, G. T. Yahr, Fatigue design curves for 6061-T6 aluminum, ORNL",
    ),
}

PIEZO: dict[str, Strength] = {
    "PZT-5A": Strength(
        60.0,
        "working value, less than half of the static bending strength of 140.4 MPa: Anton, Erturk and Inman 2012, "
        "doi:10.1109/TUFFC.2012.2299",
    ),
    "PZT-5H": Strength(
        60.0,
        "working value, about half of the static bending strength of 114.8 MPa: Anton, Erturk and Inman 2012, "
        "doi:10.1109/TUFFC.2012.2299",
    ),
    "MFC-M8528": Strength(
        18.0,
        "tensile strain of at most 600 ppm recommended for energy harvesting, times 30 GPa: Smart Material Corp., "
        "MFC engineering properties",
    ),
    "PVDF": Strength(
        20.0,
        "working value, less than half of the yield strength of 45 to 55 MPa along the stretch axis: Measurement "
        "Specialties, Piezo Film Sensors technical manual, table 1",
    ),
}


def piezo_stress_mpa(design: Design, *, tip_stress_mpa: float, tip_disp_mm: float, piezo: str, substrate: str) -> float:
    """Stress amplitude in MPa at the clamp, in the outer face of the piezo layer.

    The stress is E times the curvature 3 W / L^2 times the distance from the neutral axis. The oracle's stress at the
    substrate's outer face, E_s y_bar 3 W / L^2 of (A-20), says where that axis lies.
    """
    curvature = 3e-3 * tip_disp_mm / (1e-3 * design["beam_length_mm"]) ** 2
    height = 1e-6 * (design["substrate_thickness_um"] + design["piezo_thickness_um"])
    strain_at_substrate = 1e6 * tip_stress_mpa / materials.substrate(substrate).youngs_modulus
    return 1e-6 * materials.piezo(piezo).youngs_modulus * (curvature * height - strain_at_substrate)
