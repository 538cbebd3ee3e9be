"""Do fresh tasks repeat published ones? What a model sees is compared, and the box with its excitation."""

from collections.abc import Iterable, Sequence
from itertools import chain

from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.types import Task


def overlaps(fresh: Iterable[Task], published: Sequence[Task]) -> list[str]:
    """The fresh tasks that show a brief of `published`, or its bounds and excitation, with the published id.

    Bounds and excitation are compared over all probes, since P3 and P4 take theirs from P2. Fresh tasks of one bank may
    share them for the same reason.
    """
    seen: dict[str, str] = {}
    for task in published:
        for shown in _shown(task):
            seen.setdefault(shown, task.task_id)
    repeated = []
    for task in fresh:
        twin = next(filter(None, map(seen.get, _shown(task))), None)
        if twin is not None:
            repeated.append(f"{task.task_id} repeats {twin}")
    return repeated


def _shown(task: Task) -> Iterable[str]:
    """The brief, and the bounds with the excitation in numbers, each as one text."""
    bounds, excitation = task.spec["variable_bounds"], task.spec["excitation"]
    drawn = [bounds, excitation["frequency_hz"], excitation["acceleration_g"]]
    return chain([canonical_json(task.spec)], [canonical_json(drawn)])
