"""Is the bank composed as the paper says: tasks, splits, subtypes, difficulty, anchors, pools, profiles, budgets?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vehbench_builder.audit.gold import not_built_here
from vehbench_builder.audit.report import Check, Findings, each, whole
from vehbench_builder.veh.audit import composition
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import PROBES, SPLITS, Probe, Task

Groups = Mapping[tuple[str, ...], int]
"""How many tasks a group has, by its names."""


def count_checks(bank: Bank) -> list[Check]:
    """The composition of a full bank; other banks have none that is prescribed."""
    why = f"{bank.version} is not a full bank ({', '.join(composition.FULL_BANKS)})"
    partial = None if bank.version in composition.FULL_BANKS else why
    kinds = (task_counts, subtype_counts, difficulty_counts, anchor_counts, pool_counts, budgets)
    return [
        *(whole(check, bank.tasks, unless=partial) for check in kinds),
        whole(intervention_subset, bank),
        each(history_lengths, bank.select(("p3",))),
        each(rows_name_their_bank, bank.tasks, bank.version, unless=not_built_here(bank)),
    ]


def task_counts(tasks: Sequence[Task]) -> Findings:
    """Every probe and split has as many tasks as in the paper."""
    counts = _counted((task.probe, task.split) for task in tasks)
    wanted: Groups = {
        (probe, split): count for probe, splits in composition.TASKS.items() for split, count in splits.items()
    }
    yield from _differences("tasks", counts, wanted)


def subtype_counts(tasks: Sequence[Task]) -> Findings:
    """Subtypes and gold actions of P1, subtypes of P2 and trap types of P3 are distributed as in the paper."""
    p1 = _tasks_of("p1", tasks)
    yield from _differences(
        "p1 subtype",
        _counted((t.split, t.subtype) for t in p1),
        {(split, subtype): composition.P1_PER_SPLIT for split in SPLITS for subtype in composition.P1_SUBTYPES},
    )
    yield from _differences(
        "p1 gold action",
        _counted((t.split, t.gold["action"] or "none") for t in p1),
        {(split, action): count for split in SPLITS for action, count in composition.P1_ACTIONS.items()},
    )
    for task in p1:
        action = composition.P1_SUBTYPES.get(task.subtype)
        if action is not None:
            wrong = task.gold["action"] != action
            yield f"{task.task_id}: {task.subtype} with gold {task.gold['action']}" if wrong else None
    yield from _differences(
        "p2 subtype",
        _counted((t.split, t.subtype) for t in _tasks_of("p2", tasks)),
        {
            (split, subtype): count
            for split, count in composition.P2_ANCHORS.items()
            for subtype in composition.P2_SUBTYPES
        },
    )
    # The paper has one P3 subtype. A bank with several trap types spreads each evenly over the splits.
    types = sorted({t.subtype for t in _tasks_of("p3", tasks)})
    for split, count in composition.TASKS["p3"].items():
        counts = Counter(t.subtype for t in _tasks_of("p3", tasks) if t.split == split)
        for name in types:
            even = abs(counts[name] - count / len(types)) < 1
            yield (
                None if even else f"p3 {split} {name}: {counts[name]} tasks, an even share is {count / len(types):.1f}"
            )


def difficulty_counts(tasks: Sequence[Task]) -> Findings:
    """Difficulty tags and source groups are distributed as in the paper."""
    for probe in PROBES:
        tags = _counted((t.difficulty,) for t in _tasks_of(probe, tasks))
        yield from _differences(f"{probe} difficulty", tags, _keyed(composition.DIFFICULTY[probe]))
        if probe in composition.SOURCE_GROUPS:
            groups = _counted((t.source_group or "none",) for t in _tasks_of(probe, tasks))
            yield from _differences(f"{probe} source group", groups, _keyed(composition.SOURCE_GROUPS[probe]))


def anchor_counts(tasks: Sequence[Task]) -> Findings:
    """As many papers stand behind each probe as in the paper, and each P2 anchor has one task of each subtype."""
    for probe in PROBES:
        keys = {t.anchor["key"] if t.anchor else None for t in _tasks_of(probe, tasks)}
        number, wanted = len(keys - {None}), composition.ANCHORS[probe]
        yield None if number == wanted else f"{probe}: {number} anchors, the paper has {wanted}"
        yield f"{probe}: a task without an anchor" if None in keys else None
    p2 = _counted((t.anchor["key"], t.subtype) for t in _tasks_of("p2", tasks) if t.anchor)
    for key in sorted({key for key, *_ in p2}):
        for subtype in composition.P2_SUBTYPES:
            count = p2[key, subtype]
            yield None if count == 1 else f"p2 anchor {key}: {count} tasks of subtype {subtype}"


def pool_counts(tasks: Sequence[Task]) -> Findings:
    """P4 has as many pools, families, profiles and candidates as in the paper."""
    p4 = _tasks_of("p4", tasks)
    pools = {(t.split, t.gold["pool_id"] or "none", t.gold["pool_family"] or "none") for t in p4}
    yield from _differences("p4 pools", _counted((split,) for split, *_ in pools), _keyed(composition.P4_POOLS))
    families = _counted((family,) for *_, family in pools)
    yield from _differences("p4 pools of family", families, _keyed(composition.P4_FAMILIES))
    profiles = _counted((t.split, t.spec["profile"] or "none") for t in p4)
    wanted: Groups = {
        (split, name): count for split, count in composition.P4_POOLS.items() for name in composition.PROFILES
    }
    yield from _differences("p4 profile", profiles, wanted)
    for task in p4:
        number = len(task.spec["candidates"])
        yield None if number == composition.P4_CANDIDATES else f"{task.task_id}: {number} candidates"


def budgets(tasks: Sequence[Task]) -> Findings:
    """Every task has the query budget of its probe."""
    for task in tasks:
        budget, wanted = task.spec["query_budget"], composition.BUDGET[task.probe]
        yield None if budget == wanted else f"{task.task_id}: budget {budget}, the paper has {wanted}"


def intervention_subset(bank: Bank) -> Findings:
    """A subset that the manifest names holds P3 tasks of the bank, twelve of each split."""
    by_id = {task.task_id: task for task in bank.tasks}
    if bank.version == composition.FULL_BANK and not bank.manifest.get("subsets"):
        yield "the manifest names no subset"
    for name, ids in (bank.manifest.get("subsets") or {}).items():
        known = [by_id[i] for i in ids if i in by_id and by_id[i].probe == "p3"]
        yield None if len(set(ids)) == len(known) else f"{name}: {len(ids)} ids, {len(known)} of them P3 tasks"
        counts = _counted((task.split,) for task in known)
        yield from _differences(f"{name} tasks", counts, {(split,): composition.SUBSET_PER_SPLIT for split in SPLITS})


def history_lengths(task: Task) -> Findings:
    """Every P3 task shows earlier steps and leaves live queries."""
    shown, budget = len(task.spec["history"]), task.spec["query_budget"]
    yield None if 0 < shown < budget else f"{shown} steps of {budget} queries are spent"


def _tasks_of(probe: Probe, tasks: Iterable[Task]) -> list[Task]:
    return [task for task in tasks if task.probe == probe]


def _counted(groups: Iterable[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    return Counter(groups)


def _keyed(counts: Mapping[str, int]) -> Groups:
    return {(name,): count for name, count in counts.items()}


def _differences(what: str, counts: Groups, wanted: Groups) -> Iterator[str | None]:
    """One case for every group that is wanted or there."""
    for group in [*wanted, *(set(counts) - set(wanted))]:
        is_, should = counts.get(group, 0), wanted.get(group, 0)
        yield None if is_ == should else f"{what} {' '.join(group)}: {is_}, the paper has {should}"


def rows_name_their_bank(task: Task, version: str) -> Findings:
    """Every row names the version of its bank, and VEH as its domain."""
    right = (task.bank_version, task.domain) == (version, "veh")
    yield None if right else f"it names {task.bank_version} and {task.domain}"
