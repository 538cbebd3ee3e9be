"""A run folder as read back: the one way from a log to tasks, records and rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import chosen
from vehbench_hf.errors import BankError, RunError
from vehbench_hf.isomorphic.reading import fingerprint_of_isomorphic, isomorphic_tasks
from vehbench_hf.prompts import prompts_fingerprint
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog.answering import several_models
from vehbench_hf.runlog.lines import read_turns
from vehbench_hf.runlog.recorded import read_recorded
from vehbench_hf.runlog.replay import replay_episode
from vehbench_hf.runlog.run_json import RunJson, read_run_json
from vehbench_hf.runlog.settings import domain_of_settings, protocol_of
from vehbench_hf.runlog.sorted_rows import Row, SortedRows, sort_rows
from vehbench_hf.types import Probe, Record, Task, Turn

UNRELEASED = "unreleased"
"""What stands for the prompts and the protocol of the authors' harness."""


@dataclass(frozen=True)
class Run:
    """A run: what its `run.json` says, the tasks it was to cover, and what became of them.

    `records` are finished episodes by task id; episodes without an end have none. `problems` say what is odd about the
    log, a sentence each.
    """

    folder: Path
    info: RunJson
    bank: Bank
    tasks: Sequence[Task]
    records: dict[str, list[Record]]
    problems: list[str]

    @cached_property
    def rows(self) -> SortedRows:
        """Tasks with their records; empty in an isomorphism audit, whose questions are no tasks of the bank."""
        if self.isomorphic:
            return sort_rows((), {}, epochs=self.epochs)
        return sort_rows(self.tasks, self.records, epochs=self.epochs)

    @property
    def name(self) -> str:
        """The folder as it was given."""
        return str(self.folder)

    @property
    def settings(self) -> dict[str, Any]:
        """What `RunSettings.flat` stored; an imported log names model and bank alone."""
        return self.info["settings"]

    @property
    def recorded(self) -> bool:
        """Whether the run was imported from the authors' logs."""
        return self.info.get("kind") == "recorded"

    @property
    def isomorphic(self) -> bool:
        """Whether it is an isomorphism audit."""
        return bool(self.settings.get("isomorphic"))

    @property
    def model(self) -> str:
        """The model as `vehbench run` was given it."""
        return str(self.settings.get("model"))

    @property
    def is_model(self) -> bool:
        """Whether a language model ran; False for built-in baselines."""
        return not self.model.startswith("baseline/")

    @property
    def epochs(self) -> int:
        """Repeats of every task."""
        return int(self.settings.get("epochs", 1))

    @property
    def temperature(self) -> float | None:
        """The temperature that was sent; None where nothing was sent or nothing is known."""
        value = self.settings.get("sampling.temperature")
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    @property
    def prompts(self) -> str:
        """The version of the prompts."""
        return str(self.settings.get("prompts_version", UNRELEASED))

    @property
    def protocol(self) -> Protocol:
        """The rules of the episodes. Raises RunError for rules that this version does not know."""
        return protocol_of(self.settings)

    def scored(self, probe: Probe) -> list[Row]:
        """The scored rows of a probe."""
        return [row for row in self.rows.scored if row.task.probe == probe]

    def unscored(self) -> dict[Probe, int]:
        """By probe the repeats without a score, where there are any."""
        counts: dict[Probe, int] = {}
        for task in self.rows.lost:
            counts[task.probe] = counts.get(task.probe, 0) + 1
        return counts


def load_run(folder: Path, bank: Bank, *, tasks: Sequence[Task] | None = None) -> Run:
    """Read a run folder and replay the episodes of the tasks it was to cover, or of `tasks`. No model is called.

    An imported log gives its recorded actions and covers the probes that it holds anything of. Raises RunError when the
    folder is not a run, or does not say which tasks it has; BankError for another bank than the run's.
    """
    info = read_run_json(folder)
    if info["settings"]["bank_fingerprint"] != bank.fingerprint:
        raise BankError(
            f"{bank.path} ({bank.version}) is not the bank of {folder}: its tasks differ. Give it with --bank."
        )
    wanted = covered_tasks(info, bank, folder) if tasks is None else tasks
    if info.get("kind") == "recorded":
        records, problems = read_recorded(folder, wanted)
        probes = {record.probe for episodes in records.values() for record in episodes}
        return Run(folder, info, bank, [t for t in wanted if t.probe in probes] or wanted, records, problems)
    settings = info["settings"]
    records = {}
    turns, problems = read_turns(folder)
    same_prompts = settings.get("prompts_fingerprint") == prompts_fingerprint(domain_of_settings(settings))
    if not same_prompts:
        problems.append("the run was made with other prompts; its replies are read by today's parser and oracle")
    problems += several_models(info, turns)
    protocol = protocol_of(settings)
    by_episode: dict[tuple[str, int], list[Turn]] = {}
    for turn in turns:
        by_episode.setdefault((turn.task_id, turn.epoch), []).append(turn)
    unused = sum(turn.reply.error is None for turn in turns)
    for task in wanted:
        rules = None  # the opening prompt is rendered once for all epochs
        for epoch in range(settings.get("epochs", 1)):
            if not (logged := by_episode.get((task.task_id, epoch))):
                continue
            replayed = replay_episode(task, protocol, logged, epoch=epoch, check_requests=same_prompts, rules=rules)
            episode, rules = replayed.episode, replayed.episode.rules
            unused -= episode.calls
            if replayed.failure is not None:
                episode.receive(replayed.failure)
            if episode.outcome is not None:
                records.setdefault(task.task_id, []).append(episode.record())
    if unused:
        problems.append(f"{unused} turns answer no call of this run (repeated, changed, or of other tasks); left out")
    return Run(folder, info, bank, wanted, records, problems)


def covered_tasks(info: RunJson, bank: Bank, folder: Path) -> Sequence[Task]:
    """The tasks a run was to cover by its settings; the whole bank for an imported log.

    Raises RunError when `run.json` does not say, or names the isomorphic questions of another bank.
    """
    settings = info["settings"]
    if info.get("kind") == "recorded":
        return bank.tasks
    isomorphic = settings.get("isomorphic")
    if isomorphic and isomorphic != fingerprint_of_isomorphic(bank):
        raise RunError(f"{folder} was not run on the isomorphic probes of bank {bank.version} at {bank.path}.")
    try:
        if isomorphic:
            return isomorphic_tasks(bank, settings["splits"], settings["limit"])
        subset, domain, ids = settings.get("subset"), domain_of_settings(settings), settings.get("task") or ()
        return chosen(bank, settings["probes"], settings["splits"], settings["limit"], subset, domain, ids)
    except (KeyError, TypeError):
        raise RunError(
            f"{folder / 'run.json'} does not say which probes, splits and limit the run has; it was damaged."
        ) from None
