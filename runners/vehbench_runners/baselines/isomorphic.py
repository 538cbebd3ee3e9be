"""What the baselines answer to an isomorphic probe.

`reference` gives the gold answer and must score full marks; `random` a random candidate or random values within the
bounds; every other one the first candidate or the centre of the box, in log scale where a variable has one.
"""

import random
from typing import Any

from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.types import Design
from vehbench_oracle.space import design_at


def isomorphic_answer(name: str, task: IsomorphicTask, draw: random.Random) -> dict[str, Any]:
    """The answer of the baseline `name` as the question asks for it."""
    ids = [candidate["id"] for candidate in task.spec["candidates"]]
    if task.form == "selection":
        chosen = {"reference": task.gold["answer"], "random": draw.choice(ids)}
        return {"candidate": chosen.get(name, ids[0])}
    if name == "reference":
        return _asked(task, task.gold["witness"])
    place = [draw.random() if name == "random" else 0.5 for _ in task.problem.variables]
    return _asked(task, design_at(task.problem, place))


def _asked(task: IsomorphicTask, design: Design) -> dict[str, Any]:
    """The values of a design that the question asks for: two in a completion, all else."""
    fixed = task.spec["fixed"] or {}
    return {"design": {name: value for name, value in design.items() if fixed.get(name) is None}}
