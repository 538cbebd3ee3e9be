"""Which tasks a run takes: probes and splits, a named subset, and fixed, stratified, nested samples for `--limit`."""

import hashlib
from collections.abc import Sequence
from typing import cast

from vehbench_hf.bank.bank import Bank
from vehbench_hf.domains import DEFAULT_DOMAIN
from vehbench_hf.errors import BankError
from vehbench_hf.types import ALL_SPLITS, PROBES, Probe, Split, Task


def chosen(
    bank: Bank,
    probes: Sequence[Probe],
    splits: Sequence[Split],
    limit: int | None,
    subset: str | None = None,
    domain: str = DEFAULT_DOMAIN,
    ids: Sequence[str] = (),
) -> list[Task]:
    """The tasks of a run, in the bank's order: those with the `ids` if there are any, else by all the rest.

    Raises BankError for a subset that the bank does not name, or an id that no task of the domain has.
    """
    if ids:
        strange = [task_id for task_id in ids if task_id not in bank.by_id or bank.by_id[task_id].domain != domain]
        if strange:
            raise BankError(f"bank {bank.version} has no task {strange[0][:80]!r}; `vehbench tasks` lists them.")
        return [task for task in bank.tasks if task.task_id in set(ids)]
    named = bank.by_id if subset is None else {task.task_id for task in named_subset(bank, subset)}
    tasks = bank.select(probes, splits)
    return limited([task for task in tasks if task.domain == domain and task.task_id in named], limit)


def named_subset(bank: Bank, name: str) -> list[Task]:
    """The tasks of a subset that the bank's manifest names. Raises BankError when it does not, or names strangers."""
    subsets = bank.manifest.get("subsets") or {}
    ids = subsets.get(name)
    if not ids:
        known = f"it names {', '.join(subsets)}" if subsets else "bank v2 names p3_intervention"
        raise BankError(f"bank {bank.version} at {bank.path} names no subset {name!r}; {known}.")
    unknown = [task_id for task_id in ids if task_id not in bank.by_id]
    if unknown:
        raise BankError(f"{bank.path}: the subset {name} names {unknown[0]!r}, which is no task of the bank.")
    return [bank.by_id[task_id] for task_id in ids]


def limited(tasks: Sequence[Task], limit: int | None) -> list[Task]:
    """At most `limit` tasks of each probe; None keeps all. The order of `tasks` is kept.

    Tasks are taken in turn from each (split, subtype) group, in diagonals, so that three tasks are of three splits and
    of three subtypes; within a group in an order that depends on the id alone. So N tasks are always the same ones,
    cover the groups evenly, and are among the first N + 1.
    """
    if limit is None:
        return list(tasks)
    groups: dict[tuple[str, str, str], list[str]] = {}
    for task in tasks:
        groups.setdefault((task.probe, task.split, task.subtype), []).append(task.task_id)
    place = {
        task_id: (rank, *_diagonal(group, list(groups)))
        for group, ids in groups.items()
        for rank, task_id in enumerate(sorted(ids, key=_digest))
    }
    chosen: set[str] = set()
    for probe in PROBES:
        ids = [task.task_id for task in tasks if task.probe == probe]
        chosen.update(sorted(ids, key=place.__getitem__)[:limit])
    return [task for task in tasks if task.task_id in chosen]


def _diagonal(group: tuple[str, str, str], groups: list[tuple[str, str, str]]) -> tuple[int, int]:
    """Where a (probe, split, subtype) group stands when its probe's table of splits and subtypes is read diagonally."""
    probe, split, subtype = group
    splits = sorted({s for p, s, _ in groups if p == probe}, key=lambda name: ALL_SPLITS.index(cast(Split, name)))
    subtypes = sorted({t for p, _, t in groups if p == probe})
    across = splits.index(split)
    return (subtypes.index(subtype) - across) % len(subtypes), across


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()
