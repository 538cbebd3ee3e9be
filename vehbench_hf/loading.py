"""Tasks as `datasets` objects, read from a bank on disk: no Hub, no cache, no environment variable."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vehbench_hf.bank import DEFAULT_BANK, Bank, open_bank
from vehbench_hf.errors import BankError

if TYPE_CHECKING:
    import datasets


def load(
    config: str, split: str | None = None, bank: str | os.PathLike[str] | Bank = DEFAULT_BANK
) -> "datasets.Dataset | datasets.DatasetDict":
    """The tasks of one config ("p1" to "p4"): a `Dataset` for a split, a `DatasetDict` of all splits without one.

    `bank` is a folder, a name as for `open_bank`, or an open bank. Files and rows are checked against the manifest
    first, and the columns are those of `schema.arrow_schema`. Raises BankError for a bank, config or split that is
    not there.
    """
    import datasets

    opened = bank if isinstance(bank, Bank) else open_bank(bank)
    names = splits_of(opened, config)
    if split is not None and split not in names:
        raise BankError(
            f"config {config} of bank {opened.version} has no split {split[:60]!r}; it has {', '.join(names)}. "
            "For a part of a split take .select(range(n)) of it."
        )
    features = features_of(config)
    loaded = {
        name: datasets.Dataset.from_list(list(rows_of(opened, config, name)), features=features, split=name)
        for name in names
        if split in (None, name)
    }
    return datasets.DatasetDict(loaded) if split is None else loaded[split]


def configs_of(bank: Bank) -> list[str]:
    """The configs of a bank in file order."""
    return list(dict.fromkeys(entry["probe"] for entry in bank.manifest["files"]))


def splits_of(bank: Bank, config: str) -> list[str]:
    """The splits of a config in file order. Raises BankError for a config that the bank does not have."""
    names = [entry["split"] for entry in bank.manifest["files"] if entry["probe"] == config]
    if not names:
        raise BankError(
            f"bank {bank.version} has no config {config[:60]!r}; expected one of {', '.join(configs_of(bank))}."
        )
    return names


def rows_of(bank: Bank, config: str, split: str) -> Iterator[dict[str, Any]]:
    """The rows of a config and split in file order, as `schema.arrow_schema` describes them."""
    from vehbench_hf.schema import task_to_row

    for task in bank.tasks:
        if task.probe == config and task.split == split:
            yield task_to_row(task)


def features_of(config: str) -> "datasets.Features":
    """The columns of a config as `datasets` describes them."""
    import datasets

    from vehbench_hf.schema import arrow_schema

    return datasets.Features.from_arrow_schema(arrow_schema(config))  # type: ignore[arg-type]
