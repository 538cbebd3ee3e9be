"""Runs at a scripted server, and the outcomes that their logs give."""

from pathlib import Path
from typing import Any

from fake_server import completion
from vehbench_hf.bank.bank import Bank
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import TurnWriter, read_turns, replay_episode
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import Outcome, Probe, Task, Turn
from vehbench_runners import BackendOptions, Budget, Plan, RunResult, make_backend, run_tasks

PROTOCOL = Protocol()
GOOD = '{"action": "propose_design"}'
FINE = completion(GOOD)


def tasks_of(bank: Bank, probe: Probe) -> list[Task]:
    return [task for task in bank.tasks if task.probe == probe]


def run(
    folder: Path,
    url: str,
    tasks: list[Task],
    *,
    sampling: Sampling = Sampling(),
    protocol: Protocol = PROTOCOL,
    epochs: int = 1,
    budget: Budget | None = None,
    **options: Any,
) -> tuple[RunResult, list[Turn]]:
    backend = make_backend(
        "openai/m", sampling=sampling, options=BackendOptions(base_url=url, **{"max_retries": 2, **options})
    )
    folder.mkdir(exist_ok=True)
    with TurnWriter(folder) as writer:
        result = run_tasks(Plan(tasks, epochs, protocol), backend, writer, read_turns(folder).turns, budget=budget)
    return result, read_turns(folder).turns


def outcomes(tasks: list[Task], turns: list[Turn], protocol: Protocol = PROTOCOL) -> dict[str, Outcome | None]:
    """Outcome classes as the log gives them, without any backend."""
    found = {}
    for task in tasks:
        mine = [turn for turn in turns if turn.task_id == task.task_id]
        episode, _, waiting = replay_episode(task, protocol, mine)
        if waiting is not None:
            episode.receive(waiting)
        found[task.task_id] = episode.outcome
    return found
