"""Evaluate open weights with vLLM in this process: the same as `vehbench run`, as a script to read and to change.

    python run_vllm.py /path/to/model
    python run_vllm.py ORG/MODEL 4        # on four GPUs

Every call is shown as it comes back and stands as a line in the run's folder; given again, the script goes on from
there. Other settings make another folder. Scores: `vehbench score FOLDER`.
"""

import sys
from pathlib import Path

from vehbench_hf.bank.bank import open_bank
from vehbench_hf.bank.subsets import limited
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, begin_run, make_folder, read_turns, run_folder_name
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import SPLITS, Task, Turn
from vehbench_runners import BackendOptions, Plan, make_backend, run_tasks


def main(model: str, gpus: int) -> None:
    """Run ten tasks of each of two probes."""
    bank = open_bank("v2")
    sampling = Sampling(max_tokens=16384)  # no temperature: as the makers of the model recommend
    weights = Weights(dtype="bfloat16", max_model_len=32768)
    engine = {"tensor_parallel_size": gpus, "gpu_memory_utilization": 0.9}  # any argument of vLLM's engine
    name = f"vllm/{model}"
    backend = make_backend(name, sampling=sampling, weights=weights, options=BackendOptions(engine=engine))
    settings = RunSettings(
        model=name,
        bank_version=bank.version,
        bank_fingerprint=bank.fingerprint,
        probes=("p1", "p2"),
        splits=SPLITS,
        limit=10,
        epochs=1,
        protocol=Protocol(),
        sampling=sampling,
        weights=weights,
    )
    folder = Path("runs") / run_folder_name(settings)
    make_folder(folder)
    tasks = limited(bank.select(settings.probes, settings.splits), settings.limit)
    with TurnWriter(folder) as writer:
        begin_run(folder, settings, bank, writer.file)
        plan = Plan(tasks, settings.epochs, settings.protocol)
        result = run_tasks(plan, backend, writer, read_turns(folder).turns, on_call=show)
    sys.exit(f"stopped: {result.stopped}" if result.stopped else 0)


def show(task: Task, turn: Turn) -> None:
    """Say what came back; change this to look at replies while they come."""
    reply = turn.reply
    sys.stdout.write(f"{task.task_id} call {turn.index}: {reply.error or reply.finish_reason}\n{reply.text}\n\n")


if __name__ == "__main__":  # vLLM starts processes of its own, which read this file again
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
