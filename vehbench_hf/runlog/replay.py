"""From a log back to episodes: the same code that ran them live reads them again."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.episodes import Episode, begin_episode
from vehbench_hf.episodes.task_rules import TaskRules
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Message, Reply, Task, Turn


def request_hash(messages: list[Message]) -> str:
    """SHA-256 of the messages of a call: a logged reply belongs to exactly this request."""
    return hashlib.sha256(canonical_json(messages).encode("utf-8", "surrogatepass")).hexdigest()


class ReplayedEpisode(NamedTuple):
    """An episode after its log: the messages of its next call (None when it is over), and the failure that waits there.

    `failure` is a reply that never came (network, server) at the very place where the episode stands.
    """

    episode: Episode
    messages: list[Message] | None
    failure: Reply | None


def replay_episode(
    task: Task,
    protocol: Protocol,
    turns: Iterable[Turn],
    *,
    epoch: int = 0,
    check_requests: bool = True,
    rules: TaskRules | None = None,
) -> ReplayedEpisode:
    """Feed the logged turns of one task and epoch to a new episode.

    A call that failed outside the model is not fed, so that it can be made again. With `check_requests`, a turn counts
    only if its request was exactly what the episode asks now. Of two turns for one call the later one counts. `rules`
    are those of the task, where they are known.
    """
    good: dict[tuple[int, int, str | None], Turn] = {}
    failed: dict[tuple[int, int], Turn] = {}
    for turn in turns:
        if turn.reply.error is not None:
            failed[turn.index, turn.attempt] = turn
        else:
            good[turn.index, turn.attempt, turn.request_hash if check_requests else None] = turn
    episode = begin_episode(task, protocol, epoch, rules)
    messages: list[Message] | None = episode.start()
    while messages is not None:
        asked = request_hash(messages) if good and check_requests else None
        answer = good.get((*episode.position, asked))
        if answer is None:
            failure = failed.get(episode.position)
            return ReplayedEpisode(episode, messages, failure.reply if failure else None)
        messages = episode.receive(answer.reply)
    return ReplayedEpisode(episode, None, None)
