"""P1: is every label proven, and can an estimate tell a brief near the limit of the possible from one beyond it?"""

from collections.abc import Callable, Sequence

import numpy as np

from vehbench_builder.audit.gold import not_built_here, part_of
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_builder.veh.audit.completions import field_of, inadmissible, stated_ranges, states
from vehbench_builder.veh.audit.evidence import EvidenceById
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Spec, Task
from vehbench_oracle.space import Array, centre, designs_at
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO, GRAVITY_M_S2
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.problem import VehProblem

PROPOSE, INFEASIBLE, REQUEST = "propose_design", "declare_infeasible", "request_missing_info"
LEAST_WITNESS_SLACK = 1e-3
"""Share of every limit that a stored witness keeps in hand."""
SAME = 1e-6
LEAST_EXCESS, MOST_SHARE = 1.25, 0.88
"""Power target over the proven bound where a brief is infeasible, over the best power found where it is not."""
CALLS = 400
"""Oracle calls of the second estimate."""
SPREADS = (None, 0.2, 0.1, 0.05, 0.02)
"""How far its rounds look around the best design so far, in shares of each range; None: anywhere."""
LEAST_SEPARATION = 0.9
"""Share of pairs of a solvable and an infeasible brief that the second estimate puts in the right order."""
ENOUGH = 5
SEED = 400


def p1_checks(bank: Bank, evidence: EvidenceById) -> list[Check]:
    """All checks of P1; `evidence` is what was proven about each task and each of its completions."""
    tasks = bank.select(("p1",))
    propose, infeasible, request = (
        [t for t in tasks if t.gold["action"] == action] for action in (PROPOSE, INFEASIBLE, REQUEST)
    )
    boundary, beyond = (
        [t for t in tasks if t.subtype == subtype] for subtype in ("solvable_boundary", "infeasible_margin")
    )
    few = f"{len(boundary)} boundary and {len(beyond)} infeasible briefs"
    enough = min(len(boundary), len(beyond)) >= ENOUGH
    return [
        whole(p1_propose_briefs_are_solvable, propose, evidence),
        each(p1_witnesses_keep_slack, propose, evidence),
        whole(p1_infeasible_briefs_are_proven, infeasible, evidence),
        each(p1_infeasible_briefs_have_margin, infeasible, evidence),
        each(p1_request_briefs_withhold_something, request),
        whole(p1_request_briefs_are_underdetermined, request, evidence),
        each(only_requests_name_missing_fields, tasks, unless=not_built_here(bank)),
        each(p1_completions_are_admissible, tasks),
        each(p1_one_design_solves_all_completions, propose),
        each(p1_bounds_hold, tasks, evidence),
        each(p1_targets_keep_their_distance, [t for t in tasks if t.gold["reference"] is not None]),
        each(p1_statements_agree, tasks),
        whole(p1_estimates_tell_boundary_from_margin, boundary, beyond, unless=None if enough else few),
    ]


