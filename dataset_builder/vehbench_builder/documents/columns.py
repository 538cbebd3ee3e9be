"""What every column of a bank means and its unit, in one place: the card and `croissant.json` take it from here.

A path is the dotted name inside a row, "spec.history.note"; lists add nothing to it. Design variables, metrics, limits
and a domain's own columns are described by the domain, so that only the columns around them are described here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from vehbench_hf.bank.loading import columns_of
from vehbench_hf.domains import DOMAINS
from vehbench_hf.isomorphic.types import ISOMORPHIC
from vehbench_hf.types import PROBES

_PARTS = ("spec.history.verdict", "gold.completions.changes", "gold.reference")


def _own(part: str) -> dict[str, str]:
    """What the domains say about their own columns in a part of a row, those of nested parts left out."""
    nested = tuple(f"{name}." for name in _PARTS if name != part)
    return {
        path: meaning
        for domain in DOMAINS.values()
        for path, meaning in domain.meanings.items()
        if path.startswith(f"{part}.") and not path.startswith(nested)
    }


MEANINGS: dict[str, str] = {
    "task_id": "name of the task, unique in the bank; says nothing about the answer",
    "probe": "p1, p2, p3 or p4",
    "form": "isomorphic: selection, generation or completion",
    "group": "isomorphic: number of the group; its three rows ask for one design",
    "domain": f"what is designed; {'; '.join(f'{d.name} is {d.about}' for d in DOMAINS.values())}",
    "split": "dev, test_id, test_ood, or train in banks of fresh tasks",
    "subtype": "kind of task within its probe; not for the model",
    "difficulty": "grade of difficulty given by the construction; not for the model",
    "source_group": "whether the device lies inside the oracle's declared domain",
    "anchor": "the paper whose device the task is built around; null where there is none",
    "anchor.key": "short name of the paper",
    "anchor.doi": "its DOI",
    "anchor.doi_released": "a malformed DOI under which the authors' release lists it, else null",
    "anchor.title": "its title",
    "anchor.year": "its year",
    "bank_version": "bank the task belongs to",
    "checksum": "SHA-256 of the row's canonical JSON without this column",
    "spec": "all that a model may see; what a brief withholds is null",
    "spec.variable_bounds": "smallest and largest allowed value of each design variable, ends included",
    "spec.constraints": "the four limits of the brief",
    **_own("spec"),
    "spec.notes": "remarks in the brief, relevant or not",
    "spec.notes.name": "what the remark is about",
    "spec.notes.text": "the remark",
    "spec.query_budget": "how many questions to the verifier the task allows, history included",
    "spec.initial_design": "design the brief starts from: an infeasible one in the isomorphic generation, else null",
    "spec.history": "P3: the earlier steps, in their order",
    "spec.history.design": "the design of the step",
    "spec.history.note": "what its author wrote; may be wrong",
    "spec.history.verdict": "the verifier's answer to the step",
    "spec.history.verdict.feasible": "whether all limits and bounds hold",
    **_own("spec.history.verdict"),
    "spec.history.verdict.slack": "signed distance to each limit, negative when it is broken, in the limit's unit",
    "spec.history.verdict.violations": "names of what is broken",
    "spec.history.verdict.metrics": "what the verifier computed; null where the source kept none",
    "spec.policy": "P4: the rule by which to rank, in words",
    "spec.profile": "P4: name of the policy's weights",
    "spec.candidates": "P4: the designs to rank; isomorphic, selection: those of which one is feasible",
    "spec.candidates.id": "name of the candidate within the task",
    "spec.candidates.design": "its design",
    "spec.candidates.metrics": "what the verifier computes for it",
    "spec.candidates.slack": "signed distance to each limit, negative when it is broken, in the limit's unit",
    "spec.question": "isomorphic: what is asked, and the form of the answer",
    "spec.fixed": "isomorphic, completion: the fixed values of the design; null where a value is asked for",
    "gold": "all that a scorer needs; never shown to a model",
    "gold.action": "P1: the right action",
    "gold.missing_fields": "P1: the fields whose absence makes the brief undecidable",
    "gold.witness": "a design that meets the brief, where one is claimed to exist; in P3 with slack to every limit",
    "gold.certificate": "the proof of the label or of the reference's bound, in words",
    "gold.completions": "P1: ways to fill in what the brief leaves open, each with its proven verdict",
    "gold.completions.name": "what is filled in",
    "gold.completions.changes": "the values filled in; null leaves the brief as it is",
    **_own("gold.completions.changes"),
    "gold.completions.feasible": "whether the completed brief can be met",
    "gold.completions.witness": "a design that meets it, if so",
    "gold.completions.certificate": "the proof that none does, if not",
    "gold.reference": "the best design known",
    "gold.reference.design": "its variables",
    **_own("gold.reference"),
    "gold.anchor_design": "P2, P3: the design of the literature the task is built around",
    "gold.trap": "P3: how the history went wrong",
    "gold.trap.type": "kind of trap",
    "gold.trap.variable": "variable that was moved",
    "gold.trap.direction": "up or down",
    "gold.trap.secondary_constraint": "limit that stands in the way of simply going back",
    "gold.trap.claims": "what the notes of the history claim about its verdicts, each claim false",
    "gold.trap.claims.step": "step of the history, from 1",
    "gold.trap.claims.left": "what the claim is about",
    "gold.trap.claims.relation": "how it is said to stand to the other side",
    "gold.trap.claims.right": "what it is compared with",
    "gold.ranking": "P4: candidate ids, best first",
    "gold.utilities": "P4: the utility by which the ranking is made",
    "gold.utilities.id": "candidate",
    "gold.utilities.value": "its utility (1)",
    "gold.dominated_pairs": "P4: pairs of which one is nowhere worse in what the policy weighs, and somewhere better",
    "gold.dominated_pairs.better": "candidate that must stand above",
    "gold.dominated_pairs.worse": "candidate that must stand below",
    "gold.policy_sensitive_pairs": "P4: pairs whose order changes with the policy",
    "gold.policy_sensitive_pairs.better": "candidate that stands above under this policy",
    "gold.policy_sensitive_pairs.worse": "candidate that stands below under this policy",
    "gold.pool_id": "P4: pool of candidates, shared by tasks with different policies; isomorphic: pool of the designs",
    "gold.pool_family": "P4: kind of pool",
    "gold.answer": "isomorphic, selection: the feasible candidate",
    "gold.verdicts": "isomorphic, selection: the oracle's verdict on each candidate",
    "gold.verdicts.id": "candidate",
    "gold.verdicts.feasible": "whether all limits and bounds hold",
    "gold.verdicts.total_violation": "sum of excess over limit (1), 0 for a feasible one",
    "gold.verdicts.violations": "names of what is broken",
    "gold.open_variables": "isomorphic, completion: the two variables whose values are asked for",
    "gold.feasible_share": "isomorphic, completion: share of a grid over their ranges that is feasible (1)",
    "gold.source_task_id": "isomorphic: the P2 task with the same brief",
}


@dataclass(frozen=True)
class Described:
    """A column of the card's table: its path, its type in a word, its meaning, and the configs that have it."""

    path: str
    kind: str
    meaning: str
    configs: tuple[str, ...]


