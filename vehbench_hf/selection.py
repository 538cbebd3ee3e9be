"""Which tasks a run takes: fixed, stratified, nested subsets for `--limit`."""

import hashlib
from collections.abc import Sequence
from typing import cast

from vehbench_hf.types import ALL_SPLITS, PROBES, Split, Task


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
