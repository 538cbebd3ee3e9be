"""A design under a harvester brief, as tests ask for it."""

from collections.abc import Mapping
from typing import Any

from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.verdict import Verdict


def judge_for(spec: Mapping[str, Any], design: Mapping[str, float]) -> Verdict:
    """The verdict that the brief's problem gives."""
    return problem_of_brief(spec).judge(design)
