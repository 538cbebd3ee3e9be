"""The device as it was built, which differs from the nominal one by hidden factors."""

from typing import NamedTuple

from vehbench_oracle.checks import positive
from vehbench_oracle.veh.materials import Piezo, Substrate


class Plant(NamedTuple):
    """Factors on the nominal device, 1 each where it is built as it was drawn.

    `stiffness` is the bending stiffness over the nominal one, below 1 for a soft clamp or bond: both Young's moduli are
    scaled by it, so that their ratio and with it the neutral axis stay. `coupling` is theta over the nominal one,
    `permittivity` that of the piezo layer. `damping_ratio` replaces the ratio of the brief; None keeps it.
    """

    stiffness: float = 1.0
    coupling: float = 1.0
    permittivity: float = 1.0
    damping_ratio: float | None = None

    def layers(self, piezo: Piezo, substrate: Substrate) -> tuple[Piezo, Substrate]:
        """The layers with their constants as built. theta goes with d31 E_p, (A-11): d31 makes up for the modulus.

        Raises InvalidValueError for a factor that is not finite and positive.
        """
        for name in ("stiffness", "coupling", "permittivity"):
            positive(name, getattr(self, name))
        return (
            piezo._replace(
                d31=piezo.d31 * self.coupling / self.stiffness,
                relative_permittivity=piezo.relative_permittivity * self.permittivity,
                youngs_modulus=piezo.youngs_modulus * self.stiffness,
            ),
            substrate._replace(youngs_modulus=substrate.youngs_modulus * self.stiffness),
        )

    def damping(self, stated: float | None) -> float | None:
        """The damping ratio as built; `stated` is that of the brief."""
        return stated if self.damping_ratio is None else self.damping_ratio


NOMINAL = Plant()
