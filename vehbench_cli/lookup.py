"""What a command's arguments name: the bank of a run, several runs with theirs, a task."""

from collections.abc import Sequence
from pathlib import Path

from vehbench_hf.bank.bank import Bank, bank_with, open_bank
from vehbench_hf.errors import BankError, UserError
from vehbench_hf.runlog import Run, load_run, read_run_json
from vehbench_hf.types import Task


def bank_of(run: Path, given: str | None) -> Bank:
    """The bank a run was made with, known by its fingerprint, so that a run folder may be moved.

    Raises BankError when the given bank is another one, or none is found where banks lie.
    """
    info = read_run_json(run)
    fingerprint = info["settings"]["bank_fingerprint"]
    try:
        bank = bank_with(fingerprint, [run.resolve() / info["bank"]]) if given is None else open_bank(given)
    except BankError as error:
        raise BankError(f"the bank of {run} must be given with --bank: {error}") from None
    if bank.fingerprint != fingerprint:
        raise BankError(
            f"{bank.path} ({bank.version}) is not the bank of {run}: its tasks differ. Give the right one with --bank."
        )
    return bank


def runs_to_compare(runs: Sequence[Path], given: str | None) -> list[Run]:
    """Runs replayed on their banks, each of which is opened once."""
    banks: dict[str, Bank] = {}
    compared = []
    for run in runs:
        fingerprint = read_run_json(run)["settings"]["bank_fingerprint"]
        if fingerprint not in banks:
            banks[fingerprint] = bank_of(run, given)
        compared.append(load_run(run, banks[fingerprint]))
    return compared


def task_of(bank: Bank, task_id: str) -> Task:
    """The task with this id. Raises UserError when the bank has none."""
    if task_id not in bank.by_id:
        raise UserError(f"bank {bank.version} has no task {task_id[:80]!r}; `vehbench tasks` lists them.")
    return bank.by_id[task_id]
