"""What layers may bear in years of vibration, and the stress in the piezo layer, which the oracle does not report.

The table decides how hard a brief may shake its device; it is no part of the oracle and no limit of a brief follows
from it alone. `strengths.yaml` names the source of each value.
"""

from pathlib import Path
from typing import NamedTuple

import yaml

from vehbench_hf.types import Design
from vehbench_oracle.veh import materials


class Strength(NamedTuple):
    """A stress amplitude in MPa that a layer bears for good, and where it comes from."""

    mpa: float
    basis: str


_TABLE = yaml.safe_load(Path(__file__).with_name("strengths.yaml").read_text(encoding="utf-8"))
SUBSTRATE: dict[str, Strength] = {name: Strength(**entry) for name, entry in _TABLE["substrate"].items()}
PIEZO: dict[str, Strength] = {name: Strength(**entry) for name, entry in _TABLE["piezo"].items()}


def piezo_stress_mpa(design: Design, *, tip_stress_mpa: float, tip_disp_mm: float, piezo: str, substrate: str) -> float:
    """Stress amplitude in MPa at the clamp, in the outer face of the piezo layer.

    The stress is E times the curvature 3 W / L^2 times the distance from the neutral axis. The oracle's stress at the
    substrate's outer face, E_s y_bar 3 W / L^2 of (A-20), says where that axis lies.
    """
    curvature = 3e-3 * tip_disp_mm / (1e-3 * design["beam_length_mm"]) ** 2
    height = 1e-6 * (design["substrate_thickness_um"] + design["piezo_thickness_um"])
    strain_at_substrate = 1e6 * tip_stress_mpa / materials.substrate(substrate).youngs_modulus
    return 1e-6 * materials.piezo(piezo).youngs_modulus * (curvature * height - strain_at_substrate)
