"""P2 scores divide by these powers: a wrong table, or a gap filled with zero, changes every ratio."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.release.references import References, read_references, shown_references
from vehbench_hf.paper.release.rows import LogRow
from vehbench_hf.types import Task


@pytest.fixture(scope="module")
def transcribed(reference_dir: Path) -> dict[str, dict[str, float]]:
    log_map = json.loads((reference_dir / "log_map.json").read_text(encoding="utf-8"))
    values: dict[str, dict[str, float]] = log_map["p2_reference_power_uw"]["values"]
    return values


def test_both_tables_hold_every_task(references: References, tasks: list[Task]) -> None:
    ids = {task.task_id for task in tasks if task.probe == "p2"}
    assert references.newer.keys() == ids
    assert references.older.keys() == ids


def test_the_powers_are_those_of_an_independent_reading(
    references: References, transcribed: dict[str, dict[str, float]]
) -> None:
    assert {t: references.newer[t] for t in transcribed} == {t: both["newer"] for t, both in transcribed.items()}
    assert {t: references.older[t] for t in transcribed} == {t: both["older"] for t, both in transcribed.items()}


def test_a_zero_in_the_logs_stays_zero_and_is_no_gap(
    references: References, tasks: list[Task], transcribed: dict[str, dict[str, float]]
) -> None:
    (zero,) = references.newer.keys() - transcribed.keys()
    assert references.newer[zero] == references.older[zero] == 0.0
    (task,) = [task for task in tasks if task.task_id == zero]
    assert task.gold["reference"] is not None
    assert task.gold["reference"]["power_uw"] == 0.0
    assert task.gold["reference"]["power_uw_older"] == 0.0


def test_no_run_shows_values_of_two_tables(runs: dict[str, ReleasedRun], references: References) -> None:
    for run in runs.values():
        assert run.reference_generation is not None, run.label
        table = references.newer if run.reference_generation == "newer" else references.older
        shown = shown_references(row for place, rows in run.rows.items() if place[0] == "p2" for row in rows)
        assert shown
        assert {task_id: set(values) for task_id, values in shown.items()} == {t: {table[t]} for t in shown}


def test_the_generations_differ_where_they_should(references: References, tasks: list[Task]) -> None:
    differ = Counter(
        task.split
        for task in tasks
        if task.probe == "p2" and references.newer[task.task_id] != references.older[task.task_id]
    )
    assert differ == {"dev": 64, "test_id": 39}


def test_names_of_models_do_not_decide_the_generation(
    linked_release: Callable[[Mapping[str, str]], Path], references: References
) -> None:
    # Crossed on purpose: each folder carries the name of a run of the other generation.
    folder = linked_release({"model_A": "model_L", "model_L": "model_A"})
    crossed = read_references(folder)
    assert crossed.generation == {
        "model_L": references.generation["model_A"],
        "model_A": references.generation["model_L"],
    }
    assert crossed.newer.items() <= references.newer.items()
    assert crossed.older.items() <= references.older.items()


def test_a_generation_without_a_run_stays_unknown(
    linked_release: Callable[[Mapping[str, str]], Path], references: References
) -> None:
    alone = read_references(linked_release({"model_E": "only"}))
    assert alone.generation == {"only": "newer"}
    assert alone.newer == references.newer
    assert alone.older == {}


def test_a_release_without_logs_has_no_references(linked_release: Callable[[Mapping[str, str]], Path]) -> None:
    empty = read_references(linked_release({}))
    assert (empty.newer, empty.older, empty.generation) == ({}, {}, {})


@pytest.mark.parametrize("junk", [None, True, "7.5", float("nan"), float("inf"), [], {}])
def test_junk_in_place_of_a_power_is_no_reference(junk: Any) -> None:
    step = {"verifier_response": {"bkf_objective_value": junk}}
    row = LogRow({"task_id": "t", "bkf_objective_value": junk}, {"steps": [step, "junk", {"verifier_response": 3}]})
    assert shown_references([row]) == {}


def test_every_place_that_shows_a_power_counts() -> None:
    step = {"verifier_response": {"bkf_objective_value": 2.0}}
    row = LogRow({"task_id": "t", "bkf_objective_value": None}, {"steps": [step, step]})
    assert shown_references([row]) == {"t": Counter({2.0: 2})}
