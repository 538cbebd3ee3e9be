"""P1: is every label proven? Witnesses for propose, proofs for infeasible, both for what lacks information."""

from collections.abc import Mapping, Sequence

from vehbench_builder.audit.completed import field_of, inadmissible, stated_ranges, states
from vehbench_builder.audit.evidence import Evidence
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task

Found = Mapping[str, Evidence]

LEAST_WITNESS_SLACK = 1e-3
"""Share of every limit that a stored witness keeps in hand."""
SAME = 1e-6
LEAST_EXCESS, MOST_SHARE = 1.25, 0.88
"""Power target over the proven bound where a brief is infeasible, over the best power found where it is not."""


def triage_checks(bank: Bank, found: Found) -> list[Check]:
    """All checks of P1 labels; `found` holds what was proven about each task and each of its completions."""
    tasks = bank.select(("p1",))
    propose, infeasible, request = (
        [t for t in tasks if t.gold["action"] == action]
        for action in ("propose_design", "declare_infeasible", "request_missing_info")
    )
    return [
        whole(p1_propose_briefs_are_solvable, propose, found),
        each(p1_witnesses_keep_slack, propose, found),
        whole(p1_infeasible_briefs_are_proven, infeasible, found),
        each(p1_infeasible_briefs_have_margin, infeasible, found),
        each(p1_request_briefs_withhold_something, request),
        whole(p1_request_briefs_are_underdetermined, request, found),
        each(p1_completions_are_admissible, tasks),
        each(p1_one_design_solves_all_completions, propose),
        each(p1_bounds_hold, tasks, found),
        each(p1_targets_keep_their_distance, [t for t in tasks if t.gold["reference"] is not None]),
        each(p1_statements_agree, tasks),
    ]


def p1_propose_briefs_are_solvable(tasks: Sequence[Task], found: Found) -> Findings:
    """A design meets all limits of every propose brief, under every completion if the brief leaves something open."""
    refuted = 0
    for task in tasks:
        about = found[task.task_id].settled
        refuted += any(one.verdict == "infeasible" for one in about)
        wrong = [str(one) for one in about if one.verdict != "feasible"]
        yield f"{task.task_id}: {'; '.join(wrong) or found[task.task_id].failure}" if wrong or not about else None
    yield Figure("proven infeasible", refuted)


def p1_witnesses_keep_slack(task: Task, found: Found) -> Findings:
    """Every stored witness keeps 0.1 % of every limit in hand."""
    for one in found[task.task_id].settled:
        if one.stored and one.slack is not None:
            yield None if one.slack >= LEAST_WITNESS_SLACK else f"{one.name or 'witness'} keeps {one.slack:.4%}"


def p1_infeasible_briefs_are_proven(tasks: Sequence[Task], found: Found) -> Findings:
    """It is proven for every infeasible brief that no design meets all limits."""
    for task in tasks:
        about = found[task.task_id].settled
        wrong = [str(one) for one in about if one.verdict != "infeasible"]
        yield f"{task.task_id}: {'; '.join(wrong) or found[task.task_id].failure}" if wrong or not about else None
    stored = sum(all(one.stored for one in found[task.task_id].settled) for task in tasks)
    yield Figure("with a stored certificate", stored)


def p1_infeasible_briefs_have_margin(task: Task, found: Found) -> Findings:
    """Every infeasible brief stays infeasible with a power target 3 % lower, or a frequency limit 5 % wider."""
    margin = found[task.task_id].margin
    if margin is not None:
        yield None if margin.verdict == "infeasible" else f"with easier limits {margin}"


def p1_request_briefs_withhold_something(task: Task) -> Findings:
    """Every request brief lacks the number or name that its label calls missing."""
    missing = task.gold["missing_fields"]
    given = [name for name in missing if states(task.spec, field_of(name))]
    if not missing:
        yield "the label names no missing field"
    else:
        yield f"{', '.join(given)} is stated" if given else None


def p1_request_briefs_are_underdetermined(tasks: Sequence[Task], found: Found) -> Findings:
    """Every request brief has two admissible completions with opposite proven verdicts."""
    for task in tasks:
        about = found[task.task_id].settled
        verdicts = {one.verdict for one in about if not one.stored or one.name in _admissible(task)}
        said = "; ".join(f"{one.name} {one.verdict}" for one in about) or found[task.task_id].failure or "no completion"
        yield None if {"feasible", "infeasible"} <= verdicts else f"{task.task_id}: {said}"


def p1_completions_are_admissible(task: Task) -> Findings:
    """Every stored completion lies within what the brief says about the withheld field, ends of ranges included."""
    for entry in task.gold["completions"]:
        why = inadmissible(task.spec, entry["changes"])
        yield f"{entry['name']}: {why}" if why else None


def p1_one_design_solves_all_completions(task: Task) -> Findings:
    """A propose brief that leaves something open is solved by one design whatever that turns out to be."""
    if task.gold["completions"]:
        # A load that a completion fixes is no choice of the designer.
        witnesses = [
            {name: value for name, value in (one["witness"] or {}).items() if one["changes"].get(name) is None}
            for one in task.gold["completions"]
        ]
        yield None if all(w == witnesses[0] for w in witnesses) else "its completions need different designs"


def p1_bounds_hold(task: Task, found: Found) -> Findings:
    """The stored certificate proves the stored upper bound of a P1 brief's power."""
    if found[task.task_id].certified:
        yield found[task.task_id].bound_fault


def p1_targets_keep_their_distance(task: Task) -> Findings:
    """A power target is at most 88 % of the best power in propose briefs, 125 % of its bound or more in others."""
    reference, target = task.gold["reference"], task.spec["constraints"]["power_target_uw"]
    if reference is None or target is None:
        return
    power, bound = reference["power_uw"], reference["upper_bound_uw"]
    if task.gold["action"] == "declare_infeasible" and bound:
        yield (
            None if target >= LEAST_EXCESS * bound * (1 - SAME) else f"target {target / bound - 1:.1%} above the bound"
        )
    elif task.gold["action"] == "propose_design" and power:
        # A preference may lower what a red herring asks for, never raise it.
        yield None if target <= MOST_SHARE * power * (1 + SAME) else f"target {target / power:.1%} of the best power"


def p1_statements_agree(task: Task) -> Findings:
    """Two statements of a brief about one quantity give the same range."""
    for unit in ("Hz", "ohm", "rpm"):
        stated = stated_ranges(task.spec, unit)
        if len(stated) > 1:
            said = " and ".join(f"{low:g} to {high:g}" for low, high in stated)
            (low, high), *others = stated
            same = all(abs(a - low) <= SAME * low and abs(b - high) <= SAME * high for a, b in others)
            yield None if same else f"{said} {unit}"


def _admissible(task: Task) -> set[str]:
    return {entry["name"] for entry in task.gold["completions"] if inadmissible(task.spec, entry["changes"]) is None}
