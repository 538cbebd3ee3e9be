"""The isomorphic probes of a bank, read only when asked for: they are not among the tasks of the bank."""

from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.files import fingerprint_of, read_rows
from vehbench_hf.bank.row_types import misfits_of
from vehbench_hf.errors import BankError
from vehbench_hf.isomorphic.types import FORMS, ISOMORPHIC, IsomorphicTask


def open_isomorphic(bank: Bank) -> tuple[IsomorphicTask, ...]:
    """Read the config `isomorphic` of a bank and check its files and rows against the manifest.

    The rows of a group stand together in the order of `FORMS`, groups in their order. Raises BankError when the bank
    has no such config, or when a file or a row is missing or not what the manifest says.
    """
    from vehbench_hf.isomorphic.schema import row_to_isomorphic

    tasks = [row_to_isomorphic(row) for row in isomorphic_rows(bank)]
    for task in tasks:
        if said := next(misfits_of(task), None):
            raise BankError(f"{bank.path}: isomorphic task {task.task_id!r}: {said}.")
    return tuple(sorted(tasks, key=lambda task: (task.group, FORMS.index(task.form))))


def isomorphic_rows(bank: Bank) -> list[dict[str, Any]]:
    """The same rows as they stand in the files, in file order. Raises BankError as `open_isomorphic` does."""
    from vehbench_hf.isomorphic.schema import isomorphic_schema

    part = _part(bank)
    rows = [row for entry in part["files"] for row in read_rows(bank.path, entry, isomorphic_schema(), ISOMORPHIC)]
    if fingerprint_of(row["checksum"] for row in rows) != part["fingerprint"]:
        raise BankError(f"{bank.path}: the isomorphic rows do not add up to their fingerprint in the manifest.")
    return rows


def fingerprint_of_isomorphic(bank: Bank) -> str:
    """The fingerprint of the isomorphic rows by the manifest. Raises BankError when the bank has none."""
    return str(_part(bank)["fingerprint"])


def _part(bank: Bank) -> dict[str, Any]:
    part: dict[str, Any] | None = bank.manifest.get(ISOMORPHIC)
    if part is None:
        raise BankError(f"bank {bank.version} at {bank.path} has no isomorphic probes; bank v2 has: open_bank('v2').")
    return part
