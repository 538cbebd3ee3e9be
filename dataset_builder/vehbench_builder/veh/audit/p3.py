"""P3: are shown verdicts and claims what they should be, and does recovery take more than a fixed move?"""

from collections.abc import Sequence
from math import nan

import numpy as np

from vehbench_builder.audit.gold import agrees, not_built_here, part_of
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_builder.veh.p3.claims import claim_holds
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Design, HistoryStep, Spec, Task
from vehbench_oracle import VARIABLES, Verdict, box_violations
from vehbench_oracle.space import Array, designs_at, places_of
from vehbench_oracle.veh.domain import problem_of_brief

POINTS = 2001
"""Designs looked at along a line before the best places are looked at more closely."""
PEAKS = 4
"""Best places along a line that are looked at more closely."""
CLOSER, CLOSE_POINTS = 4, 201
"""How often, each time with so many designs between the two neighbours of the best one."""
MOST_SINGLE_FIXES = 1
"""How many variables may solve a task when moved alone."""
STEPS = 4
"""Steps of a P3 history, half of the budget."""


def p3_checks(bank: Bank) -> list[Check]:
    """All checks of P3 histories, and of what a fixed move achieves."""
    tasks = bank.select(("p3",))
    return [
        each(p3_traps_are_told, tasks, unless=not_built_here(bank)),
        each(p3_verdicts_recomputed, tasks),
        each(p3_flags_recomputed, tasks),
        each(p3_violations_recomputed, tasks),
        each(p3_steps_inside_the_box, tasks),
        each(p3_no_step_is_feasible, tasks),
        each(p3_last_step_infeasible, tasks),
        whole(p3_steps_differ, tasks),
        each(p3_claims_are_false, [t for t in tasks if part_of(t, "trap").get("claims")]),
        each(p3_retracing_fails, tasks),
        each(p3_reversal_fails, tasks),
        whole(p3_few_single_variable_fixes, tasks),
    ]


def p3_verdicts_recomputed(task: Task) -> Findings:
    """Power, slacks and metrics of every history are those of the final limits."""
    wrong = []
    for number, (step, verdict) in enumerate(_judged(task), start=1):
        shown = step["verdict"]
        stored = {**shown["slack"], **(shown["metrics"] or {}), "power_uw": shown["power_uw"]}
        computed = {**verdict.slack, **verdict.metrics, "power_uw": verdict.objective or nan}
        wrong += [f"step {number} {name}" for name, x in stored.items() if not agrees(x, computed.get(name, nan))]
    yield f"wrong: {', '.join(wrong[:4])}{' ..' if len(wrong) > 4 else ''}" if wrong else None


def p3_flags_recomputed(task: Task) -> Findings:
    """The feasible flag of every step is the oracle's under the final limits."""
    for number, (step, verdict) in enumerate(_judged(task), start=1):
        shown = step["verdict"]["feasible"]
        yield None if shown == verdict.feasible else f"step {number} says {shown}, the oracle {verdict.feasible}"


def p3_violations_recomputed(task: Task) -> Findings:
    """The list of broken limits of every step is the oracle's under the final limits."""
    for number, (step, verdict) in enumerate(_judged(task), start=1):
        shown, computed = sorted(step["verdict"]["violations"]), sorted(v.name for v in verdict.violations)
        yield None if shown == computed else f"step {number} lists {shown}, the oracle {computed}"


def p3_steps_inside_the_box(task: Task) -> Findings:
    """Every design of a history lies inside the bounds of its task."""
    for number, step in enumerate(task.spec["history"], start=1):
        outside = box_violations(VARIABLES, step["design"], task.spec["variable_bounds"])
        yield f"step {number}: {', '.join(v.name for v in outside)}" if outside else None


def p3_no_step_is_feasible(task: Task) -> Findings:
    """No history holds a feasible design, so that sending one again or resetting to it solves nothing."""
    feasible = [str(number) for number, (_, verdict) in enumerate(_judged(task), start=1) if verdict.feasible]
    yield f"feasible: step {', '.join(feasible)}" if feasible else None


def p3_last_step_infeasible(task: Task) -> Findings:
    """The last step of every history breaks a limit."""
    *_, (_, last) = _judged(task)
    yield "the last step is feasible" if last.feasible else None


def p3_steps_differ(tasks: Sequence[Task]) -> Findings:
    """No history shows one design twice, and no two histories are alike."""
    seen: dict[str, str] = {}
    for task in tasks:
        designs = [str(sorted(step["design"].items())) for step in task.spec["history"]]
        twin = seen.setdefault("".join(designs), task.task_id)
        repeats = len(set(designs)) < len(designs)
        fault = "a design occurs twice" if repeats else f"the history of {twin}" if twin != task.task_id else ""
        yield f"{task.task_id}: {fault}" if fault else None


