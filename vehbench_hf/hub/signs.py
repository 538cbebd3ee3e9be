"""Signs that a log may not be what its record says. None proves anything, and a log without any may be written by hand.

Replies can always be made up. What is looked for here is what an honest run has without effort, and what a mistake or a
careless forgery leaves behind.
"""

import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import combinations

from vehbench_hf.hub.rules import named_weights
from vehbench_hf.prompts import prompt_texts
from vehbench_hf.runlog.loaded_run import Run
from vehbench_hf.types import Design, Task, Turn

MOST_CALLS_A_SECOND = 100.0
"""Over a whole run. The built-in baselines make several hundred."""
FEWEST = 20
"""Replies from which on a share of them says something."""
ALIKE = 0.9
"""Share of replies of a log that stand word for word in another one."""
SAME = 1e-6
"""Relative; six variables do not meet those of a reference so closely by chance."""

Replies = frozenset[int]
"""A hash of each reply with its place, whatever else its line says."""


def replies_of(turns: Sequence[Turn]) -> Replies:
    """The replies of a log; equal for logs that differ in times, ids, or the order of their lines."""
    return frozenset(
        hash((turn.task_id, turn.epoch, turn.index, turn.attempt, " ".join(turn.reply.text.split())))
        for turn in turns
        if turn.reply.text
    )


def signs_of(model_id: str, run: Run, turns: Sequence[Turn]) -> list[str]:
    """What is odd about the log of a run that is to be a run of `model_id`, a sentence each."""
    answered = [turn for turn in turns if turn.reply.error is None]
    local = named_weights(run.model) is not None
    return [
        *_other_model(model_id, run, answered, local),
        *_unreported(answered, local),
        *_too_fast(answered),
        *_too_good(run),
        *([] if run.info.get("backends") else ["run.json does not say which backend answered"]),
        *([] if run.info.get("prompts", prompt_texts()) == prompt_texts() else ["run.json shows other prompts"]),
    ]


def shared_logs(logs: Sequence[Replies]) -> list[tuple[int, int, int]]:
    """Pairs of logs that are the same or nearly so: both places, and how many replies stand in both word for word."""
    pairs = ((i, j, len(logs[i] & logs[j])) for i, j in combinations(range(len(logs)), 2))
    return [(i, j, n) for i, j, n in pairs if n and n >= ALIKE * min(len(logs[i]), len(logs[j]))]


def _other_model(model_id: str, run: Run, turns: Sequence[Turn], local: bool) -> Iterator[str]:
    if local:
        return  # the rules of a submission compare the weights
    claimed = _plain(model_id)
    if not _alike(claimed, _plain(run.model)):
        yield f"the run asked for {run.model}, the record is of {model_id}"
    served = sorted({turn.reply.served_model for turn in turns if turn.reply.served_model})
    if not served:
        yield "no reply names the model that gave it"
    elif not any(_alike(claimed, _plain(name)) for name in served):
        yield f"the replies are of {ascii(served[0])[:80]}, the record is of {model_id}"


def _unreported(turns: Sequence[Turn], local: bool) -> Iterator[str]:
    """Replies without what a server or an engine says beside them."""
    lacks = {"how many tokens it took": sum(turn.reply.usage.output is None for turn in turns)}
    if not local:
        lacks["the id of its request"] = sum(turn.reply.request_id is None for turn in turns)
    lacks["how long it took"] = sum(turn.reply.latency_s is None for turn in turns)
    for what, count in lacks.items():
        if count:
            yield f"{count} of {len(turns)} replies do not say {what}"


def _too_fast(turns: Sequence[Turn]) -> Iterator[str]:
    times = [time for turn in turns if (time := _seconds(turn.time)) is not None]
    if len(times) < FEWEST:
        return
    seconds = max(times) - min(times)
    if len(times) > MOST_CALLS_A_SECOND * seconds:
        yield f"{len(times)} replies came within {seconds:.3g} seconds"


def _too_good(run: Run) -> Iterator[str]:
    """Answers that stand in the gold of their tasks."""
    designs = [pair for task in run.tasks for pair in _last_designs(task, run)]
    met = sum(_same(design, reference) for design, reference in designs)
    if met >= max(2, len(designs) / FEWEST):
        yield f"{met} of {len(designs)} final designs are the reference designs, digit for digit"
    for probe, what in (("p1", "action"), ("p4", "ranking")):
        right = [
            bool(record.steps) and (record.steps[-1].action, list(record.steps[-1].ranking))[probe == "p4"] == gold
            for task in run.tasks
            if task.probe == probe
            for record in run.records.get(task.task_id, [])
            for gold in [task.gold["ranking"] if probe == "p4" else task.gold["action"]]
        ]
        if right and all(right):
            yield f"every {what} of {probe.upper()} is the right one"


def _last_designs(task: Task, run: Run) -> Iterator[tuple[Design, Design]]:
    """The final design of each episode of a task with the reference design."""
    reference = task.gold["reference"]
    known = reference["design"] if reference is not None and task.probe in ("p2", "p3") else None
    for record in run.records.get(task.task_id, []):
        designs = [step.design for step in record.steps if step.design is not None]
        if designs and known is not None:
            yield designs[-1], known


def _same(one: Design, other: Design) -> bool:
    return one.keys() == other.keys() and all(math.isclose(one[name], other[name], rel_tol=SAME) for name in one)


def _plain(name: str) -> str:
    """The last part of a name without what providers add and leave out."""
    return re.sub(r"[^a-z0-9]", "", name.rpartition("/")[2].lower())


def _alike(one: str, other: str) -> bool:
    return bool(one and other) and (one in other or other in one)


def _seconds(time: str | None) -> float | None:
    try:
        return datetime.fromisoformat(time or "").timestamp()
    except (ValueError, OverflowError, OSError):
        return None
