"""A bank as a `datasets` builder class, for code that works with builders.

The Hub no longer runs dataset scripts, and `datasets` 5 refuses them anywhere: `load_dataset` reads the Parquet
files of a published or exported bank instead and never this class. From Python it works as any builder does:

    builder = VehbenchBuilder(config_name="p2")
    builder.download_and_prepare()
    builder.as_dataset(split="dev")

To have the tasks without a cache, take `vehbench_hf.load`.
"""

import hashlib
import os
from collections.abc import Iterator
from typing import Any

import datasets

from vehbench_hf.bank.bank import DEFAULT_BANK, Bank, open_bank
from vehbench_hf.bank.loading import configs_of, features_of, rows_of, splits_of
from vehbench_hf.isomorphic.types import ISOMORPHIC
from vehbench_hf.probes import BENCHMARK

DATASET_NAME = "vehbench"
"""The name under which the cache keeps a prepared bank, and thereby the one of `load_dataset("vehbench", "p2")`."""

STAGES = {
    "p1": "P1: is a design brief workable, infeasible, or short of information",
    "p2": "P2: search for a feasible design with high load power by questions to a verifier",
    "p3": "P3: recover from a design history that has gone wrong",
    "p4": "P4: rank finished designs under a stated policy",
    **{info.task_id: f"The rows that the headline of {info.probe.upper()} is taken over" for info in BENCHMARK},
    ISOMORPHIC: "Isomorphic probes: one feasible design picked, mended, or completed; not among the tasks",
}


class VehbenchBuilder(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """The configs p1 to p4 and isomorphic of a bank with explicit features and the splits of the bank.

    Takes the arguments of every builder and `bank`: a folder, a name, or an open bank. `dataset_name` defaults to
    "vehbench" and `hash` to `data_version` of the bank, so that the cache never confuses two banks. Raises BankError
    for a bank that cannot be read or lacks the config.
    """

    BUILDER_CONFIGS = tuple(datasets.BuilderConfig(name=name, description=STAGES[name]) for name in STAGES)

    def __init__(
        self,
        *arguments: Any,
        bank: str | os.PathLike[str] | Bank = DEFAULT_BANK,
        dataset_name: str = DATASET_NAME,
        hash: str | None = None,
        **options: Any,
    ) -> None:
        self.bank = bank if isinstance(bank, Bank) else open_bank(bank)
        version = hash or data_version(self.bank)
        super().__init__(*arguments, dataset_name=dataset_name, hash=version, **options)

    def _info(self) -> datasets.DatasetInfo:
        splits_of(self.bank, self.config.name)
        return datasets.DatasetInfo(
            description=f"{self.config.description} (bank {self.bank.version})",
            features=features_of(self.config.name),
            license="cc-by-4.0",
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        return [
            datasets.SplitGenerator(name=split, gen_kwargs={"split": split})
            for split in splits_of(self.bank, self.config.name)
        ]

    def _generate_examples(self, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
        yield from enumerate(rows_of(self.bank, self.config.name, split))


def data_version(bank: Bank) -> str:
    """16 hex digits over the rows of a bank and the columns they are read into."""
    columns = "".join(f"{config}{features_of(config)}" for config in configs_of(bank))
    rows = "".join(sorted({bank.fingerprint_of(config) for config in configs_of(bank)}))
    return hashlib.sha256(f"{rows}{columns}".encode()).hexdigest()[:16]
