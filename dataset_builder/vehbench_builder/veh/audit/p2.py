"""P2 briefs: do limits, targets, boxes and materials ask for something a designer could be asked?"""

from collections.abc import Sequence
from math import inf

from vehbench_builder.audit.gold import part_of
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_builder.veh.audit import composition
from vehbench_builder.veh.audit.completions import FIELDS, field_of
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task
from vehbench_oracle import LIMITS, VARIABLES
from vehbench_oracle.space import centre
from vehbench_oracle.veh.domain import problem_of_brief

VACUOUS_PCT = 50.0
"""A frequency limit of this or more asks for nothing."""
LEAST_TARGET_UW, LEAST_REFERENCE_UW = 0.01, 0.1
"""Powers below these are not worth harvesting, and lie near what rounding leaves of them."""
STRESS_RANGE_MPA, DISP_RANGE_MM = (1.0, 500.0), (1e-3, 50.0)
"""Limits outside are beyond what a beam bears, or below what can be told apart from nothing."""
MOST_FEASIBLE_CENTRES = 0.10
"""Largest share of briefs that the middle of the box may solve."""
ENOUGH = 10
"""Of fewer briefs than this, one alone is more than that share."""
FACTORS = {"paper_like": 1.5, "resonance_tuned": 1.25, "power_tight": 1.2, "boundary_binding": 1.08}
"""Stress and displacement limit over the anchor's own value, by subtype."""
FACTOR_TOLERANCE = 0.01


def p2_checks(bank: Bank) -> list[Check]:
    """All checks of P2 briefs, and of what the briefs of every probe state."""
    tasks = bank.select(("p2",))
    ruled = [t for t in tasks if t.subtype in FACTORS]
    complete = [t for t in bank.tasks if t.probe != "p1" or t.gold["action"] == "declare_infeasible"]
    partial = None if bank.version in composition.FULL_BANKS else f"{bank.version} is not a full bank"
    few = f"{len(tasks)} tasks say nothing about a share of 10 %" if len(tasks) < ENOUGH else None
    return [
        each(briefs_are_complete, complete),
        each(materials_are_stated, bank.tasks),
        whole(materials_vary, bank.tasks, unless=partial),
        each(p2_anchor_design_feasible, tasks),
        whole(p2_frequency_limits_bind, tasks),
        whole(p2_powers_are_worth_measuring, tasks),
        whole(p2_limits_are_credible, tasks),
        each(p2_limits_follow_from_the_anchor, [] if partial else ruled),
        whole(p2_box_centres_do_not_solve, tasks, unless=few),
    ]


def materials_are_stated(task: Task) -> Findings:
    """A brief names both materials and the damping ratio, unless it withholds one of them on purpose."""
    completions = [completion["changes"] for completion in task.gold["completions"]]
    changes = [name for change in completions for name, value in change.items() if value is not None]
    withheld = {FIELDS[field_of(name)].name for name in (*task.gold["missing_fields"], *changes)}
    missing = [name for name, value in task.spec["materials"].items() if value is None and name not in withheld]
    yield f"no {' and no '.join(missing)}" if missing else None


def materials_vary(tasks: Sequence[Task]) -> Findings:
    """The devices of a full bank are not all made of one pair of materials."""
    pairs = {(t.spec["materials"]["piezo"], t.spec["materials"]["substrate"]) for t in tasks}
    for task in tasks:
        yield None if len(pairs) > 1 else f"{task.task_id}: {' on '.join(map(str, *pairs))}, as in every task"
    yield Figure("material pairs", len(pairs))


def p2_anchor_design_feasible(task: Task) -> Findings:
    """The anchor's own design meets every limit, so that the brief is solvable."""
    design = task.gold["anchor_design"]
    verdict = None if design is None else task.problem.judge(design)
    yield None if verdict and verdict.feasible else verdict.message if verdict else "no anchor design"


