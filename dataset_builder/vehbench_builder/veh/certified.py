"""References: the strongest design of a brief, and the proof that no design is much stronger."""

from typing import NamedTuple

from vehbench_builder.build_spec import BuildError
from vehbench_builder.veh.numbers import DIGITS
from vehbench_hf.types import Design, Reference, Spec
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.optimum import find_optimum, smallest_slack
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.proof.certify import proven_margin
from vehbench_oracle.veh.proof.verify import verify_certificate

MIN_SLACK = 1e-5
"""More than rounding the limits and the acceleration of a brief takes from the slack of its reference."""
LADDER = (0.01, 0.02, 0.03, 0.05)
"""By what share a stronger design is excluded, at best and at least."""
NEAR_A_BOUND = 1e-6
"""A value this share of its range from a bound is put on the bound: no tip mass, and not one of 1e-11 g."""
MAX_BOXES = (20_000, 400_000)
"""Size of a proof: first for every step of the ladder, then for its last."""


class Certified(NamedTuple):
    """A reference as the bank stores it, and the certificate of its upper bound."""

    reference: Reference
    certificate: str


def strongest(spec: Spec, *, min_slack: float = MIN_SLACK) -> Design | None:
    """The design with the largest power that leaves the share `min_slack` of each upper limit, at six digits.

    None when no design is found that does. The power target is not imposed.
    """
    problem = problem_of_brief(spec)
    optimum = find_optimum(problem, digits=DIGITS, min_slack=min_slack)
    if optimum is None:
        return None
    tidy = _on_bounds(problem, optimum.design)
    return tidy if smallest_slack(problem, tidy) >= min_slack else optimum.design


def certified(spec: Spec, design: Design) -> Certified:
    """`design` as the reference of the brief, with the smallest share of `LADDER` that is proven.

    Raises BuildError when none is proven.
    """
    problem = problem_of_brief(spec)
    power = problem.judge(design).metrics["load_power_uw"]
    margin = proven_margin(problem, power, LADDER, max_boxes=MAX_BOXES[0])
    margin = margin or proven_margin(problem, power, LADDER[-1:], max_boxes=MAX_BOXES[1])
    if margin is None:
        raise BuildError(f"no proof with {MAX_BOXES[1]} sub-boxes that no design exceeds {power:.6g} uW by 5 %")
    bound = margin.certificate.target_uw
    verify_certificate(problem, bound, margin.certificate.text)
    return Certified(
        {"design": design, "power_uw": power, "power_uw_older": None, "upper_bound_uw": bound},
        margin.certificate.text,
    )


def _on_bounds(problem: VehProblem, design: Design) -> Design:
    tidy = dict(design)
    for name, value in design.items():
        low, high = problem.range_of(name)
        for end in (low, high):
            if abs(value - end) <= NEAR_A_BOUND * (high - low):
                tidy[name] = end
    return tidy
