"""How well the distributed beam predicts the resonances of harvesters that a vendor measured.

`python -m literature.tools.vendor_beams` prints the table of docs/physics.md. The data sheet states no layers, so that
mass and stiffness of each beam are identified from its resonances without tip mass and with the largest one; those
with the two masses between are then predicted.
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from vehbench_oracle.veh.distributed import modes

TABLE = Path(__file__).resolve().parents[1] / "volture.csv"


class VendorBeam(NamedTuple):
    """A device: what was identified, and stated and predicted resonances (Hz) at the two tip masses between."""

    device: str
    beam_mass_g: float
    bending_stiffness_n_m2: float
    tip_masses_g: tuple[float, ...]
    stated_hz: tuple[float, ...]
    predicted_hz: tuple[float, ...]

    @property
    def errors(self) -> list[float]:
        """Predicted over stated, less one."""
        return [computed / stated - 1 for computed, stated in zip(self.predicted_hz, self.stated_hz, strict=True)]


def first_eigenvalue(tip_mass_ratio: float) -> float:
    """The first mode's k (see `distributed.modes`)."""
    return float(modes(tip_mass_ratio, 1).eigenvalue[0])


def vendor_beams() -> Iterator[VendorBeam]:
    """The devices of the table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["acceleration_g"] == "0.25"]
    for device in dict.fromkeys(row["device"] for row in rows):
        points = [row for row in rows if row["device"] == device]
        masses, stated = ([float(row[column]) for row in points] for column in ("tip_mass_g", "frequency_hz"))
        wanted = np.sqrt(stated[-1] / stated[0]) * first_eigenvalue(0.0)
        ratio = brentq(lambda ratio, wanted=wanted: first_eigenvalue(ratio) - wanted, 1e-3, 1e3)
        beam_g = masses[-1] / ratio
        predicted = [stated[0] * (first_eigenvalue(mass / beam_g) / first_eigenvalue(0.0)) ** 2 for mass in masses]
        per_stiffness = first_eigenvalue(0.0) ** 4 / (1e-3 * beam_g * (1e-3 * float(points[0]["length_mm"])) ** 3)
        stiffness = (2 * np.pi * stated[0]) ** 2 / per_stiffness
        yield VendorBeam(device, beam_g, stiffness, tuple(masses[1:-1]), tuple(stated[1:-1]), tuple(predicted[1:-1]))


def table() -> str:
    """The table in Markdown."""
    lines = [
        "| device | beam, g | EI, N m2 | tip mass, g | stated, Hz | predicted, Hz | difference |",
        "|---|---|---|---|---|---|---|",
    ]
    for beam in vendor_beams():
        for mass, stated, predicted, error in zip(
            beam.tip_masses_g, beam.stated_hz, beam.predicted_hz, beam.errors, strict=True
        ):
            lines.append(
                f"| {beam.device} | {beam.beam_mass_g:.1f} | {beam.bending_stiffness_n_m2:.3f} | {mass:g} "
                f"| {stated:.0f} | {predicted:.0f} | {100 * error:+.0f} % |"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
