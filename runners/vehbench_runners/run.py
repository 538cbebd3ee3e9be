"""The loop: an episode for every task, a line in the log for every call. What is in the log is not asked again."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, replay_episode, request_hash
from vehbench_hf.types import Outcome, Task, Turn
from vehbench_runners.backends import Backend


@dataclass(frozen=True)
class Plan:
    """What to run: tasks in order, repeats, and the rules."""

    tasks: list[Task]
    epochs: int
    protocol: Protocol


@dataclass
class RunResult:
    """How a run went: calls made now, episodes that needed none, and the outcome of each (task, epoch)."""

    calls: int
    resumed: int
    outcomes: dict[tuple[str, int], Outcome]


def run_tasks(
    plan: Plan,
    backend: Backend,
    writer: TurnWriter,
    logged: list[Turn],
    *,
    on_episode: Callable[[Task, Outcome], None] = lambda task, outcome: None,
) -> RunResult:
    """Run every episode of `plan` that `logged` does not finish, and append each call to `writer`.

    `on_episode` is called as episodes end. An error from the writer stops the run; what was written stays.
    """
    return asyncio.run(_run(plan, backend, writer, logged, on_episode))


async def _run(
    plan: Plan,
    backend: Backend,
    writer: TurnWriter,
    logged: list[Turn],
    on_episode: Callable[[Task, Outcome], None],
) -> RunResult:
    by_episode: dict[tuple[str, int], list[Turn]] = {}
    for turn in logged:
        by_episode.setdefault((turn.task_id, turn.epoch), []).append(turn)
    result = RunResult(0, 0, {})
    work = itertools.product(range(plan.epochs), plan.tasks)

    async def worker() -> None:
        for epoch, task in work:  # the iterator is shared: each worker takes the next episode
            turns = by_episode.get((task.task_id, epoch), [])
            calls, outcome = await _run_episode(task, epoch, plan.protocol, turns, backend, writer)
            result.calls += calls
            result.resumed += calls == 0
            result.outcomes[task.task_id, epoch] = outcome
            on_episode(task, outcome)

    await asyncio.gather(*(worker() for _ in range(backend.concurrency)))
    return result


async def _run_episode(
    task: Task, epoch: int, protocol: Protocol, turns: list[Turn], backend: Backend, writer: TurnWriter
) -> tuple[int, Outcome]:
    episode, messages, _ = replay_episode(task, protocol, turns, epoch=epoch)
    speaker = backend.speaker_for(task)
    calls = 0
    while messages is not None:
        index, attempt = episode.position
        reply = await speaker(messages, (epoch, index, attempt))
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        writer.append(Turn(task.task_id, epoch, index, attempt, reply, request_hash(messages), now))
        calls += 1
        messages = episode.receive(reply)
    assert episode.outcome is not None
    return calls, episode.outcome
