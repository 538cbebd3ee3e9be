"""P3: does recovery take more than a fixed move? Lines through the box are searched for a feasible design."""

from collections.abc import Sequence

import numpy as np

from vehbench_builder.audit.gold import trap_of
from vehbench_builder.audit.recomputed import Array, design_at, least_slack, place_of
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Design, Spec, Task
from vehbench_oracle import VARIABLES

POINTS = 2001
"""Designs looked at along a line before the best places are looked at more closely."""
PEAKS = 4
"""Best places along a line that are looked at more closely."""
CLOSER, CLOSE_POINTS = 4, 201
"""How often, each time with so many designs between the two neighbours of the best one."""
MOST_SINGLE_FIXES = 1
"""How many variables may solve a task when moved alone."""


def recovery_checks(bank: Bank) -> list[Check]:
    """All checks of what a fixed move achieves in P3."""
    tasks = bank.select(("p3",))
    return [
        each(p3_retracing_fails, tasks),
        each(p3_reversal_fails, tasks),
        whole(p3_few_single_variable_fixes, tasks),
    ]


def p3_retracing_fails(task: Task) -> Findings:
    """Walking back along the history and on beyond its first step meets no feasible design."""
    found = on_path(task.spec, retraced(task.spec))
    yield None if found is None else f"solved by {found}"


def p3_reversal_fails(task: Task) -> Findings:
    """Moving the trap's variable alone, from the last step to anywhere in its range, solves nothing."""
    variable = trap_of(task)["variable"]
    if variable in VARIABLES:
        yield f"{variable} alone solves it" if single_fixes(task, [variable]) else None


def p3_few_single_variable_fixes(tasks: Sequence[Task]) -> Findings:
    """At most one variable, moved alone from the last step, solves a task."""
    solved = 0
    for task in tasks:
        found = single_fixes(task, list(VARIABLES))
        solved += bool(found)
        yield f"{task.task_id}: each of {', '.join(found)} alone" if len(found) > MOST_SINGLE_FIXES else None
    yield Figure("tasks that some single variable solves", solved)


def single_fixes(task: Task, variables: Sequence[str]) -> list[str]:
    """Those of some variables that solve the task when moved alone from its last step."""
    last = place_of(task.spec, task.spec["history"][-1]["design"])
    found = []
    for name in variables:
        index = list(VARIABLES).index(name)
        ends = np.array([last, last]).T
        ends[index] = 0.0, 1.0
        if on_path(task.spec, ends) is not None:
            found.append(name)
    return found


def retraced(spec: Spec) -> Array:
    """The corners of the way back: from the last step over all steps, then straight on to the edge of the box."""
    places = [place_of(spec, step["design"]) for step in reversed(spec["history"])]
    if len(places) > 1:
        heading = places[-1] - places[-2]
        room = np.where(heading > 0, 1 - places[-1], places[-1])
        moving = np.abs(heading) > 1e-12
        if moving.any():
            places.append(places[-1] + heading * float((room[moving] / np.abs(heading[moving])).min()))
    return np.array(places).T


def on_path(spec: Spec, corners: Array) -> Design | None:
    """A design on the path through places of the box (6, corners) that meets all limits; None when none was found."""
    along, step = np.linspace(0.0, corners.shape[1] - 1, POINTS, retstep=True)
    slack = _slack_along(spec, corners, along)
    padded = np.concatenate([[-np.inf], slack, [-np.inf]])
    peaks = np.flatnonzero((slack >= padded[:-2]) & (slack >= padded[2:]))
    for peak in peaks[np.argsort(-slack[peaks])][:PEAKS]:
        best, reach = float(along[peak]), float(step)
        for _ in range(1 + CLOSER):
            if _slack_along(spec, corners, np.array([best]))[0] >= 0:
                place = _at(corners, np.array([best]))[:, 0]
                return {name: float(value) for name, value in design_at(spec, place).items()}
            close = np.clip(np.linspace(best - reach, best + reach, CLOSE_POINTS), 0.0, along[-1])
            best, reach = float(close[np.argmax(_slack_along(spec, corners, close))]), 2 * reach / (CLOSE_POINTS - 1)
    return None


def _slack_along(spec: Spec, corners: Array, along: Array) -> Array:
    return least_slack(spec, design_at(spec, _at(corners, along)))


def _at(corners: Array, along: Array) -> Array:
    knots = np.arange(corners.shape[1], dtype=float)
    places: Array = np.array([np.interp(along, knots, row) for row in corners])
    return places.clip(0.0, 1.0)
