"""A design problem: a box of designs, limits, excitation and materials. What bounds and optimizers are asked about."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from numpy.typing import ArrayLike

from vehbench_oracle.checks import finite, positive
from vehbench_oracle.errors import InvalidValueError, MissingVariableError
from vehbench_oracle.veh.cantilever import Response, respond
from vehbench_oracle.veh.materials import piezo as piezo_material
from vehbench_oracle.veh.materials import substrate as substrate_material
from vehbench_oracle.veh.quantities import LIMITS, VARIABLES
from vehbench_oracle.veh.verdict import Box

UPPER_LIMITS: tuple[str, ...] = tuple(name for name, kind in LIMITS.items() if kind.upper)
"""The limits on stress, displacement and frequency error: all but the power target."""


class Setting(TypedDict):
    """The keyword arguments of `cantilever.respond`."""

    frequency_hz: float
    acceleration_g: float
    piezo: str
    substrate: str
    damping_ratio: float | None


@dataclass(frozen=True)
class Problem:
    """Which designs of a box meet the stress, displacement and frequency limits, and how much power do they give?

    `bounds` holds an inclusive range for each of the six variables, `limits` is as for `verdict.judge`: an absent or
    null limit is the paper's default. The power target among them is not used here.

    Raises MissingVariableError for an absent range, InvalidValueError for a range that is empty or reaches values
    without a response, for a limit that is not a finite positive number and for an excitation that is none,
    UnknownMaterialError for a material outside the tables.
    """

    bounds: Mapping[str, Box | None]
    limits: Mapping[str, float | None]
    frequency_hz: float
    acceleration_g: float
    piezo: str = "PZT-5A"
    substrate: str = "stainless_steel"
    damping_ratio: float | None = None

    def __post_init__(self) -> None:
        for name in VARIABLES:
            low, high = self.range_of(name)
            positive(f"minimum of {name}", low, zero_allowed=name == "tip_mass_g")
            if not low <= high:
                raise InvalidValueError(name, f"{name}: the minimum {low!r} is above the maximum {high!r}")
        for name in UPPER_LIMITS:
            positive(name, self.limit(name), zero_allowed=name == "freq_error_pct_limit")
        positive("frequency_hz", finite("frequency_hz", self.frequency_hz))
        positive("acceleration_g", finite("acceleration_g", self.acceleration_g))
        if self.damping_ratio is not None:
            positive("damping_ratio", finite("damping_ratio", self.damping_ratio))
        piezo_material(self.piezo)
        substrate_material(self.substrate)

    def range_of(self, name: str) -> tuple[float, float]:
        """Smallest and largest value of a variable, in its unit."""
        box = self.bounds.get(name)
        if box is None:
            raise MissingVariableError(name, f"the range of {name} is missing")
        return finite(f"minimum of {name}", box["min"]), finite(f"maximum of {name}", box["max"])

    def limit(self, name: str) -> float:
        """The value of a limit, in its unit."""
        value = self.limits.get(name)
        return LIMITS[name].default if value is None else finite(name, value)

    @property
    def setting(self) -> Setting:
        """Excitation and materials, as `cantilever.respond` and `verdict.judge` take them."""
        return {
            "frequency_hz": self.frequency_hz,
            "acceleration_g": self.acceleration_g,
            "piezo": self.piezo,
            "substrate": self.substrate,
            "damping_ratio": self.damping_ratio,
        }

    def respond(self, design: Mapping[str, ArrayLike]) -> Response:
        """The oracle's response of a design or a batch; raises as `cantilever.respond` does."""
        return respond(design, **self.setting)
