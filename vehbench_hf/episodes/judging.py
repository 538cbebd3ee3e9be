"""The oracle's verdict on a design under a brief that is no task yet."""

from collections.abc import Mapping

from vehbench_hf.domains import DEFAULT_DOMAIN, DOMAINS
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.types import Spec
from vehbench_oracle.verdict import Verdict


def judge_for(spec: Spec | IsomorphicSpec, design: Mapping[str, float]) -> Verdict:
    """Judge a complete, finite design as `Problem.judge` does. Of a task, ask `task.problem` instead."""
    return DOMAINS[DEFAULT_DOMAIN].problem(spec).judge(design)
