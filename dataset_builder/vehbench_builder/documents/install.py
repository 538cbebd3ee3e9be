"""Seeding the local caches, so that `load_dataset("vehbench", "p2")` and `evaluate.load("vehbench/p4_tau")` work from
any directory.

`datasets` looks into its cache when the Hub has no dataset of the name, or cannot be reached, and takes the entry
whose folder changed last. So each config is prepared there once under the name "vehbench", and its folder is touched.
`evaluate` does the same with the newest copy of a module.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import datasets

from vehbench_builder.documents.builder_class import DATASET_NAME, VehbenchBuilder, data_version
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.loading import configs_of, headline_configs_of, rows_of, splits_of
from vehbench_hf.errors import BankError
from vehbench_hf.metrics import METRICS
from vehbench_hf.paths import shipped

State = Literal["written", "written again", "already there"]

LIMITS = (
    "With HF_HUB_OFFLINE=1 it answers at once. Without that variable `datasets` asks the Hub first, and without a "
    "network it retries for about 20 seconds before it looks into the cache.",
    "`datasets` warns that it uses its cache. Say which config; `revision=` and a forced download have no effect.",
    "A folder named vehbench in the working directory comes first, an export for instance.",
    "The cache is the one of HF_DATASETS_CACHE or HF_HOME. Loading another folder of the name vehbench seeds it too, "
    "and what was seeded last is what loads: install again after that, and after an upgrade of the data.",
    "What one version of `datasets` has seeded an older one may not read (\"Feature type 'List' not found\"): install "
    "again with the older one, or give each a HF_HOME of its own.",
    "The same holds for the metrics and the cache of `evaluate`; a folder vehbench/p4_tau in the working directory "
    "comes first.",
    'vehbench_hf.load("p2"), vehbench_hf.load_metric("p4_tau") and load_dataset with the absolute path of an export '
    "need none of this.",
)
"""What the user of a seeded cache has to know."""


@dataclass(frozen=True)
class Installed:
    """What an installation did: the folder of the dataset in the cache, and the state of each config.

    `older` are the entries of other data versions, which stay in the cache and are no longer what loads.
    """

    folder: Path
    bank_version: str
    data_version: str
    configs: dict[str, State]
    older: tuple[Path, ...]


def install_bank(bank: Bank, cache: Path | None = None) -> Installed:
    """Prepare every config of a bank in the `datasets` cache (or in `cache`) and make it the one that loads.

    An entry that is there and holds the rows of the bank is left as it is; a damaged one is written again. Raises
    BankError when the cache cannot be written.
    """
    root = Path(os.path.expanduser(cache or datasets.config.HF_DATASETS_CACHE))
    if root.parts[:1] == ("~",):
        raise BankError(f"there is no home folder for the datasets cache {root}; set HF_HOME to a writable folder.")
    version, states, folders = data_version(bank), dict[str, State](), list[Path]()
    try:
        with _quiet():
            for config in (*configs_of(bank), *headline_configs_of(bank)):
                builder = VehbenchBuilder(config_name=config, bank=bank, cache_dir=str(root))
                folders.append(Path(builder.cache_dir))
                states[config] = _prepare(builder)
        for folder in folders:
            os.utime(folder)
    except OSError as error:
        raise BankError(f"cannot seed the datasets cache {root}: {error}. Set HF_HOME to a writable folder.") from error
    home = root / DATASET_NAME
    older = sorted(path for path in home.glob("*/*/*") if path.is_dir() and path not in folders)
    return Installed(home, bank.version, version, states, tuple(older))


def install_metrics() -> dict[str, State]:
    """Copy the metric modules into the cache of `evaluate` and make them the ones that load.

    The cache is the one of HF_MODULES_CACHE or HF_HOME. Raises BankError when it cannot be written.
    """
    from evaluate import loading

    states = dict[str, State]()
    try:
        cache = loading.init_dynamic_modules()
        for name in METRICS:
            source = shipped(f"metrics/{name}/{name}.py")
            version = loading.files_to_hash([str(source)])
            copy = Path(cache, "metrics", f"{DATASET_NAME}--{name}", version, f"{name}.py")
            present = copy.is_file()
            if present and copy.read_bytes() == source.read_bytes():
                states[name] = "already there"
            else:
                copy.unlink(missing_ok=True)
                # There is no public way to put a module there without a Hub; `evaluate.load` calls this function too.
                loading._create_importable_file(
                    local_path=str(source),
                    local_imports=[],
                    additional_files=[],
                    dynamic_modules_path=cache,
                    module_namespace="metrics",
                    name=f"{DATASET_NAME}/{name}",
                    download_mode=None,
                )
                states[name] = "written again" if present else "written"
            os.utime(copy)
    except OSError as error:
        raise BankError(f"cannot seed the cache of evaluate: {error}. Set HF_HOME to a writable folder.") from error
    return states


def _prepare(builder: VehbenchBuilder) -> State:
    present = Path(builder.cache_dir).is_dir()
    if present and _holds_the_bank(builder):
        return "already there"
    builder.download_and_prepare(download_mode="force_redownload" if present else None)
    if not _holds_the_bank(builder):
        raise BankError(f"{builder.cache_dir} does not hold the rows of the bank after writing them; is the disk full?")
    return "written again" if present else "written"


def _holds_the_bank(builder: VehbenchBuilder) -> bool:
    """Whether the entry in the cache can be read and has every row of the bank."""
    config = builder.config.name
    try:
        loaded = builder.as_dataset()
        return set(loaded) == set(splits_of(builder.bank, config)) and all(
            loaded[split].to_list() == list(rows_of(builder.bank, config, split)) for split in loaded
        )
    except Exception:
        # A damaged entry fails in any of a dozen ways inside datasets and pyarrow, and all mean the same here.
        return False


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the progress bars and warnings of `datasets`; twelve bars for twelve small files say nothing."""
    level, bars = datasets.logging.get_verbosity(), datasets.utils.are_progress_bars_disabled()
    datasets.logging.set_verbosity(logging.ERROR)
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        datasets.logging.set_verbosity(level)
        if not bars:
            datasets.enable_progress_bars()
