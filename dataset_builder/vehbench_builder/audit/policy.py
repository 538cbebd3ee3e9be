"""The order of a P4 pool, computed from the policy text of its brief and the oracle."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vehbench_builder.audit.recomputed import shares
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.paper.release.policy import NEAR_FEASIBLE
from vehbench_hf.paper.release.policy import policy_text as released_text
from vehbench_hf.prompts.feedback import rounded
from vehbench_hf.types import Spec
from vehbench_oracle import LIMITS, Verdict

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
    if found := _RULE.search(text):
        return float(found[1]), float(found[2])
    return _released_weights(text, profile)


def expected_order(spec: Spec, pool: Mapping[str, Judged]) -> tuple[list[str], dict[str, float | None]]:
    """The ids from best to worst and their utilities; under the released rule an infeasible one has none.

    Raises ValueError when the brief states no rule.
    """
    weights = stated_weights(spec)
    if weights is None:
        raise ValueError("the policy states no rule from which an order can be computed")
    tiered = not _RULE.search(spec["policy"] or "")
    counted = [one for one in pool.values() if not tiered or one.verdict.feasible]
    largest = max((one.power for one in counted), default=0.0)
    utility: dict[str, float | None] = {}
    keys: dict[str, tuple[float, ...]] = {}
    for name, one in pool.items():
        margin = min(1.0, max(0.0, one.margin)) if tiered else one.margin
        relative = one.power / largest if largest > 0 else 0.0
        value = weights[0] * relative + weights[1] * margin
        utility[name] = value if one in counted else None
        if tiered and one not in counted:
            group = 1.0 if one.violation < NEAR_FEASIBLE else 2.0
            keys[name] = (group, one.violation - 0.02 * relative, -relative, -margin)
        else:
            keys[name] = (0.0, -value, -one.power, -margin)
    return sorted(pool, key=lambda name: (keys[name], name)), utility


def _judged(spec: Spec, verdict: Verdict, power: float, slack: Mapping[str, float]) -> Judged:
    return Judged(verdict, power, {name: float(shares(spec, name, slack[name])) for name in LIMITS})


def _released_weights(text: str, profile: str) -> tuple[float, float] | None:
    from vehbench_hf.paper.release.policy import WEIGHTS

    known = profile in WEIGHTS and text == released_text(profile)
    return WEIGHTS[profile] if known else None
