"""What banks built here promise beyond what any bank must: proofs in every row, one shape a probe, no given start."""

from collections.abc import Mapping, Sequence
from typing import Any

from vehbench_builder.audit import paper, proofs
from vehbench_builder.audit.evidence import Evidence
from vehbench_builder.audit.gold import reference_of, trap_of
from vehbench_builder.audit.report import Check, Findings, each, skipped, whole
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task

Found = Mapping[str, Evidence]

STEPS = 4
"""Steps of a P3 history, half of the budget."""


def stored_checks(bank: Bank, found: Found) -> list[Check]:
    """All checks of what only banks of this builder promise."""
    checks = (proofs_are_stored, only_requests_name_missing_fields, no_brief_names_a_start, p3_traps_are_told)
    if not bank.version.startswith(paper.BUILT_HERE):
        why = f"{bank.version} was not built here"
        others = (p4_subtype_is_the_profile, one_key_is_one_device, rows_name_their_bank)
        return [skipped(check, why) for check in (*checks, *others)]
    return [
        each(proofs_are_stored, [t for t in bank.tasks if t.probe != "p4"], found),
        each(only_requests_name_missing_fields, bank.select(("p1",))),
        each(no_brief_names_a_start, bank.tasks),
        each(p3_traps_are_told, bank.select(("p3",))),
        each(p4_subtype_is_the_profile, bank.select(("p4",))),
        whole(one_key_is_one_device, bank.tasks),
        each(rows_name_their_bank, bank.tasks, bank.version),
    ]


def proofs_are_stored(task: Task, found: Found) -> Findings:
    """Every label and every reference comes with its witness or certificate, so that nobody has to search for one."""
    evidence, gold = found[task.task_id], task.gold
    searched = [one.name or one.verdict for one in evidence.settled if not one.stored]
    in_words = [c for c in _certificates(task) if proofs.certificate_in(c) is None]
    if task.probe == "p1":
        if searched or in_words or (not evidence.settled and not evidence.failure):
            yield f"no stored proof for {', '.join(searched) or 'its label'}"
        elif task.gold["action"] == "request_missing_info" and not gold["completions"]:
            yield "no completions are stored"
        else:
            yield None
    else:
        bound = reference_of(task)["upper_bound_uw"]
        yield None if evidence.certified and bound is not None else "no certificate or no bound of its reference"


def only_requests_name_missing_fields(task: Task) -> Findings:
    """A P1 label names missing fields exactly where the action is to ask for them."""
    asks, missing = task.gold["action"] == "request_missing_info", task.gold["missing_fields"]
    yield None if asks == bool(missing) else f"{task.gold['action']} with missing {', '.join(missing) or 'nothing'}"


def no_brief_names_a_start(task: Task) -> Findings:
    """No brief states an initial design."""
    yield "it states one" if task.spec["initial_design"] is not None else None


def p3_traps_are_told(task: Task) -> Findings:
    """Every history has four steps with a note each, a trap of the task's subtype, and claims of its notes."""
    history, trap = task.spec["history"], trap_of(task)
    said = [] if len(history) == STEPS else [f"{len(history)} steps"]
    said += [f"step {number} has no note" for number, step in enumerate(history, start=1) if not step["note"].strip()]
    said += [] if trap["type"] == task.subtype else [f"trap {trap['type'] or 'none'}, subtype {task.subtype}"]
    said += [] if trap["claims"] else ["no claims"]
    yield "; ".join(said) or None


def p4_subtype_is_the_profile(task: Task) -> Findings:
    """The subtype of a P4 task is its profile."""
    profile = task.spec["profile"]
    yield None if task.subtype == profile else f"subtype {task.subtype}, profile {profile}"


def one_key_is_one_device(tasks: Sequence[Task]) -> Findings:
    """All tasks of one anchor name the same paper, and those of P2 and P3 the same anchor design."""
    papers: dict[str, Any] = {}
    designs: dict[str, Any] = {}
    for task in tasks:
        key = task.anchor["key"] if task.anchor else ""
        said = [] if papers.setdefault(key, task.anchor) == task.anchor else ["another paper"]
        if task.probe in ("p2", "p3"):
            design = task.gold["anchor_design"]
            said += [] if designs.setdefault(key, design) == design else ["another anchor design"]
        yield f"{task.task_id}: {' and '.join(said)} under the key {key}" if said else None


def rows_name_their_bank(task: Task, version: str) -> Findings:
    """Every row names the version of its bank, and VEH as its domain."""
    right = (task.bank_version, task.domain) == (version, "veh")
    yield None if right else f"it names {task.bank_version} and {task.domain}"


def _certificates(task: Task) -> list[str]:
    """The certificates on which the label of a P1 task stands, as they are written."""
    gold = task.gold
    stated = [gold["certificate"]] + [one["certificate"] for one in gold["completions"]]
    return [text for text in stated if text]
