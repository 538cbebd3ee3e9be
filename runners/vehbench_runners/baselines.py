"""Baselines that answer in text, through the same path as a model. They are built from the whole task, gold included.

| name | P1 | P2 | P3 | P4 |
|---|---|---|---|---|
| propose | propose_design | centre of the box | centre of the box | the pool's order |
| anchor | propose_design | the anchor design | the last design of the history again | the pool's order |
| random | a random action | a random point of the box | a random point of the box | a random order |
| centre | propose_design | centre of the box | centre of the box | the pool's order |
| reset | propose_design | centre of the box | back to step 1, every turn | the pool's order |
| reference | the gold action | the reference design | the reference design | the gold order |

`reference` is a control: it must score full marks. Where a bank knows no reference design it replans and says that it
is not applicable. Points of the box are taken in log scale for the load, linear otherwise.
"""

import json
import math
import random
from collections.abc import Callable
from typing import Any

from vehbench_hf.types import Design, Message, Reply, Task
from vehbench_oracle import VARIABLES
from vehbench_runners.backends import Position, Speaker

Answer = dict[str, Any]
Baseline = Callable[[Task, random.Random], Answer | None]
"""The answer to a task, or None where the baseline does not apply."""


def propose(task: Task, draw: random.Random) -> Answer | None:
    """Always propose_design; in the other probes the plainest answer there is."""
    if task.probe == "p4":
        return _ranking([candidate["id"] for candidate in task.spec["candidates"]])
    if task.probe == "p1":
        return {"action": "propose_design"}
    return _design(_point(task, lambda: 0.5))


def anchor(task: Task, draw: random.Random) -> Answer | None:
    """The literature anchor itself in P2; in P3 the last state again; the pool's order in P4."""
    if task.probe == "p2":
        return _design(task.gold["anchor_design"])
    if task.probe == "p3":
        return _design(task.spec["history"][-1]["design"])
    return propose(task, draw)


def centre(task: Task, draw: random.Random) -> Answer | None:
    """The centre of the box."""
    return propose(task, draw)


def reset(task: Task, draw: random.Random) -> Answer | None:
    """P3: back to the first step of the history, every turn. It succeeds wherever a history shows a feasible step."""
    return {"action": "reset_to_prior", "step": 1} if task.probe == "p3" else propose(task, draw)


def at_random(task: Task, draw: random.Random) -> Answer | None:
    """Uniformly random, from the seed, the task and the place of the call."""
    if task.probe == "p1":
        return {"action": draw.choice(("propose_design", "declare_infeasible", "request_missing_info"))}
    if task.probe == "p4":
        ids = [candidate["id"] for candidate in task.spec["candidates"]]
        draw.shuffle(ids)
        return _ranking(ids)
    return _design(_point(task, draw.random))


def reference(task: Task, draw: random.Random) -> Answer | None:
    """The gold answer."""
    if task.probe == "p1":
        return {"action": task.gold["action"], "missing_fields": task.gold["missing_fields"]}
    if task.probe == "p4":
        return _ranking(task.gold["ranking"])
    known = task.gold["reference"]
    return _design(known["design"] if known else None)


BASELINES: dict[str, Baseline] = {
    "propose": propose,
    "anchor": anchor,
    "random": at_random,
    "centre": centre,
    "reset": reset,
    "reference": reference,
}


def baseline_speaker(name: str, task: Task, seed: int) -> Speaker:
    """A speaker that gives the baseline's answer to `task`, whatever it is asked."""

    async def speak(messages: list[Message], position: Position) -> Reply:
        draw = random.Random(f"{seed}/{task.task_id}/{'/'.join(map(str, position))}")
        answer = BASELINES[name](task, draw)
        if answer is None:
            reason = "not applicable: the bank knows no such design"
            return Reply(json.dumps({"action": "replan", "reason": reason}), note="not_applicable")
        return Reply(json.dumps(answer))

    return speak


def _design(design: Design | None) -> Answer | None:
    return None if design is None else {"action": "propose_design", "design": design}


def _ranking(ids: list[str]) -> Answer:
    return {"ranking": ids}


def _point(task: Task, u: Callable[[], float]) -> Design:
    """A point of the box; `u` gives a position in [0, 1] for each variable in turn."""
    point = {}
    for name in VARIABLES:
        box = task.spec["variable_bounds"][name]
        if box is None:
            raise ValueError(f"{task.task_id} has no bounds for {name}")
        low, high = box["min"], box["max"]
        if name == "load_resistance_ohm":
            value = math.exp(math.log(low) + u() * (math.log(high) - math.log(low)))
        else:
            value = low + u() * (high - low)
        point[name] = min(max(value, low), high)
    return point
