"""One P3 brief: a walk that goes astray in a source's box, the limits that make it so, and a proven way out."""

from typing import NamedTuple

import numpy as np

from vehbench_builder.veh import strengths
from vehbench_builder.veh.certified import strongest
from vehbench_builder.veh.limits import LARGEST_POWER_UW, SMALLEST_POWER_UW, known_materials, piezo_stress_mpa
from vehbench_builder.veh.p3.history_limits import SECONDARIES, base_limits, secondary, with_secondary
from vehbench_builder.veh.p3.moves import (
    Trap,
    Walk,
    draw_place,
    on_path,
    start_at,
    tuned_to,
    walk,
    way_back,
)
from vehbench_builder.veh.p3.notes import Story, noted, story_is_told
from vehbench_hf.types import Claim, Design, HistoryStep, Spec
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import Array, places_of
from vehbench_oracle.veh.domain import problem_of_brief

QUERY_BUDGET = 8
LEAST_SLACK = 0.0045
"""Some design keeps this share of every limit in hand."""
ROOMS = (LEAST_SLACK, 0.006, 0.01, 0.02)
"""Shares of the upper limits with which such a design is looked for."""
MOST_SINGLE_FIXES = 1
"""How many variables may, moved alone from the last step, lead to a feasible design."""
POINTS = 2001
PEAKS = 5
"""Places of largest slack along a line, each better than its neighbours, that are looked at more closely."""
CLOSER, CLOSER_POINTS = 4, 101
"""How often, each time with so many designs between the neighbours of the best one."""


class Recovery(NamedTuple):
    """A brief with its history, the limit that reversal breaks, what the notes claim, and two designs that meet it.

    `witness` keeps `LEAST_SLACK` of every limit in hand, `reference` is the strongest design.
    """

    spec: Spec
    secondary: str
    claims: list[Claim]
    witness: Design
    reference: Design


class RefusedError(Exception):
    """A draw that breaks a rule of the construction; the text is the rule."""


def recovery(brief: Spec, trap: Trap, story: Story, draw: np.random.Generator) -> Recovery:
    """One draw in the box of a brief that states bounds, materials and acceleration. Raises RefusedError."""
    place = draw_place(trap, draw)
    start = start_at(brief, place)
    spec = base_limits(tuned_to(brief, start), start)
    if spec is None:
        raise RefusedError("no device bears the start")
    walked = walk(spec, trap, place, draw)
    if walked is None:
        raise RefusedError("no steps inside the box")
    name = str(draw.choice([*SECONDARIES]))
    if not story_is_told(_with_history(spec, walked), story, name, before_limit=True):
        raise RefusedError("the verdicts do not tell the story")
    limit = secondary(spec, name, way_back(spec, trap, walked))
    if limit is None:
        raise RefusedError("the secondary limit is not credible")
    spec = _with_history(with_secondary(spec, limit), walked)
    if any(step["verdict"]["feasible"] for step in spec["history"]):
        raise RefusedError("a step is feasible")
    if not story_is_told(spec, story, name):
        raise RefusedError("the verdicts do not tell the story")
    fixes = single_fixes(spec, walked.steps[-1])
    if len(fixes) > MOST_SINGLE_FIXES or (len(trap.moves) == 1 and trap.moves[0][0] in fixes):
        raise RefusedError("single variables solve it")
    told = noted(spec, trap, story, name, draw)
    if told is None:
        raise RefusedError("no wording fits the verdicts")
    spec = {**spec, "history": told.history, "query_budget": QUERY_BUDGET}
    way_out = witness(spec)
    if way_out is None:
        raise RefusedError("no design has room to every limit")
    return Recovery(spec, name, told.claims, way_out, _reference(spec))


def witness(spec: Spec) -> Design | None:
    """A design that keeps 0.45 % or more of every limit in hand; None when the search finds none."""
    for room in ROOMS:
        design = strongest(spec, min_slack=room)
        if design is not None and problem_of_brief(spec).least_slack(design) >= LEAST_SLACK:
            return design
    return None


def single_fixes(spec: Spec, last: Design) -> list[str]:
    """The variables that, moved alone from the last step, lead to a feasible design."""
    place = places_of(problem_of_brief(spec), last)
    fixes = []
    for index, name in enumerate(VARIABLES):
        ends = np.array([place, place])
        ends[:, index] = 0.0, 1.0
        if _meets_feasible(spec, ends):
            fixes.append(name)
    return fixes


def _with_history(spec: Spec, walked: Walk) -> Spec:
    """The brief with the steps and their verdicts under its limits, still without notes."""
    history: list[HistoryStep] = []
    for design in walked.steps:
        verdict = problem_of_brief(spec).judge(design)
        history.append(
            {
                "design": design,
                "note": "",
                "verdict": {
                    "feasible": verdict.feasible,
                    "power_uw": verdict.metrics["load_power_uw"],
                    "slack": verdict.slack,
                    "violations": [v.name for v in verdict.violations],
                    "metrics": verdict.metrics,
                },
            }
        )
    return {**spec, "history": history}


def _reference(spec: Spec) -> Design:
    """The strongest design. Raises RefusedError when limits are out of reach or a device would not bear it."""
    design = strongest(spec)
    if design is None or not problem_of_brief(spec).judge(design).feasible:
        raise RefusedError("the search found no strongest design")
    if not SMALLEST_POWER_UW <= float(problem_of_brief(spec).respond(design).load_power_uw) <= LARGEST_POWER_UW:
        raise RefusedError("the reference power is not credible")
    if piezo_stress_mpa(spec, design) > strengths.PIEZO[known_materials(spec)[0]].mpa:
        raise RefusedError("no device bears the reference")
    return design


def _meets_feasible(spec: Spec, ends: Array) -> bool:
    """Whether a feasible design was found between two places of the box, shape (2, 6)."""
    along = np.linspace(0.0, 1.0, POINTS)
    problem = problem_of_brief(spec)
    slack = problem.least_slack(on_path(spec, ends, along))
    around = np.pad(slack, 1, constant_values=-np.inf)
    peaks = np.flatnonzero((slack >= around[:-2]) & (slack >= around[2:]))
    for peak in peaks[np.argsort(-slack[peaks])][:PEAKS]:
        best, reach, value = float(along[peak]), 1 / (POINTS - 1), float(slack[peak])
        for _ in range(CLOSER):
            close = np.clip(np.linspace(best - reach, best + reach, CLOSER_POINTS), 0.0, 1.0)
            closer = problem.least_slack(on_path(spec, ends, close))
            best, reach, value = float(close[closer.argmax()]), 2 * reach / (CLOSER_POINTS - 1), float(closer.max())
        if value >= 0:
            return True
    return False
