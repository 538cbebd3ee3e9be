"""Tasks as `datasets` objects, read from a bank on disk: no Hub, no cache, no environment variable."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from vehbench_hf.bank.bank import DEFAULT_BANK, Bank, open_bank
from vehbench_hf.domains import config_of, probe_and_domain
from vehbench_hf.errors import BankError
from vehbench_hf.isomorphic.types import ISOMORPHIC
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.types import Probe

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa


TEST_SPLIT = "test"
"""The one split of a config with the rows of a headline."""


def load(
    config: str, split: str | None = None, bank: str | os.PathLike[str] | Bank = DEFAULT_BANK
) -> "datasets.Dataset | datasets.DatasetDict":
    """The rows of one config: a `Dataset` for a split, else a `DatasetDict` of all splits.

    Configs are "p1" to "p4", "isomorphic", and "p1_triage" to "p4_ranking" with the rows of a headline, split "test".

    `bank` is a folder, a name as for `open_bank`, or an open bank. Files and rows are checked against the manifest
    first, and the columns are those of `columns_of`. Raises BankError for a bank, config or split that is
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
    return list(dict.fromkeys(file.config for file in bank.data_files))


def headline_configs_of(bank: Bank) -> dict[str, str]:
    """The configs with the rows that a headline is taken over, as on the Hub, each with the config it is a part of."""
    held = {file.config for file in bank.data_files if file.split in bank.headline_splits}
    return {info.task_id: info.probe for info in BENCHMARK if info.probe in held}


def splits_of(bank: Bank, config: str) -> list[str]:
    """The splits of a config in file order. Raises BankError for a config that the bank does not have."""
    if config in headline_configs_of(bank):
        return [TEST_SPLIT]
    names = [file.split for file in bank.data_files if file.config == config]
    if not names:
        raise BankError(
            f"bank {bank.version} has no config {config[:60]!r}; expected one of "
            f"{', '.join((*configs_of(bank), *headline_configs_of(bank)))}."
        )
    return names


def rows_of(bank: Bank, config: str, split: str) -> Iterator[dict[str, Any]]:
    """The rows of a config and split in file order, as `columns_of` describes them."""
    if config == ISOMORPHIC:
        from vehbench_hf.isomorphic.reading import isomorphic_rows

        yield from (row for row in isomorphic_rows(bank) if row["split"] == split)
        return
    from vehbench_hf.bank.schema import task_to_row

    whole = headline_configs_of(bank).get(config)
    if whole is not None:
        for part in bank.headline_splits:
            yield from rows_of(bank, whole, part)
        return
    for task in bank.tasks:
        if config_of(task.probe, task.domain) == config and task.split == split:
            yield task_to_row(task)


def columns_of(config: str) -> "pa.Schema":
    """The Arrow schema of a config."""
    from vehbench_hf.bank.schema import arrow_schema

    config = next((info.probe for info in BENCHMARK if info.task_id == config), config)
    probe, domain = probe_and_domain(config)
    return arrow_schema(cast(Probe, probe), domain)


def features_of(config: str) -> "datasets.Features":
    """The columns of a config as `datasets` describes them."""
    import datasets

    return datasets.Features.from_arrow_schema(columns_of(config))
