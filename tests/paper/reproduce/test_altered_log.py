"""One changed row of a log must change the cells that depend on it, and no other."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.paper.release.logs import find_runs
from vehbench_hf.paper.release.references import read_references
from vehbench_hf.paper.release.tasks import read_tasks
from vehbench_hf.paper.reproduce import Reproduction
from vehbench_hf.paper.reproduce.cells import Computed
from vehbench_hf.paper.reproduce.row_logs import ScoredRun, compute_cells
from vehbench_hf.types import Task

Row = dict[str, Any]
ROW = "qwen3-max"


@pytest.fixture
def folder(found: Reproduction, part_of_release: Any) -> Path:
    """A release with a writable copy of one model."""
    made: Path = part_of_release({found.matched[ROW].label: "copy"})
    return made


def cells(folder: Path, tasks: list[Task]) -> dict[str, Computed]:
    (run,) = find_runs(folder, tasks)
    return {f"{name.table}.{name.column}": cell for name, cell in compute_cells(ScoredRun(run, tasks)).items()}


def alter(folder: Path, name: str, split: str, wanted: Callable[[Row], bool], change: Callable[[Row], None]) -> None:
    """Change the first row that is wanted in the file of that name and split whose tasks are in the bank."""
    for file in sorted(folder.glob(f"results/model_outputs/copy/**/{split}/{name}")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            if wanted(row):
                change(row)
                file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
                return
    raise AssertionError(f"no row of {name} is fit for the test")


def changed(
    folder: Path, name: str, split: str, wanted: Callable[[Row], bool], change: Callable[[Row], None]
) -> set[str]:
    """The cells that change, as "table.column"."""
    tasks = read_tasks(folder, read_references(folder))
    before = cells(folder, tasks)
    alter(folder, name, split, wanted, change)
    after = cells(folder, tasks)
    return {name for name in before if before[name] != after[name]}


def test_a_wrong_answer_changes_just_the_p1_cells_that_depend_on_it(folder: Path) -> None:
    def give_up(row: Row) -> None:
        row.update(predicted_action="declare_infeasible", is_correct=False)

    found = changed(
        folder,
        "p1v2_results.jsonl",
        "test_id",
        lambda row: row["gold_action"] == row["predicted_action"] == "propose_design",
        give_up,
    )
    # The recall of requests and the rate of spurious ones do not depend on this row, so that MDS stays.
    assert found == {
        "2.P1_comp", "18.acc", "18.f1", "18.acs", "18.ids", "18.subtype_f1", "18.comp",
        "23.test_id_comp", "23.test_id_acc", "29.action", "32.p1_over_refusal",
    }  # fmt: skip


def test_another_reference_changes_just_the_p2_cells_that_depend_on_it(folder: Path) -> None:
    found = changed(
        folder,
        "main_results.jsonl",
        "dev",
        lambda row: row["is_feasible"],
        lambda row: row.update(bkf_objective_value=2 * row["bkf_objective_value"]),
    )
    assert found == {
        "2.P2_ratio", "19.p2b", "19.cond_ratio", "19.auc", "24.dev_p2b", "29.feedback", "32.p2_utility_loss",
        "34.mean_power_ratio",
    }  # fmt: skip


def test_a_worse_ranking_changes_just_the_p4_cells_that_depend_on_it(folder: Path) -> None:
    def swap_the_last_two(row: Row) -> None:
        row["predicted_ranking"] = [*row["predicted_ranking"][:3], *row["predicted_ranking"][:2:-1]]

    tasks = {task.task_id: task for task in read_tasks(folder, read_references(folder))}

    def exact_but_free_to_swap(row: Row) -> bool:
        task = tasks.get(row["task_id"])
        if task is None or row["predicted_ranking"] != task.gold["ranking"]:
            return False
        last = set(task.gold["ranking"][-2:])
        pairs = [*task.gold["dominated_pairs"], *task.gold["policy_sensitive_pairs"]]
        return task.spec["profile"] != "balanced" and all({p["better"], p["worse"]} != last for p in pairs)

    found = changed(folder, "p4_results.jsonl", "test_ood", exact_but_free_to_swap, swap_the_last_two)
    assert found == {"2.P4_tau", "21.tau", "21.exact", "26.test_ood_tau", "26.test_ood_exact", "29.policy"}


def test_a_lost_row_makes_its_cells_absent(folder: Path) -> None:
    tasks = read_tasks(folder, read_references(folder))
    for file in folder.glob("results/model_outputs/copy/**/dev/p1v2_results.jsonl"):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(lines[1:]), encoding="utf-8")
    found = cells(folder, tasks)
    assert found["18.acc"] == Computed(None, "the log holds 239 of 240 p1 tasks of all splits")
    assert found["23.dev_acc"].absent == "the log holds 79 of 80 p1 tasks of dev"
    assert found["23.test_id_acc"].absent is None
