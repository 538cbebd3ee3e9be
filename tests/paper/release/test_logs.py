"""Runs must come out complete and the same under any folder name; exceptions are known, and noted in words."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from vehbench_hf.paper.release.checks import coverage_gaps, disagreements
from vehbench_hf.paper.release.logs import ReleasedRun, find_runs
from vehbench_hf.paper.release.rows import MODEL_OUTPUTS
from vehbench_hf.types import PROBES, Probe, Task

LABELS = {f"model_{letter}" for letter in "ACEFGHIJL"}
"""The folders of the reduced copy, whose oddities are known; the artifact has more."""
AUXILIARY = {"model_I", "model_J"}  # P1 and P2 only
PARTIAL, REPEATED, RETRIED = "model_F", "model_G", "model_L"


def problems(run: ReleasedRun, tasks: list[Task]) -> list[str]:
    """Where a run is incomplete, contradicts itself or the bank."""
    by_id = {task.task_id: task for task in tasks}
    rows = [row for place in run.rows.values() for row in place]
    return coverage_gaps(run.rows, tasks) + [
        fault for row in rows for fault in disagreements(by_id[row.result["task_id"]], row)
    ]


def test_merged_rows_are_those_of_an_independent_count(reference_dir: Path, runs: dict[str, ReleasedRun]) -> None:
    models = json.loads((reference_dir / "log_map.json").read_text(encoding="utf-8"))["models"]
    assert runs.keys() & models.keys() >= LABELS
    for label, run in ((label, runs[label]) for label in sorted(LABELS)):
        for probe, splits in models[label]["probes"].items():
            for split in ("dev", "test_id", "test_ood"):
                assert len(run.merged(probe, split)) == splits[split]["merged_rows"], (label, probe, split)


def test_every_run_agrees_with_itself_and_the_bank(runs: dict[str, ReleasedRun], tasks: list[Task]) -> None:
    assert runs.keys() >= LABELS
    for label, run in ((label, runs[label]) for label in sorted(LABELS)):
        found = problems(run, tasks)
        if label == PARTIAL:
            assert [what.split(" ")[0] for what in found] == ["p4/dev:", "p4/test_ood:"]
        elif label == REPEATED:
            assert len(found) == 1
            assert "40 rows for 36 of 36 tasks" in found[0]
        else:
            assert found == [], label


def test_runs_hold_the_probes_that_were_logged(runs: dict[str, ReleasedRun], tasks: list[Task]) -> None:
    ids: dict[Probe, set[str]] = {p: {task.task_id for task in tasks if task.probe == p} for p in PROBES}
    for label, run in ((label, runs[label]) for label in sorted(LABELS)):
        for probe in PROBES:
            held = run.merged(probe).keys()
            if label in AUXILIARY and probe in ("p3", "p4"):
                assert not held
            elif (label, probe) == (PARTIAL, "p4"):
                assert len(held) == 50
            else:
                assert held == ids[probe]


def test_of_a_repeated_row_both_are_kept_and_the_last_one_counts(runs: dict[str, ReleasedRun]) -> None:
    run = runs[REPEATED]
    rows = run.lines["p4", "test_id"]
    ids = [record.task_id for record in rows]
    repeated = {task_id for task_id in ids if ids.count(task_id) > 1}
    assert {task_id.rsplit("::", 1)[1] for task_id in repeated} == {"0032", "0033", "0034", "0035"}
    for task_id in repeated:
        first, last = (record for record in rows if record.task_id == task_id)
        assert run.merged("p4")[task_id] is last
        assert first is not last


def test_retried_rows_have_replaced_the_failed_ones(release_dir: Path, runs: dict[str, ReleasedRun]) -> None:
    folder = release_dir / MODEL_OUTPUTS / RETRIED
    (retry,) = folder.glob("**/retries/**/p3_trajectories.jsonl")
    (base,) = (f for f in folder.glob("**/test_ood/p3_trajectories.jsonl") if "retries" not in f.parts)
    rows = {f: {r["task_id"]: r for r in map(json.loads, f.read_text("utf-8").splitlines())} for f in (retry, base)}
    assert len(rows[retry]) == 14
    merged = runs[RETRIED].merged("p3", "test_ood")
    for task_id, record in merged.items():
        live = rows[retry if task_id in rows[retry] else base][task_id]["steps"][5:]
        assert [step.action for step in record.steps] == [step["action_type"] for step in live]
    failed = {task_id for task_id, row in rows[base].items() if row["terminal_action"] == "invalid_output"}
    assert rows[retry].keys() <= failed


def test_what_was_left_out_is_noted(runs: dict[str, ReleasedRun]) -> None:
    def noted(label: str, *words: str) -> bool:
        return any(all(word in note for word in words) for note in runs[label].notes)

    assert noted("model_A", "test_ood_pre_ood_iso", "52 rows", "not in the bank")
    assert noted("model_A", "run_03/p4", "not in the bank")
    assert noted("model_A", "p4_results_all.jsonl", "ignored")
    assert noted("model_E", "run_01/dev/p1v2_results.jsonl", "8 rows", "left out")
    assert noted("model_E", "run_02/p1", "60 rows", "not in the bank")
    assert noted(RETRIED, "retries", "14 rows replaced and 0 added")
    assert noted(PARTIAL, "p4/dev", "7 of 93")
    assert noted(PARTIAL, "feasible", "outside its bounds")


def test_replies_are_kept_where_the_release_has_them(runs: dict[str, ReleasedRun]) -> None:
    for label, run in runs.items():
        label_only = all(row.trace is None for place, rows in run.rows.items() if place[0] == "p1" for row in rows)
        expected = {t for p in PROBES if p == "p4" or (p == "p1" and label_only) for t in run.merged(p)}
        assert run.replies.keys() == expected, label
        assert all(run.replies.values())


def test_names_of_folders_change_nothing_but_the_label(
    linked_release: Callable[[Mapping[str, str]], Path], runs: dict[str, ReleasedRun], tasks: list[Task]
) -> None:
    names = {"model_G": "model_A", "model_I": "Ünnamed run", "model_L": "x"}
    renamed = {run.label: run for run in find_runs(linked_release(names), tasks)}
    assert renamed.keys() == set(names.values())
    for old, new in names.items():
        assert renamed[new] == replace(runs[old], label=new)


def test_a_release_with_one_model_or_none_works(
    linked_release: Callable[[Mapping[str, str]], Path], runs: dict[str, ReleasedRun], tasks: list[Task]
) -> None:
    folder = linked_release({"model_J": "model_J"})
    assert find_runs(folder, tasks) == [runs["model_J"]]
    shutil.rmtree(folder / MODEL_OUTPUTS / "model_J")
    assert find_runs(folder, tasks) == []
    shutil.rmtree(folder / "results")
    assert find_runs(folder, tasks) == []


def test_runs_of_tasks_that_were_not_asked_for_are_left_out(release_dir: Path, tasks: list[Task]) -> None:
    some = [task for task in tasks if task.probe == "p3"][:7]
    runs = find_runs(release_dir, some)
    assert any(run.merged("p3") for run in runs)
    for run in runs:
        assert run.label not in AUXILIARY
        assert run.merged("p3").keys() <= {task.task_id for task in some}
        assert not any(run.merged(probe) for probe in PROBES if probe != "p3")


@pytest.fixture
def damaged(linked_release: Callable[[Mapping[str, str]], Path], release_dir: Path) -> Path:
    """A release with one copied model, in which a test may damage files."""
    folder = linked_release({})
    shutil.copytree(
        release_dir / MODEL_OUTPUTS / "model_J", folder / MODEL_OUTPUTS / "J", copy_function=shutil.copyfile
    )
    for path in (folder / MODEL_OUTPUTS / "J").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (folder / MODEL_OUTPUTS / "J").chmod(0o755)
    return folder


def change_line(file: Path, number: int, change: Callable[[dict[str, object]], object]) -> str:
    """Replace a line by what `change` makes of it; the task of the line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[number])
    changed = change(row)
    lines[number] = changed if isinstance(changed, str) else json.dumps(changed)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(row["task_id"])


