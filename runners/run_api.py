"""Evaluate a model behind an API: the same as `vehbench run`, as a script to read and to change.

    OPENAI_API_KEY=... python run_api.py openai/gpt-4.1-mini
    python run_api.py openai/my-model http://localhost:8000/v1

Given again after an interruption, it goes on where it stopped. The name of the run's folder holds a hash of all
settings that a score depends on, so that other settings make another folder.
"""

import sys
from pathlib import Path

from vehbench_hf.bank.bank import open_bank
from vehbench_hf.bank.subsets import limited
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import (
    RunSettings,
    TurnWriter,
    begin_run,
    load_run,
    make_folder,
    read_turns,
    run_folder_name,
    write_scores,
)
from vehbench_hf.sampling import Sampling
from vehbench_hf.scoring import score_run
from vehbench_hf.types import PROBES, SPLITS
from vehbench_runners import BackendOptions, Plan, make_backend, run_tasks

TASKS_A_PROBE = 10  # None for all of them
EPOCHS = 1


def main(model: str, base_url: str | None = None) -> None:
    """Run `model` over the tasks, write the log and print the headline scores."""
    bank = open_bank("v2")
    tasks = limited(bank.select(PROBES, SPLITS), TASKS_A_PROBE)
    sampling = Sampling()  # for instance Sampling(temperature=0.0, reasoning_effort="high")
    protocol = Protocol()  # the rules of the episodes
    settings = RunSettings(
        model, bank.version, bank.fingerprint, PROBES, SPLITS, TASKS_A_PROBE, EPOCHS, protocol, sampling
    )
    folder = Path("runs") / run_folder_name(settings)
    make_folder(folder)
    backend = make_backend(model, sampling=sampling, options=BackendOptions(base_url=base_url, concurrency=32))
    with TurnWriter(folder) as writer:  # one line for each call, and no call of an earlier session is made again
        begin_run(folder, settings, bank, writer.file)
        result = run_tasks(Plan(tasks, EPOCHS, protocol), backend, writer, read_turns(folder).turns)
    if result.stopped:
        sys.exit(f"stopped: {result.stopped}")
    scores = score_run(load_run(folder, bank))
    write_scores(folder, scores)
    for probe, found in scores["probes"].items():
        sys.stdout.write(f"{probe}  {found['headline']}  {found['outcomes']}\n")
    sys.stdout.write(f"log: {folder}\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
