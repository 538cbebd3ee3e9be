"""Is the bank composed as the paper says: tasks, splits, subtypes, difficulty, anchors, pools, profiles, budgets?"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from vehbench_builder.audit.gold import action_of, not_built_here
from vehbench_builder.audit.report import Check, Findings, each, whole
from vehbench_builder.veh.audit import composition as paper
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import PROBES, SPLITS, Probe, Task


def count_checks(bank: Bank) -> list[Check]:
    """The composition of a full bank; other banks have none that is prescribed."""
    why = f"{bank.version} is not a full bank ({', '.join(paper.FULL_BANKS)})"
    partial = None if bank.version in paper.FULL_BANKS else why
    kinds = (task_counts, subtype_counts, difficulty_counts, anchor_counts, pool_counts)
    return [
        *(whole(check, bank.tasks, unless=partial) for check in kinds),
        each(budgets, bank.tasks, unless=partial),
        whole(intervention_subset, bank),
        each(history_lengths, bank.select(("p3",))),
        each(rows_name_their_bank, bank.tasks, bank.version, unless=not_built_here(bank)),
    ]


def task_counts(tasks: Sequence[Task]) -> Findings:
    """Every probe and split has as many tasks as in the paper."""
    wanted = {(probe, split): count for probe, splits in paper.TASKS.items() for split, count in splits.items()}
    yield from _groups("tasks", ((t.probe, t.split) for t in tasks), wanted)


def subtype_counts(tasks: Sequence[Task]) -> Findings:
    """Subtypes and gold actions of P1, subtypes of P2 and trap types of P3 are distributed as in the paper."""
    p1, p2, p3 = (_tasks_of(probe, tasks) for probe in ("p1", "p2", "p3"))
    wanted: dict[tuple[str, str], int] = dict.fromkeys(product(SPLITS, paper.P1_SUBTYPES), paper.P1_PER_SPLIT)
    yield from _groups("p1 subtype", ((t.split, t.subtype) for t in p1), wanted)
    wanted = {(split, action): count for split in SPLITS for action, count in paper.P1_ACTIONS.items()}
    yield from _groups("p1 gold action", ((t.split, action_of(t)) for t in p1), wanted)
    for task in p1:
        if action := paper.P1_SUBTYPES.get(task.subtype):
            wrong = task.gold["action"] != action
            yield f"{task.task_id}: {task.subtype} with gold {task.gold['action']}" if wrong else None
    wanted = {(split, subtype): n for split, n in paper.P2_ANCHORS.items() for subtype in paper.P2_SUBTYPES}
    yield from _groups("p2 subtype", ((t.split, t.subtype) for t in p2), wanted)
    # The paper has one P3 subtype. A bank with several trap types spreads each evenly over the splits.
    counts = Counter[tuple[str, str]]((t.split, t.subtype) for t in p3)
    types = {t.subtype for t in p3}
    for (split, count), name in product(paper.TASKS["p3"].items(), sorted(types)):
        number, share = counts[split, name], count / len(types)
        even = abs(number - share) < 1
        yield None if even else f"p3 {split} {name}: {number} tasks, an even share is {share:.1f}"


def difficulty_counts(tasks: Sequence[Task]) -> Findings:
    """Difficulty tags and source groups are distributed as in the paper."""
    for probe in PROBES:
        own = _tasks_of(probe, tasks)
        yield from _groups(f"{probe} difficulty", (t.difficulty for t in own), paper.DIFFICULTY[probe])
        if groups := paper.SOURCE_GROUPS.get(probe):
            yield from _groups(f"{probe} source group", (t.source_group for t in own), groups)


def anchor_counts(tasks: Sequence[Task]) -> Findings:
    """As many papers stand behind each probe as in the paper, and each P2 anchor has one task of each subtype."""
    for probe in PROBES:
        keys = {_key(task) for task in _tasks_of(probe, tasks)}
        number, wanted = len(keys - {None}), paper.ANCHORS[probe]
        yield None if number == wanted else f"{probe}: {number} anchors, the paper has {wanted}"
        yield f"{probe}: a task without an anchor" if None in keys else None
    p2 = _tasks_of("p2", tasks)
    each_once = dict.fromkeys(product({_key(t) for t in p2}, paper.P2_SUBTYPES), 1)
    yield from _groups("p2 anchor and subtype", ((_key(t), t.subtype) for t in p2), each_once)


def pool_counts(tasks: Sequence[Task]) -> Findings:
    """P4 has as many pools, families, profiles and candidates as in the paper."""
    p4 = _tasks_of("p4", tasks)
    pools = {(t.split, t.gold["pool_id"], t.gold["pool_family"]) for t in p4}
    yield from _groups("p4 pools", (split for split, *_ in pools), paper.P4_POOLS)
    yield from _groups("p4 pools of family", (family for *_, family in pools), paper.P4_FAMILIES)
    wanted = {(split, name): count for split, count in paper.P4_POOLS.items() for name in paper.PROFILES}
    yield from _groups("p4 profile", ((t.split, t.spec["profile"]) for t in p4), wanted)
    for task in p4:
        number = len(task.spec["candidates"])
        yield None if number == paper.P4_CANDIDATES else f"{task.task_id}: {number} candidates"


def budgets(task: Task) -> Findings:
    """Every task has the query budget of its probe."""
    budget, wanted = task.spec["query_budget"], paper.BUDGET[task.probe]
    yield None if budget == wanted else f"budget {budget}, the paper has {wanted}"


def intervention_subset(bank: Bank) -> Findings:
    """A subset that the manifest names holds P3 tasks of the bank, twelve of each split."""
    p3 = {task.task_id: task for task in bank.select(("p3",))}
    subsets = bank.manifest.get("subsets") or {}
    if bank.version == paper.FULL_BANK and not subsets:
        yield "the manifest names no subset"
    for name, ids in subsets.items():
        known = [p3[i] for i in ids if i in p3]
        yield None if len(set(ids)) == len(known) else f"{name}: {len(ids)} ids, {len(known)} of them P3 tasks"
        yield from _groups(f"{name} tasks", (t.split for t in known), dict.fromkeys(SPLITS, paper.SUBSET_PER_SPLIT))


def history_lengths(task: Task) -> Findings:
    """Every P3 task shows earlier steps and leaves live queries."""
    shown, budget = len(task.spec["history"]), task.spec["query_budget"]
    yield None if 0 < shown < budget else f"{shown} steps of {budget} queries are spent"


def rows_name_their_bank(task: Task, version: str) -> Findings:
    """Every row names the version of its bank, and VEH as its domain."""
    right = (task.bank_version, task.domain) == (version, "veh")
    yield None if right else f"it names {task.bank_version} and {task.domain}"


def _tasks_of(probe: Probe | str, tasks: Iterable[Task]) -> list[Task]:
    return [task for task in tasks if task.probe == probe]


def _key(task: Task) -> str | None:
    return task.anchor["key"] if task.anchor else None


def _groups(what: str, groups: Iterable[Hashable], wanted: Mapping[Any, int]) -> Findings:
    """One case for every group that is wanted or there: whether it has as many members as it should."""
    counts = Counter(groups)
    for group in {**wanted, **counts}:
        number, should = counts[group], wanted.get(group, 0)
        name = " ".join(map(str, group)) if isinstance(group, tuple) else group
        yield None if number == should else f"{what} {name}: {number}, the paper has {should}"
