"""An isomorphism audit as a run: which rows it takes, and its score from the log."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import RunError
from vehbench_hf.isomorphic.reading import fingerprint_of_isomorphic, open_isomorphic
from vehbench_hf.isomorphic.score import score_isomorphic
from vehbench_hf.isomorphic.types import IsomorphicTask
from vehbench_hf.runlog.replay import replay_run
from vehbench_hf.runlog.settings import read_run_json
from vehbench_hf.scoring.folder import stored
from vehbench_hf.types import ALL_SPLITS, Split


def isomorphic_tasks(
    bank: Bank, splits: Sequence[Split] = ALL_SPLITS, limit: int | None = None
) -> list[IsomorphicTask]:
    """The isomorphic probes of some splits, whole groups in their order; `limit` keeps so many groups.

    Groups are taken from each split in turn, within a split in an order that depends on the number alone; so N groups
    are always the same ones and are among the first N + 1. Raises BankError for a bank without such probes.
    """
    tasks = [task for task in open_isomorphic(bank) if task.split in splits]
    split_of = {task.group: task.split for task in tasks}
    place: dict[int, tuple[int, int]] = {}
    for split in ALL_SPLITS:
        inside = sorted((group for group, of in split_of.items() if of == split), key=_digest)
        place |= {group: (rank, ALL_SPLITS.index(split)) for rank, group in enumerate(inside)}
    kept = set(sorted(place, key=place.__getitem__)[:limit])
    return [task for task in tasks if task.group in kept]


def score_isomorphic_folder(folder: Path, bank: Bank) -> dict[str, Any]:
    """Replay the log of an isomorphism audit, score it and write `scores.json` beside it; no model is called.

    Raises RunError when the folder is no such run, BankError when the bank has no isomorphic probes.
    """
    settings = read_run_json(folder)["settings"]
    if settings.get("isomorphic") != fingerprint_of_isomorphic(bank):
        raise RunError(f"{folder} was not run on the isomorphic probes of bank {bank.version} at {bank.path}.")
    try:
        tasks = isomorphic_tasks(bank, settings["splits"], settings["limit"])
    except (KeyError, TypeError):
        raise RunError(f"{folder / 'run.json'} does not say which splits and limit the run has.") from None
    run = replay_run(folder, tasks)
    scores = score_isomorphic(
        tasks,
        run.records,
        bank=bank.version,
        model=settings.get("model"),
        epochs=settings.get("epochs", 1),
        prompts=settings.get("prompts_version", "unreleased"),
    )
    return stored(folder, {**scores, "problems": run.problems})


def _digest(group: int) -> bytes:
    return hashlib.sha256(f"group {group}".encode()).digest()