def p2_frequency_limits_bind(tasks: Sequence[Task]) -> Findings:
    """No frequency limit is so wide (50 % or more) that every resonance passes."""
    limits = [(task, _limit(task, "freq_error_pct_limit")) for task in tasks]
    for task, limit in limits:
        yield None if limit < VACUOUS_PCT else f"{task.task_id}: {limit:.6g} %"
    for edge in (20.0, 50.0, 100.0):
        yield Figure(f"limits of {edge:g} % or more", sum(limit >= edge for _, limit in limits))


def p2_powers_are_worth_measuring(tasks: Sequence[Task]) -> Findings:
    """Power targets are 0.01 uW or more and references 0.1 uW or more."""
    targets = [_limit(task, "power_target_uw") for task in tasks]
    for task, target in zip(tasks, targets, strict=True):
        power = part_of(task, "reference").get("power_uw")
        low = target < LEAST_TARGET_UW or (power is not None and power < LEAST_REFERENCE_UW)
        yield f"{task.task_id}: target {target:.3g} uW, reference {power} uW" if low else None
    yield Figure("targets below 1e-6 uW", sum(target < 1e-6 for target in targets))


def p2_limits_are_credible(tasks: Sequence[Task]) -> Findings:
    """Stress limits lie in 1 to 500 MPa and displacement limits in 0.001 to 50 mm, below the longest beam."""
    stresses, disps = ([_limit(task, name) for task in tasks] for name in ("stress_limit_mpa", "disp_limit_mm"))
    beams = [(task.spec["variable_bounds"]["beam_length_mm"] or {"max": inf})["max"] for task in tasks]
    for task, stress, disp, longest in zip(tasks, stresses, disps, beams, strict=True):
        (low, high), (low_mm, high_mm) = STRESS_RANGE_MPA, DISP_RANGE_MM
        good = low <= stress <= high and low_mm <= disp <= min(high_mm, longest)
        yield None if good else f"{task.task_id}: {stress:.4g} MPa, {disp:.4g} mm, beams up to {longest:.4g} mm"
    yield Figure("stress limits above 500 MPa", sum(stress > STRESS_RANGE_MPA[1] for stress in stresses))
    yield Figure("displacement limits above 50 mm", sum(disp > DISP_RANGE_MM[1] for disp in disps))
    yield Figure("displacement limits beyond the longest beam", sum(d > b for d, b in zip(disps, beams, strict=True)))


def p2_limits_follow_from_the_anchor(task: Task) -> Findings:
    """Stress and displacement limits are the subtype's factor times the anchor's unrounded value, to 1 %."""
    response = problem_of_brief(task.spec).respond(task.gold["anchor_design"] or {})
    for name in ("stress_limit_mpa", "disp_limit_mm"):
        expected = FACTORS[task.subtype] * float(getattr(response, LIMITS[name].metric))
        off = _limit(task, name) / expected - 1
        yield None if abs(off) <= FACTOR_TOLERANCE else f"{name} is {off:+.1%} off {expected:.6g}"


def p2_box_centres_do_not_solve(tasks: Sequence[Task]) -> Findings:
    """The middle of the box solves at most 10 % of the briefs."""
    solved = [task.task_id for task in tasks if task.problem.judge(centre(task.problem)).feasible]
    too_many = len(solved) > MOST_FEASIBLE_CENTRES * len(tasks)
    for task in tasks:
        yield task.task_id if too_many and task.task_id in solved else None
    yield Figure("found", len(solved))
    yield Figure("share", len(solved) / len(tasks))


def _limit(task: Task, name: str) -> float:
    return problem_of_brief(task.spec).limit(name)


def briefs_are_complete(task: Task) -> Findings:
    """A brief that can be judged states all bounds, limits, the excitation and the materials."""
    spec = task.spec
    missing = [
        *(name for name in VARIABLES if spec["variable_bounds"].get(name) is None),
        *(name for name in LIMITS if spec["constraints"].get(name) is None),
        *(name for name in ("frequency_hz", "acceleration_g") if spec["excitation"].get(name) is None),
        *(name for name in ("piezo", "substrate") if spec["materials"].get(name) is None),
    ]
    yield f"withholds {', '.join(missing)}" if missing else None
