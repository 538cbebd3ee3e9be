"""The configs of the headline in a dataset card: one a probe, named after its task id, with the one split `test`.

A benchmark on the Hub names one config and one split a task, and the headline is taken over several splits of the bank.
"""

from typing import Any

import yaml

from vehbench_hf.bank.bank import Bank
from vehbench_hf.probes import BENCHMARK

TEST_SPLIT = "test"


def with_headline_configs(card: str, bank: Bank) -> str:
    """A card with the headline configs added behind those that its header lists."""
    _, front, text = card.split("---\n", 2)
    header = yaml.safe_load(front)
    header["configs"] += headline_configs(bank)
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True, width=120)}---\n{text}"


def headline_configs(bank: Bank) -> list[dict[str, Any]]:
    """The headline configs of the probes that have a row in the headline splits."""
    configs = []
    for info in BENCHMARK:
        paths = [
            entry["path"]
            for entry in bank.manifest["files"]
            if entry["probe"] == info.probe and entry["split"] in bank.headline_splits
        ]
        if paths:
            about = f"the rows of {info.probe} that its headline is taken over; rows {bank.fingerprint[:16]}"
            files = [{"split": TEST_SPLIT, "path": paths}]
            configs.append({"config_name": info.task_id, "description": about, "data_files": files})
    return configs