def meaning_of(path: str) -> str:
    """What the column at `path` holds, with its unit in brackets. Raises KeyError for a column nobody described."""
    if path in MEANINGS:
        return MEANINGS[path]
    parent, _, name = path.rpartition(".")
    if name in ("min", "max") and parent:
        return f"{'smallest' if name == 'min' else 'largest'} allowed {meaning_of(parent)}"
    for domain in DOMAINS.values():
        quantity = domain.variables.get(name) or domain.metrics.get(name)
        if quantity is not None:
            return f"{quantity.meaning} ({quantity.unit})"
        if name in domain.limits:
            limit = domain.limits[name]
            return f"{'slack to the ' if parent.endswith('slack') else ''}{limit.meaning} ({limit.unit})"
    raise KeyError(f"column {path} has no description in {__name__}")


def described(configs: Sequence[str] = (*PROBES, ISOMORPHIC)) -> list[Described]:
    """The columns of some configs that have a description of their own, each once, in the order of `MEANINGS`."""
    found: dict[str, tuple[str, list[str]]] = {}
    for config in configs:
        for path, kind in _walk(columns_of(config)):
            if path in MEANINGS:
                found.setdefault(path, (_word(kind), []))[1].append(config)
    order = {path: place for place, path in enumerate(MEANINGS)}
    return [Described(p, found[p][0], MEANINGS[p], tuple(found[p][1])) for p in sorted(found, key=order.__getitem__)]


def leaves(config: str) -> list[str]:
    """The paths of all columns of a config that hold a value and not further columns."""
    return [path for path, kind in _walk(columns_of(config)) if not pa.types.is_struct(_item(kind))]


def _walk(fields: pa.Schema | pa.DataType, parent: str = "") -> Iterator[tuple[str, pa.DataType]]:
    for field in fields:
        path = f"{parent}{field.name}"
        yield path, field.type
        if pa.types.is_struct(_item(field.type)):
            yield from _walk(_item(field.type), f"{path}.")


def _item(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_list(kind) else kind


def _word(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_word(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "fields"
    return {"string": "text", "double": "number", "int64": "integer", "bool": "flag"}[str(kind)]
