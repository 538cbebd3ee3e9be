"""What the probe modules and the build share: what is to be built, and one piece of work."""

from dataclasses import dataclass

from vehbench_hf.errors import UserError


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
