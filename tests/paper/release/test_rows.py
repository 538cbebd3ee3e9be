"""Which lines count: a superseded copy, a leftover or a wrong order of retries changes published numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.paper.release.rows import Place, model_folders, read_model_rows

PLACES: dict[str, Place] = {
    **{f"p1-{i}": ("p1", "dev") for i in range(4)},
    **{f"p3-{i}": ("p3", "test_ood") for i in range(4)},
    **{f"p4-{i}": ("p4", "dev") for i in range(3)},
    "p4-x": ("p4", "test_id"),
}


def write(folder: Path, name: str, *rows: Any) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def row(task_id: str, mark: str = "") -> dict[str, str]:
    return {"task_id": task_id, "mark": mark}


def marks(folder: Path, place: Place) -> list[tuple[str, str]]:
    found = read_model_rows(folder, PLACES).lines.get(place, [])
    return [(line.result["task_id"], line.result["mark"]) for line in found]


def test_the_file_with_most_rows_wins_over_leftovers_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "run/dev/p1v2_results.jsonl", row("p1-0", "leftover"))
    write(tmp_path, "run/dev/p1_results.jsonl", row("p1-0", "full"), row("p1-1", "full"))
    assert marks(tmp_path, ("p1", "dev")) == [("p1-0", "full"), ("p1-1", "full")]
    assert any("p1v2_results" in note and "left out" in note for note in read_model_rows(tmp_path, PLACES).notes)


def test_rows_of_another_bank_count_neither_as_rows_nor_as_the_fuller_file(tmp_path: Path) -> None:
    write(tmp_path, "a/dev/p1_results.jsonl", *(row(f"old-{i}", "old") for i in range(9)))
    write(tmp_path, "b/dev/p1_results.jsonl", row("p1-0", "new"))
    assert marks(tmp_path, ("p1", "dev")) == [("p1-0", "new")]
    assert any("9 rows of tasks that are not in the bank" in note for note in read_model_rows(tmp_path, PLACES).notes)


def test_rows_under_the_wrong_probe_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, "a/dev/p4_results.jsonl", row("p1-0"))
    assert read_model_rows(tmp_path, PLACES).lines == {}


@pytest.mark.parametrize("name", ["p4_results_all.jsonl", "p4_results.pre_invalid_rerun_merge_20260417.jsonl"])
def test_copies_under_other_names_are_ignored_and_noted(tmp_path: Path, name: str) -> None:
    write(tmp_path, f"run/{name}", *(row(f"p4-{i}", "copy") for i in range(3)))
    write(tmp_path, "run/dev/p4_results.jsonl", row("p4-0", "run"))
    assert marks(tmp_path, ("p4", "dev")) == [("p4-0", "run")]
    assert any(name in note for note in read_model_rows(tmp_path, PLACES).notes)


def test_retries_replace_in_the_order_of_the_passes_also_when_a_later_one_fails_again(tmp_path: Path) -> None:
    write(tmp_path, "r/p3/test_ood/p3_results.jsonl", *(row(f"p3-{i}", "base") for i in range(4)))
    for number, chunk in enumerate(("chunk_0000", "chunk_0001")):
        write(
            tmp_path, f"r/retries/error_retry_20260427/p3/test_ood/{chunk}/p3_results.jsonl", row(f"p3-{number}", "1")
        )
    write(tmp_path, "r/retries/error_retry_thirdpass_20260427/p3/test_ood/p3_results.jsonl", row("p3-1", "3 failed"))
    write(tmp_path, "r/retries/error_retry_secondpass_20260427/p3/test_ood/p3_results.jsonl", row("p3-1", "2"))
    assert marks(tmp_path, ("p3", "test_ood")) == [
        ("p3-0", "1"),
        ("p3-1", "3 failed"),
        ("p3-2", "base"),
        ("p3-3", "base"),
    ]


def test_a_run_that_lies_in_retries_alone_is_complete(tmp_path: Path) -> None:
    write(tmp_path, "r/p4/dev/p4_results.jsonl", "")
    for number in range(3):
        write(tmp_path, f"r/retries/again/p4/dev/chunk_{number}/p4_results.jsonl", row(f"p4-{number}", "chunk"))
    assert marks(tmp_path, ("p4", "dev")) == [(f"p4-{number}", "chunk") for number in range(3)]


def test_a_retry_takes_its_own_trace_along(tmp_path: Path) -> None:
    for folder, mark in (("r/p3/test_ood", "base"), ("r/retries/x/p3/test_ood", "retry")):
        write(tmp_path, f"{folder}/p3_results.jsonl", row("p3-0", mark))
        write(tmp_path, f"{folder}/p3_trajectories.jsonl", row("p3-0", mark))
    (line,) = read_model_rows(tmp_path, PLACES).lines["p3", "test_ood"]
    assert line.result["mark"] == "retry"
    assert line.trace is not None
    assert line.trace["mark"] == "retry"


def test_a_task_that_occurs_twice_is_kept_twice_each_with_its_trace(tmp_path: Path) -> None:
    write(tmp_path, "r/dev/p4_results.jsonl", row("p4-0", "first"), row("p4-1"), row("p4-0", "second"))
    write(tmp_path, "r/dev/p4_traces.jsonl", row("p4-0", "first"), row("p4-1"), row("p4-0", "second"))
    lines = read_model_rows(tmp_path, PLACES).lines["p4", "dev"]
    assert [(line.result["mark"], line.trace and line.trace["mark"]) for line in lines] == [
        ("first", "first"),
        ("", ""),
        ("second", "second"),
    ]


@pytest.mark.parametrize(
    "broken", ['{"task_id": "p1-1", "ma\n', "[1, 2]\n", "3\n", '{"task_id": 5}\n', "{}\n", "[" * 99999]
)
def test_a_broken_line_costs_that_line_only_and_is_noted(tmp_path: Path, broken: str) -> None:
    write(tmp_path, "r/dev/p1_results.jsonl", row("p1-0", "a"), broken.rstrip("\n") + "\n", row("p1-2", "c"))
    assert marks(tmp_path, ("p1", "dev")) == [("p1-0", "a"), ("p1-2", "c")]
    assert any("line 2" in note for note in read_model_rows(tmp_path, PLACES).notes)


def test_a_line_separator_inside_a_text_does_not_cut_the_line(tmp_path: Path) -> None:
    write(tmp_path, "r/dev/p1_results.jsonl", json.dumps(row("p1-0", "a\u2028b"), ensure_ascii=False) + "\n")
    assert marks(tmp_path, ("p1", "dev")) == [("p1-0", "a\u2028b")]


def test_the_split_is_that_of_the_task_and_not_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "r/dev/p4_results.jsonl", row("p4-0", "d"), row("p4-x", "i"))
    assert marks(tmp_path, ("p4", "dev")) == [("p4-0", "d")]
    assert marks(tmp_path, ("p4", "test_id")) == [("p4-x", "i")]


def test_model_folders_are_known_by_their_files(tmp_path: Path) -> None:
    root = tmp_path / "results/model_outputs"
    write(root, "any name/deep/down/p4_results.jsonl", row("p4-0"))
    write(root, "notes/readme.jsonl", row("p4-0"))
    (root / "empty").mkdir()
    (root / "file.jsonl").write_text("")
    assert [folder.name for folder in model_folders(tmp_path)] == ["any name"]
    assert model_folders(tmp_path / "absent") == []
