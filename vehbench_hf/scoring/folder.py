"""Scoring a run folder: log in, `scores.json` out. No model is called."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vehbench_hf.bank import Bank
from vehbench_hf.runlog.replay import ReplayedRun, replay_run
from vehbench_hf.runlog.settings import write_json
from vehbench_hf.scoring.score import score
from vehbench_hf.selection import limited
from vehbench_hf.types import PROBES, Convention, Task


def score_folder(folder: Path, bank: Bank, *, convention: Convention | None = None) -> dict[str, Any]:
    """Replay the log of `folder` on the tasks it was to cover, score it, and write `scores.json` beside it.

    `convention` None means the bank's own. The same log gives the same file, whenever it is scored. Lines that cannot
    be read are named under `problems`. Raises RunError when the folder is not a run.
    """
    run = replay_run(folder, bank.tasks)
    scores = score(
        covered(run, bank),
        run.records,
        convention=convention or bank.convention,
        bank=bank.version,
        headline_splits=bank.headline_splits,
        model=run.info["settings"].get("model"),
        prompts=run.info["settings"].get("prompts_version", "unreleased"),
        protocol=run.info["settings"].get("protocol_version", "unreleased"),
        epochs=run.info["settings"].get("epochs", 1),
    )
    scores = {**scores, "problems": run.problems}
    write_json(folder / "scores.json", scores)
    return scores


def covered(run: ReplayedRun, bank: Bank) -> Sequence[Task]:
    """The tasks a run was to cover: its selection, or the probes that an imported log holds anything of."""
    settings = run.info["settings"]
    if run.info.get("kind") == "recorded":
        probes = {record.probe for records in run.records.values() for record in records}
        return bank.select([probe for probe in PROBES if probe in probes])
    return limited(bank.select(settings["probes"], settings["splits"]), settings["limit"])
