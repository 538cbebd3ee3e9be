"""One mapping from config to task id, metric and headline, and everything that is published agrees with it."""

from pathlib import Path

import yaml

from vehbench_builder.documents.hub_configs import headline_configs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.hub.mapping import FRAMEWORK, HUB_TASKS, PERCENT, PUBLISHED_BANK, TEST_SPLIT
from vehbench_hf.metrics import METRICS
from vehbench_hf.paths import shipped
from vehbench_hf.scoring import SCORERS
from vehbench_hf.types import PROBES


def test_a_probe_has_two_names_or_none() -> None:
    assert tuple(task.config for task in HUB_TASKS) == PROBES
    for names in ("task_id", "metric", "headline"):
        assert len({getattr(task, names) for task in HUB_TASKS}) == len(PROBES)
    for task in HUB_TASKS:
        assert task.headline == SCORERS[task.config].HEADLINE == task.metric
        assert task.task_id.startswith(f"{task.config}_")
    assert tuple(task.metric for task in HUB_TASKS) == METRICS


def test_the_eval_file_of_the_dataset_names_something_else(bank_v2: Bank) -> None:
    declared = yaml.safe_load(shipped("cards/eval.yaml").read_text(encoding="utf-8"))
    assert declared["evaluation_framework"] == FRAMEWORK
    assert declared["tasks"] == [
        {"id": task.task_id, "config": task.task_id, "split": TEST_SPLIT} for task in HUB_TASKS
    ]
    assert bank_v2.version == PUBLISHED_BANK in declared["description"]
    for split in bank_v2.headline_splits:
        assert split in declared["description"]
    for task in HUB_TASKS:
        assert f"{task.task_id}: " in declared["description"]
    assert PERCENT == 100
    assert "percentages and higher is better" in " ".join(declared["description"].split())


def test_a_headline_config_of_the_dataset_lacks_a_split(bank_v2: Bank) -> None:
    configs = {config["config_name"]: config["data_files"] for config in headline_configs(bank_v2)}
    assert configs == {
        task.task_id: [
            {"split": "test", "path": [f"data/{task.config}/{split}.parquet" for split in bank_v2.headline_splits]}
        ]
        for task in HUB_TASKS
    }


def test_the_metrics_of_a_checkout_are_others() -> None:
    folder = shipped("metrics")
    assert sorted(path.name for path in Path(folder).iterdir() if path.is_dir()) == sorted(METRICS)
