"""A metric and `vehbench score` give the same numbers for the same replies."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import made_runs
import vehbench_hf
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.schema import task_to_row
from vehbench_hf.metrics.compute import compute
from vehbench_hf.probes import BENCHMARK
from vehbench_hf.runlog import load_run, read_turns
from vehbench_hf.scoring import score_run
from vehbench_hf.types import Task


def predictions(folder: Path, tasks: Iterable[Task], epochs: int = 1) -> tuple[list[Any], list[Any]]:
    """What the log of a run holds for some tasks, as a person would pass it on, with the rows."""
    logged: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for turn in read_turns(folder).turns:
        reply = turn.reply
        entry = {"text": reply.text, "finish_reason": reply.finish_reason, "error": reply.error}
        logged.setdefault((turn.task_id, turn.epoch), []).append(entry)
    order = [(task, epoch) for task in tasks for epoch in range(epochs)]
    return [logged[task.task_id, epoch] for task, epoch in order], [task_to_row(task) for task, _ in order]


def compare(bank: Bank, folder: Path, epochs: int = 1) -> None:
    scores = score_run(load_run(folder, bank))
    for names in BENCHMARK:
        whole = scores["probes"][names.probe]
        counted = {row_id for turn in read_turns(folder).turns if (row_id := turn.task_id)}
        tasks = [t for t in bank.select([names.probe], bank.headline_splits) if t.task_id in counted]
        said, rows = predictions(folder, tasks, epochs)
        found = compute(names.headline, said, rows)
        assert found[names.headline] == pytest.approx(whole["headline"]["value"], abs=1e-12)
        assert found["interval"] == pytest.approx(whole["headline"]["interval"], abs=1e-12)
        assert found["n"] == whole["headline"]["n"]
        assert found["parts"] == pytest.approx(whole["parts"], abs=1e-12)
        assert found["convention"] == bank.convention
        everything = [t for t in bank.select([names.probe]) if t.task_id in counted]
        overall = compute(names.headline, *predictions(folder, everything, epochs))
        assert overall[names.headline] == pytest.approx(whole["all"]["value"], abs=1e-12)
        assert overall["outcomes"] == whole["outcomes"]
        assert sum(1 for count in overall["outcomes"].values() if count) >= 2
        low, high = overall["interval"]
        assert low <= overall[names.headline] <= high


@pytest.mark.slow
@pytest.mark.parametrize("epochs", [1, 2])
def test_a_metric_equals_the_score_on_bank_v2(tmp_path: Path, epochs: int) -> None:
    bank = open_bank("v2")
    folder = made_runs.make_run(tmp_path / "run", bank, made_runs.mixed, limit=32 // epochs, epochs=epochs)
    compare(bank, folder, epochs)


@pytest.mark.slow
def test_a_metric_equals_the_score_on_imported_rows(bank_v1: Bank, tmp_path: Path) -> None:
    compare(bank_v1, made_runs.make_run(tmp_path / "run", bank_v1, made_runs.mixed, limit=40))


def test_the_module_of_evaluate_gives_the_numbers_of_the_function(small_bank: Bank, tmp_path: Path) -> None:
    folder = made_runs.make_run(tmp_path / "run", small_bank, made_runs.mixed)
    for names in BENCHMARK:
        said, rows = predictions(folder, small_bank.select([names.probe]))
        direct = compute(names.headline, said, rows)
        assert vehbench_hf.load_metric(names.headline).compute(predictions=said, references=rows) == direct
        dataset = vehbench_hf.load(names.probe, bank=small_bank)
        listed = [row for split in dataset.values() for row in split]
        assert vehbench_hf.load_metric(names.headline).compute(predictions=said, references=listed) == direct
