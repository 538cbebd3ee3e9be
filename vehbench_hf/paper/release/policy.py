"""The ranking policy of the released P4 tasks, in words for the brief and in numbers for the gold.

The released task text states a preference only. The reference order follows a rule with weights, a
normalization and two tiers below the feasible designs; the words here state that rule completely.
"""

from collections.abc import Mapping, Sequence

from vehbench_hf.types import Candidate, Utility
from vehbench_oracle import LIMITS

WEIGHTS: dict[str, tuple[float, float]] = {
    "performance_first": (0.75, 0.25),
    "balanced": (0.55, 0.45),
    "reliability_first": (0.35, 0.65),
}
"""Weights of normalized power and safety margin by profile."""

NEAR_FEASIBLE = 0.12
"""Total violation below which an infeasible design is a near miss.

Near misses of the release end at 0.106 and the others begin at 0.140; every value between reproduces all 159
reference orders."""


def policy_text(profile: str) -> str:
    """The rule of a profile in words from which the order of a pool can be computed."""
    power, safety = WEIGHTS[profile]
    return (
        "Sort the candidates into three groups and rank group after group, best first. "
        "Group 1: every slack is zero or positive. "
        f"Group 2: some slack is negative and the total violation V is below {NEAR_FEASIBLE:g}. "
        f"Group 3: V is {NEAR_FEASIBLE:g} or more. "
        "V is the sum of -slack / limit over the limits with negative slack. "
        "Let p be load_power_uw divided by the largest load_power_uw in group 1. "
        "Let s be the smaller of slack / limit for stress_limit_mpa and for disp_limit_mm, "
        "raised to 0 if negative and cut to 1 if larger. "
        f"In group 1 a larger value of {power:g} p + {safety:g} s ranks higher. "
        "In groups 2 and 3 a larger value of 0.02 p - V ranks higher. "
        "Ties go to the larger p, then to the larger s, then to the id that comes first in the alphabet."
    )


def utilities(
    profile: str,
    candidates: Sequence[Candidate],
    powers: Mapping[str, float],
    limits: Mapping[str, float | None],
) -> list[Utility]:
    """Utility of every candidate whose slacks are all at least zero, w_P p + w_S s; None for the others.

    `powers` maps ids to load power in uW. The result has the order of `candidates`, each {id, value}.
    """
    feasible = [c for c in candidates if all(c["slack"][name] >= 0 for name in LIMITS)]
    largest = max((powers[c["id"]] for c in feasible), default=None)
    power, safety = WEIGHTS[profile]
    return [
        {
            "id": c["id"],
            "value": None
            if largest is None or c not in feasible
            else power * powers[c["id"]] / largest + safety * safety_margin(c["slack"], limits),
        }
        for c in candidates
    ]


def safety_margin(slack: Mapping[str, float], limits: Mapping[str, float | None]) -> float:
    """The smaller normalized slack of stress and displacement, clipped to [0, 1].

    Raises ValueError when one of the two limits is absent or zero.
    """
    shares = []
    for name in ("stress_limit_mpa", "disp_limit_mm"):
        limit = limits[name]
        if not limit:
            raise ValueError(f"{name} must be a number above zero, got {limit!r}")
        shares.append(slack[name] / limit)
    return min(1.0, max(0.0, min(shares)))
