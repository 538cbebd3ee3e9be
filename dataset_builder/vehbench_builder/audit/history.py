"""P3: are the shown verdicts those of the final limits, the claims of the notes false, no step already the answer?"""

from collections.abc import Sequence

from vehbench_builder.audit.gold import trap_of
from vehbench_builder.audit.recomputed import agrees
from vehbench_builder.audit.report import Check, Findings, each, whole
from vehbench_builder.veh.p3.claims import claim_holds
from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import HistoryStep, Task
from vehbench_oracle import VARIABLES, Verdict, box_violations


def history_checks(bank: Bank) -> list[Check]:
    """All checks of P3 histories."""
    tasks = bank.select(("p3",))
    return [
        each(p3_verdicts_recomputed, tasks),
        each(p3_flags_recomputed, tasks),
        each(p3_violations_recomputed, tasks),
        each(p3_steps_inside_the_box, tasks),
        each(p3_no_step_is_feasible, tasks),
        each(p3_last_step_infeasible, tasks),
        whole(p3_steps_differ, tasks),
        each(p3_claims_are_false, [t for t in tasks if trap_of(t)["claims"]]),
    ]


def p3_verdicts_recomputed(task: Task) -> Findings:
    """Power, slacks and metrics of every history are those of the final limits."""
    wrong = []
    for number, (step, verdict) in enumerate(_judged(task), start=1):
        shown = step["verdict"]
        stored = {**shown["slack"], **(shown["metrics"] or {})}
        computed = {**verdict.slack, **verdict.metrics}
        bad = [name for name in stored if name not in computed or not agrees(stored[name], computed[name])]
        if not agrees(shown["power_uw"], verdict.metrics["load_power_uw"]):
            bad.append("power_uw")
        wrong += [f"step {number} {name}" for name in bad]
    yield f"wrong: {', '.join(wrong[:4])}{' ..' if len(wrong) > 4 else ''}" if wrong else None


def p3_flags_recomputed(task: Task) -> Findings:
    """The feasible flag of every step is the oracle's under the final limits."""
    for number, (step, verdict) in enumerate(_judged(task), start=1):
        said = step["verdict"]["feasible"]
        yield None if said == verdict.feasible else f"step {number} says {said}, the oracle {verdict.feasible}"


def p3_violations_recomputed(task: Task) -> Findings:
    """The list of broken limits of every step is the oracle's under the final limits."""
    for number, (step, verdict) in enumerate(_judged(task), start=1):
        said, found = sorted(step["verdict"]["violations"]), sorted(v.name for v in verdict.violations)
        yield None if said == found else f"step {number} lists {said}, the oracle {found}"


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
        said = "a design occurs twice" if repeats else f"the history of {twin}" if twin != task.task_id else ""
        yield f"{task.task_id}: {said}" if said else None


def p3_claims_are_false(task: Task) -> Findings:
    """Every note of a history claims something about its step's verdict, and every claim is false."""
    claims = trap_of(task)["claims"]
    for number in range(1, len(task.spec["history"]) + 1):
        own = [claim for claim in claims if claim["step"] == number]
        yield None if own else f"the note of step {number} claims nothing"
        for claim in own:
            said = f"{claim['left']} {claim['relation']} {claim['right']}"
            yield f"step {number}: {said} is true" if claim_holds(task.spec, claim) else None


def _judged(task: Task) -> list[tuple[HistoryStep, Verdict]]:
    return [(step, judge_for(task.spec, step["design"])) for step in task.spec["history"]]
