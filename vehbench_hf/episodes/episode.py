"""One task in progress: messages out, replies in, a record at the end."""

from vehbench_hf.domains import DEFAULT_DOMAIN
from vehbench_hf.episodes.task_rules import TaskRules, rules_of
from vehbench_hf.finish_reasons import ending_of
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.parsing import SEVERAL, Answer, UnreadableReply
from vehbench_hf.prompts import retry_note
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Message, Outcome, Probe, Record, Reply, Spec, Step, Task, Usage


class Episode:
    """An episode of one task. It does no I/O and never raises on what a model wrote.

    `position` is (index, attempt) of the call it waits for: index counts live turns from 0, attempt a turn's retries.
    `outcome` is None while it runs. A reply with `error` set ends it as `infra_error`, which is unscored.
    """

    def __init__(
        self,
        task_id: str,
        probe: Probe,
        spec: Spec | IsomorphicSpec,
        protocol: Protocol,
        epoch: int = 0,
        domain: str = DEFAULT_DOMAIN,
        rules: TaskRules | None = None,
    ) -> None:
        self.rules = rules or rules_of(probe, spec, protocol, domain)
        self.task_id, self.probe, self.epoch = task_id, probe, epoch
        self.outcome: Outcome | None = None
        self.steps: tuple[Step, ...] = ()
        self.attempt = 0
        self._protocol = protocol
        self._messages: list[Message] = self.rules.messages
        self._usage: list[Usage] = []
        self._applicable = True

    @property
    def position(self) -> tuple[int, int]:
        """(index, attempt) of the next call."""
        return len(self.steps), self.attempt

    @property
    def calls(self) -> int:
        """Replies taken so far."""
        return len(self._usage)

    def start(self) -> list[Message]:
        """The messages of the first call."""
        return list(self._messages)

    def receive(self, reply: Reply) -> list[Message] | None:
        """Take a reply; return the messages of the next call, or None when the episode is over."""
        if self.outcome is not None:
            raise RuntimeError(f"episode of {self.task_id} is over ({self.outcome}); it takes no further reply")
        self._usage.append(reply.usage)
        self._applicable = self._applicable and reply.note != "not_applicable"
        ending = ending_of(reply.finish_reason)
        if reply.error is not None or ending == "failed":
            return self._end("infra_error")
        if ending == "refused":
            return self._end("refused")
        try:
            answer = self.rules.read(reply.text or "", len(self.steps))
            if ending == "cut" and (SEVERAL in answer.repairs or not answer.is_last):
                raise UnreadableReply("a draft perhaps, for the reply would have gone on")
        except UnreadableReply as unreadable:
            if ending == "unknown":  # whether the model or its server ended it is not known
                return self._end("infra_error")
            cut = ending == "cut"
            return self._failed("truncated" if cut else "format_error", "it was cut off" if cut else str(unreadable))
        return self._step(answer, reply.reasoning or answer.reasoning)

    def record(self) -> Record:
        """The finished episode for scoring. Raises RuntimeError while it still runs."""
        if self.outcome is None:
            raise RuntimeError(f"episode of {self.task_id} is not over yet")
        return Record(
            task_id=self.task_id,
            probe=self.probe,
            outcome=self.outcome,
            steps=self.steps,
            epoch=self.epoch,
            applicable=self._applicable,
            usage=_total(self._usage),
            calls=len(self._usage),
            budget=self._protocol.p2_queries if self.probe == "p2" else None,
        )

    def _step(self, answer: Answer, reasoning: str) -> list[Message] | None:
        step, feedback = self.rules.step(self.steps, answer)
        self.steps += (step,)
        self.attempt = 0
        if feedback is None:
            return self._end("ok")
        replay = self._protocol.replay_reasoning
        if replay == "last":
            self._messages = [{"role": m["role"], "content": m["content"]} for m in self._messages]
        own: Message = {"role": "assistant", "content": answer.content}
        if replay != "none" and reasoning.strip():
            own["reasoning"] = reasoning
        self._messages = [*self._messages, own, {"role": "user", "content": feedback}]
        return list(self._messages)

    def _failed(self, outcome: Outcome, reason: str) -> list[Message] | None:
        """Ask the same turn again, with the reason below the last message; the unusable reply is not repeated."""
        if self.attempt >= self._protocol.retries:
            return self._end(outcome)
        self.attempt += 1
        *earlier, last = self._messages
        return [*earlier, {"role": last["role"], "content": last["content"] + retry_note(reason)}]

    def _end(self, outcome: Outcome) -> list[Message] | None:
        """The end: there are no messages of a next call."""
        self.outcome = outcome
        return None


def begin_episode(task: Task, protocol: Protocol, epoch: int = 0, rules: TaskRules | None = None) -> Episode:
    """The episode of a task. `rules` are those of the task, where they are known from another epoch of it."""
    return Episode(task.task_id, task.probe, task.spec, protocol, epoch, task.domain, rules)


def _total(usages: list[Usage]) -> Usage:
    def add(values: list[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    return Usage(
        input=add([u.input for u in usages]),
        cached=add([u.cached for u in usages]),
        output=add([u.output for u in usages]),
        reasoning=add([u.reasoning for u in usages]),
    )
