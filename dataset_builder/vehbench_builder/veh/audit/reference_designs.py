"""P2 and P3: is every reference a feasible design with the stored power, and proven close to the best there is?"""

from collections.abc import Sequence
from math import isclose

from vehbench_builder.audit.gold import not_built_here, part_of
from vehbench_builder.audit.report import Check, Figure, Findings, each, whole
from vehbench_builder.veh.audit import proofs
from vehbench_builder.veh.audit.evidence import EvidenceById
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task

POWER_TOLERANCE = 1e-6
"""Relative; what rounding a design to six decimals may change."""
MOST_BELOW = 0.05
"""By how much the best design may exceed a reference, as a share of it."""
LEVELS = (0.01, 0.02, 0.05, 0.10)
EDGE = 1e-9
"""A bound is a reference times, say, 1.05 in floating point, and may come out a last digit above that."""
MOST_BEYOND_TWO = 0.05
"""Largest share of references that may be more than 2 % below the best."""


def reference_checks(bank: Bank, evidence: EvidenceById) -> list[Check]:
    """All checks of references; `evidence` has verified certificates and what searches found."""
    p2, p3 = bank.select(("p2",)), bank.select(("p3",))
    tasks = [*p2, *p3]
    certified = [t for t in tasks if evidence[t.task_id].certified]
    few = None if len(certified) >= 40 else f"{len(certified)} certified references say nothing about shares"
    released = "the release stores no witnesses" if bank.version.startswith("veh-v1") else None
    return [
        each(references_are_stated, tasks),
        each(references_are_feasible, tasks),
        each(reference_powers_recomputed, tasks),
        each(reference_certificates_hold, tasks, evidence),
        whole(p2_references_within_five_percent, p2, evidence),
        whole(p3_references_within_five_percent, p3, evidence),
        whole(most_references_within_two_percent, certified, evidence, unless=few),
        whole(p2_older_references_within_five_percent, p2, evidence),
        whole(p3_tasks_are_solvable_with_slack, p3, evidence),
        each(p3_witnesses_are_stored, p3, unless=released),
        each(proofs_are_stored, [t for t in bank.tasks if t.probe != "p4"], evidence, unless=not_built_here(bank)),
    ]


def references_are_stated(task: Task) -> Findings:
    """Every P2 and P3 task has a reference design with a power above zero."""
    reference = part_of(task, "reference")
    lacks = [name for name in ("design", "power_uw") if reference.get(name) is None]
    faults = [f"no {' and no '.join(lacks)}"] if lacks else []
    faults += [f"power {power} uW"] if (power := reference.get("power_uw")) is not None and power <= 0 else []
    yield "; ".join(faults) or None


def references_are_feasible(task: Task) -> Findings:
    """Every reference design lies inside the bounds and meets every limit."""
    if design := part_of(task, "reference").get("design"):
        verdict = task.problem.judge(design)
        yield None if verdict.feasible else verdict.message


def reference_powers_recomputed(task: Task) -> Findings:
    """The oracle gives the stored power for every reference design, to a millionth."""
    reference = part_of(task, "reference")
    if reference.get("design") and (stored := reference["power_uw"]) is not None:
        power = task.problem.judge(reference["design"]).metrics["load_power_uw"]
        same = isclose(stored, power, rel_tol=POWER_TOLERANCE)
        yield None if same else f"stored {stored!r} uW, the oracle gives {power!r} uW"


def reference_certificates_hold(task: Task, evidence: EvidenceById) -> Findings:
    """The stored certificate proves the stored upper bound, which is not below the reference."""
    proven, (power, bound) = evidence[task.task_id], task.reference_values()
    if proven.certified:
        below = power is None or bound is None or bound < power
        yield proven.bound_fault or (f"bound {bound} uW, reference {power} uW" if below else None)