def p3_claims_are_false(task: Task) -> Findings:
    """Every note of a history claims something about its step's verdict, and every claim is false."""
    claims = part_of(task, "trap")["claims"]
    for number in range(1, len(task.spec["history"]) + 1):
        own = [claim for claim in claims if claim["step"] == number]
        yield None if own else f"the note of step {number} claims nothing"
        for claim in own:
            sentence = f"{claim['left']} {claim['relation']} {claim['right']}"
            yield f"step {number}: {sentence} is true" if claim_holds(task.spec, claim) else None


def _judged(task: Task) -> list[tuple[HistoryStep, Verdict]]:
    return [(step, task.problem.judge(step["design"])) for step in task.spec["history"]]


def p3_retracing_fails(task: Task) -> Findings:
    """Walking back along the history and on beyond its first step meets no feasible design."""
    design = on_path(task.spec, retraced(task.spec))
    yield None if design is None else f"solved by {design}"


def p3_reversal_fails(task: Task) -> Findings:
    """Moving the trap's variable alone, from the last step to anywhere in its range, solves nothing."""
    variable = part_of(task, "trap").get("variable")
    if variable in VARIABLES:
        yield f"{variable} alone solves it" if single_fixes(task, [variable]) else None


def p3_few_single_variable_fixes(tasks: Sequence[Task]) -> Findings:
    """At most one variable, moved alone from the last step, solves a task."""
    solved = 0
    for task in tasks:
        fixes = single_fixes(task, list(VARIABLES))
        solved += bool(fixes)
        yield f"{task.task_id}: each of {', '.join(fixes)} alone" if len(fixes) > MOST_SINGLE_FIXES else None
    yield Figure("tasks that some single variable solves", solved)


def single_fixes(task: Task, variables: Sequence[str]) -> list[str]:
    """Those of some variables that solve the task when moved alone from its last step."""
    last = places_of(task.problem, task.spec["history"][-1]["design"])
    fixes = []
    for name in variables:
        ends = np.array([last, last]).T
        ends[list(VARIABLES).index(name)] = 0.0, 1.0
        if on_path(task.spec, ends) is not None:
            fixes.append(name)
    return fixes


def retraced(spec: Spec) -> Array:
    """The corners of the way back: from the last step over all steps, then straight on to the edge of the box."""
    places = [places_of(problem_of_brief(spec), step["design"]) for step in reversed(spec["history"])]
    if len(places) > 1:
        first, heading = places[-1], places[-1] - places[-2]
        moving = np.abs(heading) > 1e-12
        room = np.where(heading > 0, 1 - first, first)[moving] / np.abs(heading[moving])
        if moving.any():
            places.append(first + heading * float(room.min()))
    return np.array(places).T


def on_path(spec: Spec, corners: Array) -> Design | None:
    """A design on the path through places of the box (6, corners) that meets all limits; None when none was found."""
    problem, knots = problem_of_brief(spec), np.arange(corners.shape[1])

    def designs(along: Array) -> dict[str, Array]:
        return designs_at(problem, np.array([np.interp(along, knots, row) for row in corners]).clip(0.0, 1.0))

    along, step = np.linspace(0.0, knots[-1], POINTS, retstep=True)
    slack = problem.least_slack(designs(along))
    padded = np.concatenate([[-np.inf], slack, [-np.inf]])
    peaks = np.flatnonzero((slack >= padded[:-2]) & (slack >= padded[2:]))
    for peak in peaks[np.argsort(-slack[peaks])][:PEAKS]:
        best, reach = float(along[peak]), float(step)
        for _ in range(1 + CLOSER):
            close = np.clip(np.linspace(best - reach, best + reach, CLOSE_POINTS), 0.0, knots[-1])
            slack = problem.least_slack(designs(close))
            best, reach = float(close[slack.argmax()]), 2 * reach / (CLOSE_POINTS - 1)
            if slack.max() >= 0:
                return {name: float(value[0]) for name, value in designs(np.array([best])).items()}
    return None


def p3_traps_are_told(task: Task) -> Findings:
    """Every history has four steps with a note each, a trap of the task's subtype, and claims of its notes."""
    history, trap = task.spec["history"], part_of(task, "trap")
    faults = [] if len(history) == STEPS else [f"{len(history)} steps"]
    faults += [f"step {number} has no note" for number, step in enumerate(history, start=1) if not step["note"].strip()]
    faults += [] if trap.get("type") == task.subtype else [f"trap {trap.get('type')}, subtype {task.subtype}"]
    faults += [] if trap.get("claims") else ["no claims"]
    yield "; ".join(faults) or None
