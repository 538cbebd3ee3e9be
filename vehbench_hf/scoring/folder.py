"""Scoring a run folder: log in, `scores.json` out. No model is called."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.subsets import chosen
from vehbench_hf.errors import RunError
from vehbench_hf.runlog.replay import ReplayedRun, protocol_label, replay_run
from vehbench_hf.runlog.settings import read_run_json, write_json
from vehbench_hf.scoring.score import score
from vehbench_hf.types import Convention, Task


def score_folder(folder: Path, bank: Bank, *, convention: Convention | None = None) -> dict[str, Any]:
    """Replay the log of `folder` on the tasks it was to cover, score it, and write `scores.json` beside it.

    `convention` None means the bank's own. The same log gives the same file, whenever it is scored. Lines that cannot
    be read are named under `problems`. Raises RunError when the folder is not a run.
    """
    info = read_run_json(folder)
    run = replay_run(folder, selected(info, bank))
    scores = score(
        covered(run, bank),
        run.records,
        convention=convention or bank.convention,
        bank=bank.version,
        headline_splits=bank.headline_splits,
        model=run.info["settings"].get("model"),
        prompts=run.info["settings"].get("prompts_version", "unreleased"),
        protocol=protocol_label(run.info["settings"]),
        epochs=run.info["settings"].get("epochs", 1),
    )
    return stored(folder, {**scores, "problems": run.problems})


def stored(folder: Path, scores: dict[str, Any]) -> dict[str, Any]:
    """Write `scores.json`; returns the scores, with a line under `problems` where the disk takes no more."""
    try:
        write_json(folder / "scores.json", scores)
    except RunError as error:
        scores["problems"].append(f"{error} The scores are only shown here.")
    return scores


def selected(info: dict[str, Any], bank: Bank) -> Sequence[Task]:
    """The tasks a run may hold: its selection from the bank, or the whole bank for an imported log.

    Raises RunError when `run.json` does not say.
    """
    settings = info["settings"]
    if info.get("kind") == "recorded":
        return bank.tasks
    try:
        return chosen(bank, settings["probes"], settings["splits"], settings["limit"], settings.get("subset"))
    except (KeyError, TypeError):
        raise RunError("run.json does not say which probes, splits and limit the run has; it was damaged.") from None


def covered(run: ReplayedRun, bank: Bank) -> Sequence[Task]:
    """The tasks a run was to cover: its selection, or the probes that an imported log holds anything of."""
    tasks = selected(run.info, bank)
    if run.info.get("kind") == "recorded":
        probes = {record.probe for records in run.records.values() for record in records}
        return [task for task in tasks if task.probe in probes] or tasks
    return tasks
