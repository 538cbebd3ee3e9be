"""How the oracle's resonance and power of the anchors compare with what the papers report. It is no validation."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.beam_completion import optimum_load_ohm
from vehbench_builder.veh.literature.tables import Reported
from vehbench_oracle import respond


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


def power_agreement(anchors: Iterable[AnchorDesign], reported: dict[str, Reported]) -> Agreement:
    """Power of the unscaled device at its own resonance, under the paper's acceleration, over the paper's power.

    Only devices that are driven at their base, with a stated power, acceleration, frequency and load. Papers state
    peak or average power and peak or RMS acceleration, often without saying which; both are taken as the oracle's
    (average power, peak acceleration).
    """
    ratios = {}
    for a in anchors:
        values = reported[a.key].values
        stated = {"power_uw", "load_resistance_ohm"} <= values.keys() and a.paper_frequency_hz is not None
        if not stated or a.acceleration_g is None or a.device_class.startswith("B"):
            continue
        response = respond(
            a.original,
            frequency_hz=a.original_resonance_hz,
            acceleration_g=a.acceleration_g,
            piezo=a.piezo,
            substrate=a.substrate,
        )
        ratios[a.key] = float(response.load_power_uw) / values["power_uw"]
    return Agreement(ratios)


def loads_far_from_optimum(anchors: Iterable[AnchorDesign], factor: float) -> list[str]:
    """Keys of the anchors whose load is more than `factor` times above or below the oracle's best at resonance."""
    far = []
    for a in anchors:
        ratio = a.design["load_resistance_ohm"] / optimum_load_ohm(a.design, a.piezo, a.substrate)
        if not 1 / factor <= ratio <= factor:
            far.append(a.key)
    return far
