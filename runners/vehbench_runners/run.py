"""The loop: an episode for every task, a line in the log for every call. What is in the log is not asked again."""

import asyncio
import contextlib
import itertools
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, replay_episode, request_hash
from vehbench_hf.types import Message, Outcome, Reply, Task, Turn
from vehbench_runners.backend import OVERFLOW, Backend, Interrupted, Position, RunStopped, Speaker
from vehbench_runners.budget import Budget
from vehbench_runners.pacing import Pacer

MAX_FAILURES_IN_A_ROW = 20
"""After so many calls that failed outside the model, with none that came through between, a run stops by itself.
Calls that were in flight together and fail together say one thing and count once. Prompts that are too long do not
count where others fit."""


@dataclass(frozen=True)
class Plan:
    """What to run: tasks in order, repeats, and the rules."""

    tasks: Sequence[Task]
    epochs: int
    protocol: Protocol


@dataclass
class RunResult:
    """How a run went: calls made now, episodes that needed none, and the outcome of each (task, epoch) that ended.

    `stopped` says why the run ended before its plan did; None when it went through. `reasons` say of each episode that
    ended in `infra_error` what failed.
    """

    calls: int = 0
    resumed: int = 0
    outcomes: dict[tuple[str, int], Outcome] = field(default_factory=dict)
    reasons: dict[tuple[str, int], str] = field(default_factory=dict)
    stopped: RunStopped | None = None


def run_tasks(
    plan: Plan,
    backend: Backend,
    writer: TurnWriter,
    logged: list[Turn],
    *,
    budget: Budget | None = None,
    on_ready: Callable[[], None] = lambda: None,
    on_call: Callable[[Task, Turn], None] = lambda task, turn: None,
    on_episode: Callable[[Task, Outcome], None] = lambda task, outcome: None,
    on_interrupt: Callable[[], None] | None = None,
) -> RunResult:
    """Run every episode of `plan` that `logged` does not finish, and append each call to `writer`.

    `on_ready` is called once the model can be asked, `on_call` after each call, `on_episode` as episodes end. An error
    from the writer stops the run; what was written stays. A run that has to stop (RunStopped from a speaker or from
    `budget`) lets the calls in flight come back and be written first. With `on_interrupt`, called at the first Ctrl-C,
    that stops the run in the same way, and only the second one raises KeyboardInterrupt at once.
    """
    loop = _Loop(plan, backend, writer, budget or Budget(), on_call, on_episode)
    try:
        return asyncio.run(loop.run(logged, on_ready, on_interrupt))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@dataclass
class _Loop:
    plan: Plan
    backend: Backend
    writer: TurnWriter
    budget: Budget
    on_call: Callable[[Task, Turn], None]
    on_episode: Callable[[Task, Outcome], None]
    result: RunResult = field(default_factory=RunResult)
    failures_in_a_row: int = 0
    answered: bool = False
    landed: asyncio.Event = field(default_factory=asyncio.Event)
    pacer: Pacer = field(default_factory=Pacer)

    async def run(
        self, logged: list[Turn], on_ready: Callable[[], None], on_interrupt: Callable[[], None] | None
    ) -> RunResult:
        by_episode: dict[tuple[str, int], list[Turn]] = {}
        for turn in logged:
            by_episode.setdefault((turn.task_id, turn.epoch), []).append(turn)
            self.budget.add(turn.reply)
        self.answered = any(turn.reply.error is None for turn in logged)
        work = itertools.product(range(self.plan.epochs), self.plan.tasks)
        async with self.backend:
            on_ready()
            if on_interrupt is not None:
                self._listen(on_interrupt)
            workers = [asyncio.create_task(self._work(work, by_episode)) for _ in range(self.backend.concurrency)]
            try:
                await asyncio.gather(*workers)
            finally:  # one that failed, say on a full disk, must not leave the others asking
                for worker in workers:
                    worker.cancel()
        return self.result

    def _listen(self, on_interrupt: Callable[[], None]) -> None:
        """Let the first Ctrl-C end the run gently, and the second at once."""
        loop, whole = asyncio.get_running_loop(), asyncio.current_task()
        assert whole is not None

        def interrupted() -> None:
            if isinstance(self.result.stopped, Interrupted):
                whole.cancel()
                return
            self.result.stopped = Interrupted("interrupted")
            self.backend.stop(self.result.stopped)
            self.landed.set()
            on_interrupt()

        # only the main thread of a system with signals can be told
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(signal.SIGINT, interrupted)

    async def _work(self, work: Iterator[tuple[int, Task]], logged: dict[tuple[str, int], list[Turn]]) -> None:
        await self.pacer.next_turn()
        for epoch, task in work:  # the iterator is shared: each worker takes the next episode
            try:
                calls, outcome = await self._episode(task, epoch, logged.get((task.task_id, epoch), []))
            except RunStopped as stopped:
                self.result.stopped = self.result.stopped or stopped
            if self.result.stopped is not None:
                return
            self.result.resumed += calls == 0
            self.result.outcomes[task.task_id, epoch] = outcome
            self.on_episode(task, outcome)

    async def _episode(self, task: Task, epoch: int, turns: list[Turn]) -> tuple[int, Outcome]:
        episode, messages, _ = replay_episode(task, self.plan.protocol, turns, epoch=epoch)
        speaker = self.backend.speaker_for(task)
        calls, reply = 0, turns[-1].reply if turns else None
        while messages is not None:
            reply = await self._call(task, speaker, messages, (epoch, *episode.position))
            calls += 1
            messages = episode.receive(reply)
        assert episode.outcome is not None
        if episode.outcome == "infra_error" and reply is not None:
            ended = f"an unreadable reply that ended with {str(reply.finish_reason)[:40]!r}"
            self.result.reasons[task.task_id, epoch] = reply.error or ended
        return calls, episode.outcome

    async def _call(self, task: Task, speaker: Speaker, messages: list[Message], position: Position) -> Reply:
        if self.result.stopped is not None:
            raise self.result.stopped
        await self._wait_for_room()
        failures_before = self.failures_in_a_row
        self.budget.in_flight += 1
        try:
            reply = await speaker(messages, position)
        finally:
            self.budget.in_flight -= 1
            self.landed.set()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        turn = Turn(task.task_id, *position, reply, request_hash(messages), now)
        self.writer.append(turn)
        self.result.calls += 1
        self.budget.add(reply)
        self.on_call(task, turn)
        if reply.error is None:
            self.failures_in_a_row, self.answered = 0, True
        elif not (self.answered and reply.error.startswith(OVERFLOW)):  # other prompts fit, so it is this one's alone
            self.failures_in_a_row += self.failures_in_a_row == failures_before
        if self.failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise RunStopped(f"{self.failures_in_a_row} calls in a row failed outside the model, lastly: {reply.error}")
        await self.pacer.next_turn()
        return reply

    async def _wait_for_room(self) -> None:
        """Wait while the calls in flight may use up what a ceiling leaves. Raises RunStopped once it is reached."""
        self.budget.check()
        while not self.budget.has_room():
            self.landed.clear()
            await self.landed.wait()
            if self.result.stopped is not None:
                raise self.result.stopped
            self.budget.check()
