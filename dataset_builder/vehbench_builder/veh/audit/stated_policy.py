"""The order of a P4 pool, computed from the policy text of its brief and the oracle."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vehbench_hf.episodes.judging import judge_for
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


def judged_pool(spec: Spec) -> dict[str, Judged]:
    """Every candidate of a brief, judged at full precision from its design."""
    pool = {}
    for candidate in spec["candidates"]:
        verdict = judge_for(spec, candidate["design"])
        pool[candidate["id"]] = _judged(spec, verdict, verdict.metrics["load_power_uw"], verdict.slack)
    return pool


def shown_pool(spec: Spec) -> dict[str, Judged]:
    """The same from the metrics and slacks that the brief shows, at the digits of a prompt."""
    pool = {}
    for candidate in spec["candidates"]:
        slack = {name: rounded(value) for name, value in candidate["slack"].items()}
        power = rounded(candidate["metrics"]["load_power_uw"])
        pool[candidate["id"]] = _judged(spec, judge_for(spec, candidate["design"]), power, slack)
    return pool


def stated_weights(spec: Spec) -> tuple[float, float] | None:
    """The weights of power and margin in the policy text; None when it states no rule known here."""
    text, profile = spec["policy"] or "", spec["profile"] or ""
    if rule := _RULE.search(text):
        return float(rule[1]), float(rule[2])
    return _released_weights(text, profile)


def expected_order(spec: Spec, pool: Mapping[str, Judged]) -> tuple[list[str], dict[str, float | None]]:
    """The ids from best to worst and their utilities; under the released rule an infeasible one has ncandidate.

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


def _judged(spec: Spec, verdict: Verdict, power: float, slack: Mapping[str, float]) -> Judged:
    limits = problem_of_brief(spec).limits.values()
    return Judged(verdict, power, {limit.name: float(limit.share(slack[limit.name])) for limit in limits})


def _released_weights(text: str, profile: str) -> tuple[float, float] | None:
    known = profile in WEIGHTS and text == released_text(profile)
    return WEIGHTS[profile] if known else None
