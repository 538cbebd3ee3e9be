"""Run folders made without a model: a function speaks for it."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import limited
from vehbench_hf.episodes import Episode
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, begin_run, make_folder, request_hash
from vehbench_hf.types import PROBES, SPLITS, Reply, Task, Turn
from vehbench_oracle import VARIABLES

Speak = Callable[[Task, int, int], Reply]
"""The reply to turn `index`, attempt `attempt` of a task."""


def make_run(
    folder: Path,
    bank: Bank,
    speak: Speak,
    *,
    model: str = "org/model",
    probes: Sequence[str] = PROBES,
    splits: Sequence[str] = SPLITS,
    limit: int | None = None,
    epochs: int = 1,
    protocol: Protocol | None = None,
) -> Path:
    """Run every episode and log every call as the runner does."""
    settings = RunSettings(
        model=model,
        bank_version=bank.version,
        bank_fingerprint=bank.fingerprint,
        probes=tuple(probes),
        splits=tuple(splits),
        limit=limit,
        epochs=epochs,
        protocol=protocol or Protocol(),
    )
    make_folder(folder)
    with TurnWriter(folder) as writer:
        begin_run(folder, settings, bank, writer.file, begun="2026-11-30T00:00:00+00:00")
        for task in limited(bank.select(probes, splits), limit):
            for epoch in range(epochs):
                episode = Episode(task.task_id, task.probe, task.spec, settings.protocol, epoch)
                messages = episode.start()
                while messages is not None:
                    index, attempt = episode.position
                    reply = speak(task, index, attempt)
                    time = "2026-11-30T00:00:00.000+00:00"
                    writer.append(Turn(task.task_id, epoch, index, attempt, reply, request_hash(messages), time))
                    messages = episode.receive(reply)
    return folder


def mixed(task: Task, index: int, attempt: int) -> Reply:
    """Good, wrong, unreadable, cut, refused and failed replies, decided by a hash of the call."""
    draw = int(hashlib.sha256(f"{task.task_id}/{index}/{attempt}".encode()).hexdigest()[:8], 16)
    kind = draw % 20
    if kind == 0:
        return Reply("I would rather not say.")
    if kind == 1:
        return Reply('{"action": "propose_des', finish_reason="length")
    if kind == 2:
        return Reply(None, finish_reason="content_filter")
    if kind == 3:
        return Reply(None, error="connection refused", finish_reason=None)
    return Reply("Here it is:\n```json\n" + json.dumps(_answer(task, index, draw // 20)) + "\n```")


def gold(task: Task, index: int, attempt: int) -> Reply:
    """The right answer."""
    if task.probe == "p1":
        return Reply(json.dumps({"action": task.gold["action"]}))
    if task.probe == "p4":
        return Reply(json.dumps({"ranking": task.gold["ranking"]}))
    assert task.gold["reference"] is not None
    return Reply(json.dumps({"action": "propose_design", "design": task.gold["reference"]["design"]}))


def no_failures(task: Task, index: int, attempt: int) -> Reply:
    """As `mixed` without failures outside the model, which would leave a run incomplete."""
    reply = mixed(task, index, attempt)
    return reply if reply.error is None else gold(task, index, attempt)


def _answer(task: Task, index: int, draw: int) -> dict[str, object]:
    if task.probe == "p1":
        return {"action": ("propose_design", "declare_infeasible", "request_missing_info")[draw % 3]}
    if task.probe == "p4":
        ids = [candidate["id"] for candidate in task.spec["candidates"]]
        return {"ranking": ids[draw % len(ids) :] + ids[: draw % len(ids)]}
    reference = task.gold["reference"]
    design = reference["design"] if reference else None
    if design is not None and draw % 3 == 0:
        return {"action": "propose_design", "design": design}
    if draw % 7 == 0:
        return {"action": "replan"}
    bounds = task.spec["variable_bounds"]
    share = (draw % 11) / 10
    point = {n: b["min"] + share * (b["max"] - b["min"]) for n in VARIABLES if (b := bounds[n]) is not None}
    return {"action": "propose_design", "design": point}
