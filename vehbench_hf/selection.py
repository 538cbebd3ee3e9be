"""Which tasks a run takes: fixed, stratified, nested subsets for `--limit`."""

import hashlib
from collections.abc import Sequence

from vehbench_hf.types import PROBES, Task


def limited(tasks: Sequence[Task], limit: int | None) -> list[Task]:
    """At most `limit` tasks of each probe; None keeps all. The order of `tasks` is kept.

    Tasks are taken in turn from each (split, subtype) group, within a group in an order that depends on the id alone.
    So N tasks are always the same ones, cover the groups evenly, and are among the first N + 1.
    """
    if limit is None:
        return list(tasks)
    groups: dict[tuple[str, str, str], list[str]] = {}
    for task in tasks:
        groups.setdefault((task.probe, task.split, task.subtype), []).append(task.task_id)
    place = {
        task_id: (rank, group) for group, ids in groups.items() for rank, task_id in enumerate(sorted(ids, key=_digest))
    }
    chosen: set[str] = set()
    for probe in PROBES:
        ids = [task.task_id for task in tasks if task.probe == probe]
        chosen.update(sorted(ids, key=place.__getitem__)[:limit])
    return [task for task in tasks if task.task_id in chosen]


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()
