"""Do fresh tasks repeat published ones? What a model sees is compared, and the box."""

from collections.abc import Iterable, Sequence

from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.types import Task


def overlaps(fresh: Iterable[Task], published: Sequence[Task]) -> list[str]:
    """The fresh tasks that show a brief of `published`, or its bounds, with the published id.

    Bounds are compared over all probes, since P3 and P4 take theirs from P2. Fresh tasks of one bank may share them for
    the same reason.
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
    """The brief and its bounds, each as one text. No two draws have equal bounds: equal ones are a repetition."""
    return canonical_json(task.spec), canonical_json(task.spec["variable_bounds"])
