"""What the baselines answer to an isomorphic probe.

`reference` gives the gold answer and must score full marks; `random` a random candidate or random values within the
bounds; every other one the first candidate or the centre of the box, in log scale for the load.
"""

import random
from typing import Any, cast

from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES
from vehbench_runners.baselines.counted_oracle import design_at


def isomorphic_answer(name: str, task: IsomorphicTask, draw: random.Random) -> dict[str, Any]:
    """The answer of the baseline `name` as the question asks for it."""
    ids = [candidate["id"] for candidate in task.spec["candidates"]]
    if task.form == "selection":
        chosen = {"reference": task.gold["answer"], "random": draw.choice(ids)}
        return {"candidate": chosen.get(name, ids[0])}
    if name == "reference":
        return _asked(task, task.gold["witness"])
    place = [draw.random() if name == "random" else 0.5 for _ in VARIABLES]
    bounds = cast(Spec, task.spec)  # of which no more than the bounds is read
    return _asked(task, design_at(bounds, place))


def _asked(task: IsomorphicTask, design: Design) -> dict[str, Any]:
    """The values of a design that the question asks for: two in a completion, all six else."""
    fixed = task.spec["fixed"] or {}
    return {"design": {name: value for name, value in design.items() if fixed.get(name) is None}}
