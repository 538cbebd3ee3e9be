"""How the oracle's resonance and power of the anchors compare with what the papers report. It is no validation."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.beam import optimum_load_ohm
from vehbench_oracle import respond

POWERS = Path(__file__).with_name("paper_powers.csv")


@dataclass(frozen=True)
class Agreement:
    """Oracle over paper, by anchor key."""

    ratios: dict[str, float]

    def within(self, factor: float) -> int:
        """How many ratios lie between 1 / factor and factor."""
        return sum(1 / factor <= ratio <= factor for ratio in self.ratios.values())

    @property
    def median(self) -> float | None:
        """Median ratio; None without any."""
        return median(self.ratios.values()) if self.ratios else None


def frequency_agreement(anchors: Iterable[AnchorDesign], fitted: set[str]) -> Agreement:
    """Resonance of the unscaled device over the paper's; `fitted` are the keys completed from that frequency."""
    return Agreement(
        {
            a.key: a.original_resonance_hz / a.paper_frequency_hz
            for a in anchors
            if a.paper_frequency_hz is not None and a.key not in fitted
        }
    )


def paper_powers_uw() -> dict[str, float]:
    """The power in uW by anchor key, for the papers that state it with the load."""
    with POWERS.open(encoding="utf-8", newline="") as stream:
        return {row["key"]: float(row["power_uw"]) for row in csv.DictReader(stream)}


def power_agreement(anchors: Iterable[AnchorDesign], powers_uw: Mapping[str, float]) -> Agreement:
    """Power of the unscaled device at its own resonance, under the paper's acceleration, over the paper's power.

    `powers_uw` are those of `paper_powers_uw`; of these, devices that are driven at their base, with a stated
    acceleration and frequency. Papers state
    peak or average power and peak or RMS acceleration, often without saying which; both are taken as the oracle's
    (average power, peak acceleration).
    """
    ratios = {}
    for a in anchors:
        stated = a.key in powers_uw and a.paper_frequency_hz is not None
        if not stated or a.acceleration_g is None or a.device_class.startswith("B"):
            continue
        response = respond(
            a.original,
            frequency_hz=a.original_resonance_hz,
            acceleration_g=a.acceleration_g,
            piezo=a.piezo,
            substrate=a.substrate,
        )
        ratios[a.key] = float(response.load_power_uw) / powers_uw[a.key]
    return Agreement(ratios)


def loads_far_from_optimum(anchors: Iterable[AnchorDesign], factor: float) -> list[str]:
    """Keys of the anchors whose load is more than `factor` times above or below the oracle's best at resonance."""
    far = []
    for a in anchors:
        ratio = a.design["load_resistance_ohm"] / optimum_load_ohm(a.design, a.piezo, a.substrate)
        if not 1 / factor <= ratio <= factor:
            far.append(a.key)
    return far
