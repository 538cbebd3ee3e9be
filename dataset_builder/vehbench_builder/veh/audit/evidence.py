"""The expensive part of an audit: verifying proofs, and searching where a bank stores none. One task at a time."""

import multiprocessing
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from vehbench_builder.audit.gold import part_of
from vehbench_builder.audit.report import Progress
from vehbench_builder.veh.audit import proofs
from vehbench_builder.veh.audit.completions import completed, field_of, states, tried_completions
from vehbench_builder.veh.audit.proofs import Decision, decide
from vehbench_builder.workers import end_with_parent
from vehbench_hf.types import Completion, Spec, Task
from vehbench_oracle import OracleError
from vehbench_oracle.veh.domain import problem_of_brief

POWER_MARGIN = 1.03
"""An infeasible brief stays infeasible with its power target divided by this."""
FREQUENCY_MARGIN_PCT = 5.0
"""One that no power target would save stays infeasible with its frequency limit wider by this many percent."""
LEAST_WITNESS_SLACK = 0.0045
"""Share of every limit that some design of a P3 task keeps in hand."""


@dataclass(frozen=True)
class Evidence:
    """What was found out about one task.

    `decisions` are about a P1 brief or each of its completions, `margin` about an infeasible brief with easier limits.
    `certified` says that an upper bound with a certificate is stored, `bound_fault` why that does not hold.
    `strongest_uw` is the largest power that a search found for a reference without certificate. `roomy` is about a P3
    brief whose limits leave slack. `failure` says why nothing could be found out.
    """

    decisions: tuple[Decision, ...] = ()
    margin: Decision | None = None
    certified: bool = False
    bound_fault: str | None = None
    strongest_uw: float | None = None
    roomy: Decision | None = None
    failure: str | None = None


EvidenceById = Mapping[str, Evidence]


def gather(tasks: Iterable[Task], jobs: int = 1, progress: Progress | None = None) -> EvidenceById:
    """The evidence about each task by id, with `jobs` processes. `progress` is told how many of how many are done.

    P4 tasks need none and get none.
    """
    wanted = [task for task in tasks if task.probe != "p4"]
    by_id: dict[str, Evidence] = {}
    for task, evidence in zip(wanted, _mapped(wanted, jobs), strict=True):
        by_id[task.task_id] = evidence
        if progress:
            progress(len(by_id), len(wanted))
    return by_id


def evidence_of(task: Task) -> Evidence:
    """Everything that can be found out about one task by verifying and searching."""
    spec, gold = task.spec, task.gold
    try:
        certified = gold["reference"] is not None and proofs.certificate_in(gold["certificate"]) is not None
        searched = task.probe != "p1" and not certified and part_of(task, "reference").get("power_uw") is not None
        infeasible = task.probe == "p1" and gold["action"] == "declare_infeasible"
        return Evidence(
            decisions=tuple(_decisions(task)) if task.probe == "p1" else (),
            margin=decide(_eased(spec), infeasible=True) if infeasible else None,
            certified=certified,
            bound_fault=proofs.bound_fault(task) if certified else None,
            strongest_uw=_strongest_uw(spec) if searched else None,
            roomy=decide(_tightened(spec), witness=gold["witness"]) if task.probe == "p3" else None,
        )
    except (OracleError, ValueError, TypeError, KeyError) as error:
        return Evidence(failure=f"cannot be evaluated, {type(error).__name__}: {error}")


def _mapped(tasks: list[Task], jobs: int) -> Iterator[Evidence]:
    if jobs <= 1:
        yield from map(evidence_of, tasks)
        return
    # "spawn": a fresh interpreter, so that no thread of a numeric library is copied half way through its work.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=end_with_parent) as pool:
        yield from pool.map(evidence_of, tasks, chunksize=2)


def _decisions(task: Task) -> Iterator[Decision]:
    """About a P1 brief, or about completions of it."""
    spec, gold = task.spec, task.gold
    infeasible = gold["action"] == "declare_infeasible"
    if gold["completions"]:
        yield from (_about_completion(spec, completion) for completion in gold["completions"])
    elif gold["action"] == "request_missing_info":
        for name in gold["missing_fields"]:
            yield from _about_tried(spec, field_of(name))
    elif missing := [name for name in ("frequency_hz", "acceleration_g") if not states(spec, name)]:
        yield Decision("", "open", f"the brief withholds {', '.join(missing)}", False)
    elif infeasible:
        yield decide(spec, certificate=gold["certificate"], infeasible=True)
    else:
        yield decide(spec, witness=gold["witness"])


def _about_completion(spec: Spec, stored: Completion) -> Decision:
    name, feasible = stored["name"], stored["feasible"]
    try:
        brief = completed(spec, stored["changes"])
    except ValueError as error:
        return Decision(name, "open", str(error), True)
    witness, certificate = (stored["witness"], None) if feasible else (None, stored["certificate"])
    decision = decide(brief, name=name, witness=witness, certificate=certificate, infeasible=not feasible)
    label = "feasible" if feasible else "infeasible"
    if decision.verdict in ("open", label):
        return decision
    return Decision(name, "open", f"stored as {label}, found {decision.verdict}", True)


def _about_tried(spec: Spec, field: str) -> Iterator[Decision]:
    """Completions of a withheld field until both verdicts have been seen, the brief as it is where it states it."""
    if states(spec, field):
        yield decide(spec, name="as written")
        return
    verdicts = set()
    for changes in tried_completions(spec, field):
        decision = decide(completed(spec, changes), name=f"{field} = {changes[field]}")
        yield decision
        verdicts.add(decision.verdict)
        if {"feasible", "infeasible"} <= verdicts:
            return


def _strongest_uw(spec: Spec) -> float | None:
    design = proofs.strongest(_limited(spec, power_target_uw=0.0))
    return None if design is None else float(problem_of_brief(spec).respond(design).load_power_uw)


def _limited(spec: Spec, **limits: float) -> Spec:
    """The brief with some of its limits changed."""
    return {**spec, "constraints": {**spec["constraints"], **limits}}


def _tightened(spec: Spec) -> Spec:
    """The brief with every limit harder by `LEAST_WITNESS_SLACK`."""
    limits = problem_of_brief(spec).limits.values()
    factors = {True: 1 - LEAST_WITNESS_SLACK, False: 1 + LEAST_WITNESS_SLACK}
    return _limited(spec, **{limit.name: limit.value * factors[limit.upper] for limit in limits})


def _eased(spec: Spec) -> Spec:
    """An infeasible brief with limits that are easier by the required margin."""
    limit = problem_of_brief(spec).limit
    if proofs.is_infeasible_at_any_power(spec):
        return _limited(spec, freq_error_pct_limit=limit("freq_error_pct_limit") + FREQUENCY_MARGIN_PCT)
    return _limited(spec, power_target_uw=limit("power_target_uw") / POWER_MARGIN)
