"""The oracle's verdict on a design under the brief of a task."""

from collections.abc import Mapping

from vehbench_hf.domains import DOMAINS
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.types import Design, Spec
from vehbench_oracle.verdict import Verdict


def judge_for(spec: Spec | IsomorphicSpec, design: Mapping[str, float]) -> Verdict:
    """Judge a complete, finite design under the limits, excitation, materials and bounds of `spec`.

    A value for which the formulas have no answer (a negative length, say) makes the design infeasible, with the box
    violation and without metrics; it is never an exception and never a pass. Raises MissingVariableError when the brief
    itself withholds what the verdict needs.
    """
    return DOMAINS["veh"].problem(spec).judge(design)


def recomputed_history(spec: Spec) -> Spec:
    """The spec with every verdict of its history computed anew under the limits it states."""
    history = []
    for step in spec["history"]:
        verdict = judge_for(spec, _plain(step["design"]))
        history.append(
            {
                **step,
                "verdict": {
                    "feasible": verdict.feasible,
                    "power_uw": verdict.objective if verdict.objective is not None else step["verdict"]["power_uw"],
                    "slack": verdict.slack,
                    "violations": [v.name for v in verdict.violations],
                    "metrics": verdict.metrics,
                },
            }
        )
    return {**spec, "history": history}  # type: ignore[typeddict-item]


def _plain(design: Mapping[str, float]) -> Design:
    return {name: float(value) for name, value in design.items()}