def test_a_damaged_line_costs_one_task_and_is_noted(damaged: Path, tasks: list[Task]) -> None:
    files = [
        next((damaged / MODEL_OUTPUTS).glob(f"**/run_02/dev/main_{kind}.jsonl")) for kind in ("results", "trajectories")
    ]
    lost = {
        change_line(files[0], 3, lambda row: '{"task_id": "cut'),
        change_line(files[1], 5, lambda row: '{"task_id": "cut'),
        change_line(files[1], 7, lambda row: {**row, "steps": [{"action_type": "propose_design"}]}),
        change_line(files[0], 9, lambda row: {**row, "bkf_objective_value": "many"}),
    }
    (run,) = find_runs(damaged, tasks)
    assert run.merged("p2", "dev").keys() == {t.task_id for t in tasks if (t.probe, t.split) == ("p2", "dev")} - lost
    assert len(run.merged("p2", "test_id")) == 40
    assert sum("line 4" in note or "line 6" in note for note in run.notes) == 2
    assert sum("cannot be read and is left out" in note for note in run.notes) == 3
    assert any("60 rows for 60 of 64 tasks" in what for what in problems(run, tasks))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("queries_used", 99),
        ("is_feasible", None),
        ("final_action_type", "replan"),
        ("objective_history", [None] * 40),
        ("first_proposal_is_feasible", "yes"),
    ],
)
def test_a_result_that_contradicts_its_steps_is_noted(
    damaged: Path, tasks: list[Task], key: str, value: object
) -> None:
    file = next((damaged / MODEL_OUTPUTS).glob("**/run_02/dev/main_results.jsonl"))
    task_id = change_line(file, 0, lambda row: {**row, key: value})
    (run,) = find_runs(damaged, tasks)
    assert any(task_id in note and key in note for note in run.notes)
    assert any(task_id in what and key in what for what in problems(run, tasks))
    assert task_id in run.merged("p2")


def test_ranking_metrics_are_computed_anew(runs: dict[str, ReleasedRun], tasks: list[Task]) -> None:
    run = runs["model_A"]
    place = ("p4", "dev")
    for key in (
        "full_kendall_tau",
        "exact_match",
        "top1_accuracy",
        "pareto_violation_rate",
        "policy_sensitive_pair_accuracy",
    ):
        row = run.rows[place][1]
        changed = replace(row, result={**row.result, key: 0.123})
        twisted = replace(run, rows={**run.rows, place: (changed, *run.rows[place][:1], *run.rows[place][2:])})
        assert [what.split(": ")[1].split(" ")[0] for what in problems(twisted, tasks)] == [key]


def test_a_wrong_regret_is_noticed(runs: dict[str, ReleasedRun], tasks: list[Task]) -> None:
    run = runs["model_L"]
    place = ("p2", "dev")
    rows = list(run.rows[place])
    at = next(i for i, row in enumerate(rows) if row.result["regret"])
    rows[at] = replace(rows[at], result={**rows[at].result, "regret": 0.5 + rows[at].result["regret"]})
    assert ["regret is" in what for what in problems(replace(run, rows={**run.rows, place: tuple(rows)}), tasks)] == [
        True
    ]
