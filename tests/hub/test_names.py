"""One mapping from config to task id, metric and headline, and everything that is published agrees with it."""

from pathlib import Path

import yaml

from vehbench_builder.documents.export import headline_configs
from vehbench_hf.bank.bank import Bank
from vehbench_hf.bank.loading import TEST_SPLIT
from vehbench_hf.hub.names import PUBLISHED_BANK
from vehbench_hf.hub.submitted_record import PERCENT
from vehbench_hf.metrics import METRICS
from vehbench_hf.paths import shipped
from vehbench_hf.probes import BENCHMARK, PROBE_TABLE
from vehbench_hf.scoring import score_parts
from vehbench_hf.types import PROBES


def test_every_probe_has_one_name_of_each_kind() -> None:
    assert tuple(PROBE_TABLE) == (*(task.probe for task in BENCHMARK), "isomorphic") == (*PROBES, "isomorphic")
    for names in ("task_id", "headline"):
        assert len({getattr(task, names) for task in BENCHMARK}) == len(PROBES)
    for task in BENCHMARK:
        assert {task.headline_part, task.solved, task.tie_break, *task.shown, *task.of_final_designs} <= set(
            score_parts(task.probe, [], "defined")
        )
        assert task.task_id.startswith(f"{task.probe}_")
    assert tuple(task.headline for task in BENCHMARK) == METRICS


def test_the_eval_file_of_the_dataset_names_the_published_tasks(bank_v2: Bank) -> None:
    declared = yaml.safe_load(shipped("cards/eval.yaml").read_text(encoding="utf-8"))
    assert declared["evaluation_framework"] == "vehbench"
    assert declared["tasks"] == [
        {"id": task.task_id, "config": task.task_id, "split": TEST_SPLIT} for task in BENCHMARK
    ]
    assert bank_v2.version == PUBLISHED_BANK in declared["description"]
    for split in bank_v2.headline_splits:
        assert split in declared["description"]
    for task in BENCHMARK:
        assert f"{task.task_id}: " in declared["description"]
    assert PERCENT == 100
    assert "percentages and higher is better" in " ".join(declared["description"].split())


def test_a_headline_config_of_the_dataset_has_all_headline_splits(bank_v2: Bank) -> None:
    configs = {config["config_name"]: config["data_files"] for config in headline_configs(bank_v2)}
    assert configs == {
        task.task_id: [
            {"split": "test", "path": [f"data/{task.probe}/{split}.parquet" for split in bank_v2.headline_splits]}
        ]
        for task in BENCHMARK
    }


def test_the_metrics_of_a_checkout_are_the_headlines() -> None:
    folder = shipped("metrics")
    assert sorted(path.name for path in Path(folder).iterdir() if path.is_dir()) == sorted(METRICS)