def p2_references_within_five_percent(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """No P2 design exceeds its reference by more than 5 %: proven where certified, else none that a search found."""
    yield from _within(tasks, evidence, "power_uw")


def p3_references_within_five_percent(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """No P3 design exceeds its reference by more than 5 %: proven where certified, else none that a search found."""
    yield from _within(tasks, evidence, "power_uw")


def p2_older_references_within_five_percent(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """No P2 design exceeds an older reference that the bank also keeps by more than 5 %."""
    yield from _within(tasks, evidence, "power_uw_older")


def most_references_within_two_percent(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """95 % of the certified references are within 2 % of the global optimum."""
    excess = {task.task_id: _excess(task, evidence, "power_uw") for task in tasks}
    beyond = {name: value for name, value in excess.items() if value is None or value > 0.02 + EDGE}
    too_many = len(beyond) > MOST_BEYOND_TWO * len(tasks)
    for name, value in excess.items():
        yield f"{name}: {_percent(value)}" if too_many and name in beyond else None
    yield Figure("beyond 2 %", len(beyond))


def p3_tasks_are_solvable_with_slack(tasks: Sequence[Task], evidence: EvidenceById) -> Findings:
    """Some design of every P3 task, the stored witness or else one found, keeps 0.45 % of every limit in hand."""
    roomy = {task.task_id: evidence[task.task_id].roomy for task in tasks}
    for name, decision in roomy.items():
        shown = decision is not None and decision.verdict == "feasible"
        yield None if shown else f"{name}: {decision or evidence[name].failure}"
    if tasks:
        stored = sum(decision is not None and decision.stored for decision in roomy.values())
        yield Figure("shown by a stored witness", stored)


def p3_witnesses_are_stored(task: Task) -> Findings:
    """Every P3 task stores the design that shows it to be solvable with slack, so that no search is needed."""
    yield None if task.gold["witness"] is not None else "no witness"


def _within(tasks: Sequence[Task], evidence: EvidenceById, field: str) -> Findings:
    """One case for each reference above zero, with the shares at `LEVELS`."""
    excess = {t.task_id: value for t in tasks if (value := _excess(t, evidence, field)) is not None}
    for name, value in excess.items():
        yield f"{name}: {_percent(value)} above the reference" if value > MOST_BELOW + EDGE else None
    if excess:
        for level in LEVELS:
            yield Figure(f"more than {level:.0%} above the reference", sum(v > level + EDGE for v in excess.values()))
        yield Figure("share within 1 %", sum(v <= 0.01 + EDGE for v in excess.values()) / len(excess))
        yield Figure("largest ratio", 1 + max(excess.values()))
        yield Figure("certified", sum(evidence[name].certified for name in excess))
        strongest = [s for t in tasks if (s := evidence[t.task_id].strongest_uw) is not None]
        yield Figure("strongest designs below 1e-3 uW", sum(s < 1e-3 for s in strongest))


def _excess(task: Task, evidence: EvidenceById, field: str) -> float | None:
    """How far the proven bound, or the strongest design found, is above a reference; None where one is unknown."""
    reference, proven = part_of(task, "reference"), evidence[task.task_id]
    power, best = reference.get(field), reference.get("upper_bound_uw") if proven.certified else proven.strongest_uw
    return float(best / power - 1) if power and best is not None else None


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2%}"


def proofs_are_stored(task: Task, evidence: EvidenceById) -> Findings:
    """Every label and every reference comes with its witness or certificate, so that nobody has to search for one."""
    proven, gold = evidence[task.task_id], task.gold
    if task.probe != "p1":
        bound = part_of(task, "reference").get("upper_bound_uw")
        yield None if proven.certified and bound is not None else "no certificate or no bound of its reference"
        return
    searched = [decision.name or decision.verdict for decision in proven.decisions if not decision.stored]
    stated = [gold["certificate"], *(completion["certificate"] for completion in gold["completions"])]
    in_words = any(text and proofs.certificate_in(text) is None for text in stated)
    if searched or in_words or (not proven.decisions and not proven.failure):
        yield f"no stored proof for {', '.join(searched) or 'its label'}"
    else:
        asks = gold["action"] == "request_missing_info"
        yield "no completions are stored" if asks and not gold["completions"] else None
