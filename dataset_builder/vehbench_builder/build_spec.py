"""What the probe modules and the build share: what is to be built, and one piece of work."""

from dataclasses import dataclass

from vehbench_hf.errors import UserError

PUBLISHED = "veh-v2"
FRESH = "veh-fresh-"
BUILT_HERE = (PUBLISHED, FRESH)
"""Version of the published bank, and how those of fresh ones begin."""


class BuildError(UserError):
    """A task that cannot be made as the construction asks; names the unit and the rule that failed."""


@dataclass(frozen=True)
class BuildSpec:
    """Which bank to build: the published one (seed 0), or fresh training tasks from the dev anchors.

    `per_anchor` is the number of fresh tasks a probe and anchor; None for the published bank.
    """

    seed: int = 0
    per_anchor: int | None = None
    fresh: bool = False

    @property
    def version(self) -> str:
        """The version of the bank: "veh-v2", or "veh-fresh-" and the seed."""
        return f"{FRESH}{self.seed}" if self.fresh else PUBLISHED
