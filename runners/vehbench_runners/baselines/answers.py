"""Baselines that answer in text, through the same path as a model. They are built from the whole task, gold included.

| name | P1 | P2 | P3 | P4 |
|---|---|---|---|---|
| propose | propose_design | centre of the box | centre of the box | the pool's order |
| anchor | propose_design | the anchor design | the last design of the history again | the pool's order |
| random | a random action | a random point of the box | a random point of the box | a random order |
| centre | propose_design | centre of the box | centre of the box | the pool's order |
| reset | propose_design | centre of the box | back to step 1, every turn | the pool's order |
| reference | the gold action | the reference design | the reference design | the gold order |
| cma | propose_design | CMA-ES in the unit box | centre of the box | the pool's order |
| cma-raw | propose_design | CMA-ES as the authors ran it | centre of the box | the pool's order |
| de | propose_design | differential evolution | centre of the box | the pool's order |
| slsqp | propose_design | multi-start SLSQP | centre of the box | the pool's order |

`reference` is a control: it must score full marks. Where a bank knows no reference design it replans and says that it
is not applicable. Points of the box are in log scale where a variable has one, else linear. The optimizers search
in P2 alone (`vehbench_runners.baselines.searches`); they read no gold, and elsewhere they are `propose`.

The baselines of the paper:

| paper | row | here |
|---|---|---|
| Table 16 | P1, always propose_design (dev) | propose |
| Table 16, Table 34 | P2, anchor-fixed heuristic | anchor |
| Table 16 | P3, last-state continuation, no reset | anchor |
| Table 16 | P4, uniform random order | random |
| Table 34 | CMA-ES, 6 and 40 queries | cma-raw, with the P2 stop "budget" |

The CMA-ES rows of Table 34 cannot be reproduced: the authors state no seed and released no log of that run, and 156
tasks of an unnamed subset were used at 6 queries. `cma-raw` repeats the method, not the numbers.
"""

import json
import random
from collections.abc import Callable
from typing import Any, cast

from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.types import Design, Message, Reply, Task
from vehbench_oracle.space import design_at
from vehbench_runners.backend import Position, Speaker
from vehbench_runners.baselines.isomorphic import isomorphic_answer
from vehbench_runners.baselines.searches import SEARCHES, QuerySequence, check_installed, is_last_query

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
    **dict.fromkeys(SEARCHES, propose),
}
"""By name. The optimizers stand for what they do outside P2."""


def baseline_speaker(name: str, task: Task, seed: int) -> Speaker:
    """A speaker that gives the baseline's answer to `task`, whatever it is asked.

    Raises UserError where an optimizer needs a package that is not installed.
    """
    if name in SEARCHES:
        check_installed(name)
        if task.probe == "p2":
            return _optimizer_speaker(name, task, seed)

    async def speak(messages: list[Message], position: Position) -> Reply:
        draw = random.Random(f"{seed}/{task.task_id}/{'/'.join(map(str, position))}")
        if task.probe == "isomorphic":
            answer: Answer | None = isomorphic_answer(name, cast(IsomorphicTask, task), draw)
        else:
            answer = BASELINES[name](task, draw)
        if answer is None:
            reason = "not applicable: the bank knows no such design"
            return Reply(json.dumps({"action": "replan", "reason": reason}), note="not_applicable")
        return Reply(json.dumps(answer))

    return speak


def _optimizer_speaker(name: str, task: Task, seed: int) -> Speaker:
    """A speaker whose answer to query `index` of an epoch is the design that the optimizer asks for there."""
    sequences: dict[int, QuerySequence] = {}

    async def speak(messages: list[Message], position: Position) -> Reply:
        epoch, index, _ = position
        if epoch not in sequences:
            sequences[epoch] = QuerySequence(task.problem, name, f"{seed}/{task.task_id}/{epoch}")
        return Reply(json.dumps(_design(sequences[epoch].design(index, last=is_last_query(messages)))))

    return speak


def _design(design: Design | None) -> Answer | None:
    return None if design is None else {"action": "propose_design", "design": design}


def _ranking(ids: list[str]) -> Answer:
    return {"ranking": ids}


def _point(task: Task, u: Callable[[], float]) -> Design:
    """A point of the box; `u` gives a position in [0, 1] for each variable in turn."""
    return design_at(task.problem, [u() for _ in task.problem.variables])
