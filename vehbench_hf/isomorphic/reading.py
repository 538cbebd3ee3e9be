"""The isomorphic probes of a bank, read only when asked for: they are not among the tasks of the bank."""

import hashlib
from collections.abc import Sequence
from typing import Any, cast

from vehbench_hf.bank.bank import Bank, IsomorphicPart
from vehbench_hf.bank.files import check_sizes, fingerprint_of, read_rows
from vehbench_hf.bank.row_types import faults_of
from vehbench_hf.errors import BankError
from vehbench_hf.isomorphic.types import FORMS, ISOMORPHIC, IsomorphicTask
from vehbench_hf.types import ALL_SPLITS, Split


def open_isomorphic(bank: Bank) -> tuple[IsomorphicTask, ...]:
    """Read the config `isomorphic` of a bank and check its files and rows against the manifest.

    The rows of a group stand together in the order of `FORMS`, groups in their order. Raises BankError when the bank
    has no such config, or when a file or a row is missing or not what the manifest says.
    """
    from vehbench_hf.bank.schema import row_to_task

    tasks = [cast(IsomorphicTask, row_to_task(row)) for row in isomorphic_rows(bank)]
    for task in tasks:
        if fault := next(faults_of(task), None):
            raise BankError(f"{bank.path}: isomorphic task {task.task_id!r}: {fault}.")
    return tuple(sorted(tasks, key=lambda task: (task.group, FORMS.index(task.form))))


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
        inside = sorted((group for group, own in split_of.items() if own == split), key=_digest)
        place |= {group: (rank, ALL_SPLITS.index(split)) for rank, group in enumerate(inside)}
    kept = set(sorted(place, key=place.__getitem__)[:limit])
    return [task for task in tasks if task.group in kept]


def isomorphic_rows(bank: Bank) -> list[dict[str, Any]]:
    """The same rows as they stand in the files, in file order. Raises BankError as `open_isomorphic` does."""
    from vehbench_hf.bank.schema import arrow_schema

    part, columns = _part(bank), arrow_schema(ISOMORPHIC)
    check_sizes(bank.path, part["files"])
    rows = [row for entry in part["files"] for row in read_rows(bank.path, entry, columns, ISOMORPHIC)]
    if fingerprint_of(row["checksum"] for row in rows) != part["fingerprint"]:
        raise BankError(f"{bank.path}: the isomorphic rows do not add up to their fingerprint in the manifest.")
    return rows


def fingerprint_of_isomorphic(bank: Bank) -> str:
    """The fingerprint of the isomorphic rows by the manifest. Raises BankError when the bank has none."""
    return str(_part(bank)["fingerprint"])


def _part(bank: Bank) -> IsomorphicPart:
    part = bank.manifest.get(ISOMORPHIC)
    if part is None:
        raise BankError(f"bank {bank.version} at {bank.path} has no isomorphic probes; bank v2 has: open_bank('v2').")
    return part


def _digest(group: int) -> bytes:
    return hashlib.sha256(f"group {group}".encode()).digest()
