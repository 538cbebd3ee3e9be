"""From a log back to episodes: the same code that ran them live reads them again."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from vehbench_hf.bank.canonical import canonical_json
from vehbench_hf.episodes import Episode, begin_episode
from vehbench_hf.errors import RunError
from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.prompts import prompts_fingerprint
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog.lines import read_turns
from vehbench_hf.runlog.recorded import read_recorded
from vehbench_hf.runlog.settings import read_run_json
from vehbench_hf.types import Message, Record, Reply, Task, Turn


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
    task: Task | IsomorphicTask,
    protocol: Protocol,
    turns: Iterable[Turn],
    *,
    epoch: int = 0,
    check_requests: bool = True,
) -> ReplayedEpisode:
    """Feed the logged turns of one task and epoch to a new episode.

    A call that failed outside the model is not fed, so that it can be made again. With `check_requests`, a turn counts
    only if its request was exactly what the episode asks now. Of two turns for one call the later one counts.
    """
    good: dict[tuple[int, int, str | None], Turn] = {}
    failed: dict[tuple[int, int], Turn] = {}
    for turn in turns:
        if turn.reply.error is not None:
            failed[turn.index, turn.attempt] = turn
        else:
            good[turn.index, turn.attempt, turn.request_hash if check_requests else None] = turn
    episode = begin_episode(task, protocol, epoch)
    messages: list[Message] | None = episode.start()
    while messages is not None:
        asked = request_hash(messages) if good and check_requests else None
        found = good.get((*episode.position, asked))
        if found is None:
            stuck = failed.get(episode.position)
            return ReplayedEpisode(episode, messages, stuck.reply if stuck else None)
        messages = episode.receive(found.reply)
    return ReplayedEpisode(episode, None, None)


@dataclass(frozen=True)
class ReplayedRun:
    """A run as read back: its stored description, finished episodes by task, and what is odd about the log."""

    info: dict[str, Any]
    records: dict[str, list[Record]]
    problems: list[str]


def replay_run(folder: Path, tasks: Iterable[Task | IsomorphicTask]) -> ReplayedRun:
    """Read a run folder and replay every episode of `tasks`. Raises RunError when the folder is not a run.

    Episodes that are not finished have no record. Runs imported from the authors' logs give their recorded actions.
    """
    info = read_run_json(folder)
    if info.get("kind") == "recorded":
        return ReplayedRun(info, *read_recorded(folder, [task for task in tasks if isinstance(task, Task)]))
    turns, problems = read_turns(folder)
    settings = info["settings"]
    same_prompts = settings.get("prompts_fingerprint") == prompts_fingerprint()
    if not same_prompts:
        problems.append("the run was made with other prompts; its replies are read by today's parser and oracle")
    protocol = protocol_of(settings)
    by_episode: dict[tuple[str, int], list[Turn]] = {}
    for turn in turns:
        by_episode.setdefault((turn.task_id, turn.epoch), []).append(turn)
    records: dict[str, list[Record]] = {}
    unused = sum(turn.reply.error is None for turn in turns)
    for task in tasks:
        for epoch in range(settings.get("epochs", 1)):
            mine = by_episode.get((task.task_id, epoch))
            if not mine:
                continue
            episode, _, failure = replay_episode(task, protocol, mine, epoch=epoch, check_requests=same_prompts)
            unused -= episode.calls
            if failure is not None:
                episode.receive(failure)
            if episode.outcome is not None:
                records.setdefault(task.task_id, []).append(episode.record())
    if unused:
        problems.append(f"{unused} turns answer no call of this run (repeated, changed, or of other tasks); left out")
    return ReplayedRun(info, records, problems)


def protocol_of(settings: dict[str, Any]) -> Protocol:
    """The protocol that `RunSettings.flat` stored. Raises RunError for one that this version does not know."""
    prefix = "protocol."
    stored = {name.removeprefix(prefix): value for name, value in settings.items() if name.startswith(prefix)}
    try:
        return Protocol(**stored)
    except TypeError:
        raise RunError(f"run.json: the protocol {stored} is not one of this version.") from None


def protocol_label(settings: dict[str, Any]) -> str:
    """The protocol of a run in the tuple that says what compares: its version, and each rule that is not the default.

    For instance "1" or "1 (feedback coarse, p2_stop budget)"; "unreleased" for imported logs.
    """
    if "protocol_version" not in settings:
        return "unreleased"
    used, usual = asdict(protocol_of(settings)), asdict(Protocol())
    changed = ", ".join(f"{name} {used[name]}" for name in used if used[name] != usual[name])
    return f"{settings['protocol_version']} ({changed})" if changed else str(settings["protocol_version"])
