"""The P3 tasks on which an intervention is tried, say another form of the history: few, and balanced."""

from collections.abc import Iterable

from vehbench_builder.build_spec import BuildError
from vehbench_hf.types import SPLITS, Task

INTERVENTION = "p3_intervention"
"""Name of the subset in a manifest."""
PER_STRATUM = 2
"""Tasks of each trap type in each split: 36 in all."""


def intervention_subset(tasks: Iterable[Task]) -> list[str]:
    """Ids of two P3 tasks of each type in each published split, from different papers where there are several.

    Their ids are in an order drawn by seed, so the first ones of a stratum are a random choice. Raises BuildError for a
    stratum with fewer tasks than that; a bank without published P3 tasks has no subset.
    """
    strata: dict[tuple[str, str], list[Task]] = {}
    for task in sorted(tasks, key=lambda task: task.task_id):
        if task.probe == "p3" and task.split in SPLITS:
            strata.setdefault((task.split, task.subtype), []).append(task)
    types = sorted({subtype for _, subtype in strata})
    chosen: list[str] = []
    for split in SPLITS if strata else ():
        for subtype in types:
            stratum = strata.get((split, subtype), [])
            if len(stratum) < PER_STRATUM:
                raise BuildError(
                    f"intervention subset: expected {PER_STRATUM} tasks of {subtype} or more in {split}, "
                    f"got {len(stratum)}"
                )
            others = sorted(stratum[1:], key=lambda task: task.anchor == stratum[0].anchor)
            chosen += [task.task_id for task in (stratum[0], *others[: PER_STRATUM - 1])]
    return chosen
