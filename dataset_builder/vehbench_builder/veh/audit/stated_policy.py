"""The order of a P4 pool, computed from the policy text of its brief and the oracle."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vehbench_hf.paper.release.policy import NEAR_FEASIBLE, WEIGHTS
from vehbench_hf.paper.release.policy import policy_text as released_text
from vehbench_hf.prompts.feedback import rounded
from vehbench_hf.types import Spec
from vehbench_oracle import Verdict
from vehbench_oracle.veh.domain import problem_of_brief

_RULE = re.compile(
    r"U = (\d*\.?\d+) P ?/ ?P_max \+ (\d*\.?\d+) S\b.*"
    r"1 - \w*stress\w* ?/ ?\w*stress_limit\w*.*1 - \w*disp\w* ?/ ?\w*disp_limit",
    re.DOTALL,
)
AMPLITUDES = ("stress_limit_mpa", "disp_limit_mm")
"""The limits whose smaller share of slack is the margin of a candidate."""


@dataclass(frozen=True)
class Judged:
    """A candidate as the oracle sees it: verdict, power in uW, and every slack as a share of its limit."""

    verdict: Verdict
    power: float
    share: dict[str, float]

    @property
    def margin(self) -> float:
        """The smaller share of slack of stress and displacement."""
        return min(self.share[name] for name in AMPLITUDES)

    @property
    def violation(self) -> float:
        """The sum of the shares by which limits are exceeded."""
        return sum(-share for share in self.share.values() if share < 0)


def judged_pool(spec: Spec, *, shown: bool = False) -> dict[str, Judged]:
    """Every candidate of a brief, judged at full precision from its design.

    `shown` takes power and slacks from the brief instead, at the digits of a prompt.
    """
    problem, pool = problem_of_brief(spec), {}
    for candidate in spec["candidates"]:
        verdict = problem.judge(candidate["design"])
        power, slack = verdict.metrics["load_power_uw"], verdict.slack
        if shown:
            power = rounded(candidate["metrics"]["load_power_uw"])
            slack = {name: rounded(value) for name, value in candidate["slack"].items()}
        share = {name: float(limit.share(slack[name])) for name, limit in problem.limits.items()}
        pool[candidate["id"]] = Judged(verdict, power, share)
    return pool


def stated_weights(spec: Spec) -> tuple[float, float] | None:
    """The weights of power and margin in the policy text; None when it states no rule known here."""
    text, profile = spec["policy"] or "", spec["profile"] or ""
    if rule := _RULE.search(text):
        return float(rule[1]), float(rule[2])
    return WEIGHTS[profile] if profile in WEIGHTS and text == released_text(profile) else None


def expected_order(spec: Spec, pool: Mapping[str, Judged]) -> tuple[list[str], dict[str, float | None]]:
    """The ids from best to worst and their utilities; under the released rule an infeasible one has none.

    Raises ValueError when the brief states no rule.
    """
    weights = stated_weights(spec)
    if weights is None:
        raise ValueError("the policy states no rule from which an order can be computed")
    tiered = not _RULE.search(spec["policy"] or "")
    counted = [candidate for candidate in pool.values() if not tiered or candidate.verdict.feasible]
    largest = max((candidate.power for candidate in counted), default=0.0)
    utility: dict[str, float | None] = {}
    keys: dict[str, tuple[float, ...]] = {}
    for name, candidate in pool.items():
        margin = min(1.0, max(0.0, candidate.margin)) if tiered else candidate.margin
        relative = candidate.power / largest if largest > 0 else 0.0
        value = weights[0] * relative + weights[1] * margin
        utility[name] = value if candidate in counted else None
        if tiered and candidate not in counted:
            group = 1.0 if candidate.violation < NEAR_FEASIBLE else 2.0
            keys[name] = (group, candidate.violation - 0.02 * relative, -relative, -margin)
        else:
            keys[name] = (0.0, -value, -candidate.power, -margin)
    return sorted(pool, key=lambda name: (keys[name], name)), utility