def p1_propose_briefs_are_solvable(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """A design meets all limits of every propose brief, under every completion if the brief leaves something open."""
    yield from _decided(tasks, evidence, "feasible")
    refuted = sum(any(d.verdict == "infeasible" for d in evidence[task.task_id].decisions) for task in tasks)
    yield Figure("proven infeasible", refuted)


def p1_witnesses_keep_slack(task: Task, evidence: EvidenceById) -> Findings:
    """Every stored witness keeps 0.1 % of every limit in hand."""
    for decision in evidence[task.task_id].decisions:
        if decision.stored and decision.slack is not None:
            name = decision.name or "witness"
            yield None if decision.slack >= LEAST_WITNESS_SLACK else f"{name} keeps {decision.slack:.4%}"


def p1_infeasible_briefs_are_proven(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """It is proven for every infeasible brief that no design meets all limits."""
    yield from _decided(tasks, evidence, "infeasible")
    stored = sum(all(decision.stored for decision in evidence[task.task_id].decisions) for task in tasks)
    yield Figure("with a stored certificate", stored)


def _decided(tasks: Sequence[Task], evidence: EvidenceById, verdict: str) -> Findings:
    """One case a task: whether all that was found out about it is one verdict."""
    for task in tasks:
        decisions = evidence[task.task_id].decisions
        wrong = "; ".join(str(decision) for decision in decisions if decision.verdict != verdict)
        wrong = wrong if decisions else str(evidence[task.task_id].failure)
        yield f"{task.task_id}: {wrong}" if wrong else None


def p1_infeasible_briefs_have_margin(task: Task, evidence: EvidenceById) -> Findings:
    """Every infeasible brief stays infeasible with a power target 3 % lower, or a frequency limit 5 % wider."""
    margin = evidence[task.task_id].margin
    if margin is not None:
        yield None if margin.verdict == "infeasible" else f"with easier limits {margin}"


def p1_request_briefs_withhold_something(task: Task) -> Findings:
    """Every request brief lacks the number or name that its label calls missing."""
    missing = task.gold["missing_fields"]
    given = [name for name in missing if states(task.spec, field_of(name))]
    yield f"{', '.join(given)} is stated" if given else None if missing else "the label names no missing field"


def p1_request_briefs_are_underdetermined(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """Every request brief has two admissible completions with opposite proven verdicts."""
    for task in tasks:
        decisions, stored = evidence[task.task_id].decisions, task.gold["completions"]
        admissible = {entry["name"] for entry in stored if inadmissible(task.spec, entry["changes"]) is None}
        verdicts = {decision.verdict for decision in decisions if not decision.stored or decision.name in admissible}
        told = "; ".join(f"{decision.name} {decision.verdict}" for decision in decisions)
        told = told or evidence[task.task_id].failure or "no completion"
        yield None if {"feasible", "infeasible"} <= verdicts else f"{task.task_id}: {told}"


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
            {name: x for name, x in (completion["witness"] or {}).items() if completion["changes"].get(name) is None}
            for completion in task.gold["completions"]
        ]
        yield None if all(w == witnesses[0] for w in witnesses) else "its completions need different designs"


def p1_bounds_hold(task: Task, evidence: EvidenceById) -> Findings:
    """The stored certificate proves the stored upper bound of a P1 brief's power."""
    if evidence[task.task_id].certified:
        yield evidence[task.task_id].bound_fault


def p1_targets_keep_their_distance(task: Task) -> Findings:
    """A power target is at most 88 % of the best power in propose briefs, 125 % of its bound or more in others."""
    reference, target = part_of(task, "reference"), task.spec["constraints"]["power_target_uw"]
    power, bound, infeasible = reference["power_uw"], reference["upper_bound_uw"], task.gold["action"] == INFEASIBLE
    if infeasible and target and bound and target < LEAST_EXCESS * bound * (1 - SAME):
        yield f"target {target / bound - 1:.1%} above the bound"
    # A preference may lower what a red herring asks for, never raise it.
    elif task.gold["action"] == PROPOSE and target and power and target > MOST_SHARE * power * (1 + SAME):
        yield f"target {target / power:.1%} of the best power"
    elif target:
        yield None


def p1_statements_agree(task: Task) -> Findings:
    """Two statements of a brief about one quantity give the same range."""
    for unit in ("Hz", "ohm", "rpm"):
        stated = stated_ranges(task.spec, unit)
        if len(stated) > 1:
            ranges = " and ".join(f"{low:g} to {high:g}" for low, high in stated)
            (low, high), *others = stated
            same = all(abs(a - low) <= SAME * low and abs(b - high) <= SAME * high for a, b in others)
            yield None if same else f"{ranges} {unit}"


def p1_estimates_tell_boundary_from_margin(boundary: Sequence[Task], beyond: Sequence[Task]) -> Findings:
    """A search of 400 oracle calls puts 90 % of the pairs of a boundary and an infeasible brief in order."""
    by_formula = separation(boundary, beyond, matched_power_uw)
    by_calls = separation(boundary, beyond, best_of_calls_uw)
    yield Figure("pairs in order by the power of a matched load at resonance", by_formula)
    yield Figure(f"pairs in order by a search of {CALLS} oracle calls", by_calls)
    yield None if by_calls >= LEAST_SEPARATION else f"only {by_calls:.1%} are in the right order"


def separation(easy: Sequence[Task], hard: Sequence[Task], estimate: Callable[[Spec], float]) -> float:
    """The share of pairs in which the estimate over the target is larger for the easy brief; ties count half."""
    a, b = (
        np.array([estimate(t.spec) / problem_of_brief(t.spec).limit("power_target_uw") for t in tasks])
        for tasks in (easy, hard)
    )
    return float((np.sign(a[:, None] - b[None, :]) + 1).mean() / 2)


def matched_power_uw(spec: Spec) -> float:
    """m a^2 / (16 zeta w) of the middle of the box at the excitation: what a matched load takes at resonance."""
    problem = problem_of_brief(spec)
    setting, response = problem.setting, problem.respond(centre(problem))
    acceleration, omega = GRAVITY_M_S2 * setting["acceleration_g"], 2 * np.pi * setting["frequency_hz"]
    zeta = setting["damping_ratio"] or DEFAULT_DAMPING_RATIO
    return 1e6 * float(response.effective_mass_kg) * acceleration**2 / (16 * zeta * omega)


def best_of_calls_uw(spec: Spec) -> float:
    """The best of 400 designs: a fifth of them random, the rest in four rounds around the best one so far.

    A design that breaks a limit counts with its power divided by (1 + excess)^2, since amplitudes near a limit go
    with the root of the power.
    """
    draw, problem = np.random.default_rng(SEED), problem_of_brief(spec)
    middle, best = np.full((len(problem.variables), 1), 0.5), -np.inf
    for spread in SPREADS:
        shape = (len(problem.variables), CALLS // len(SPREADS))
        places = draw.random(shape) if spread is None else middle + spread * draw.standard_normal(shape)
        places = places.clip(0.0, 1.0)
        worth = _worth(problem, places)
        if worth.max() > best:
            best, middle = float(worth.max()), places[:, [int(worth.argmax())]]
    return best


def _worth(problem: VehProblem, places: Array) -> Array:
    response = problem.respond(designs_at(problem, places))
    upper = [limit for limit in problem.limits.values() if limit.upper]
    shares = [limit.share(limit.slack(getattr(response, limit.metric))) for limit in upper]
    return np.asarray(response.load_power_uw / (1 + np.sum(np.maximum(0.0, np.negative(shares)), axis=0)) ** 2)


def only_requests_name_missing_fields(task: Task) -> Findings:
    """A P1 label names missing fields exactly where the action is to ask for them."""
    asks, missing = task.gold["action"] == REQUEST, task.gold["missing_fields"]
    yield None if asks == bool(missing) else f"{task.gold['action']} with missing {', '.join(missing) or 'nothing'}"
