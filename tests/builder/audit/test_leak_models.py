"""Leak models find a planted shortcut, and none in noise."""

import ast
import builtins
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vehbench_builder
from small_bank import small_tasks
from tampered import bank_of, good, tampered
from vehbench_builder.audit.all_checks import audit_bank
from vehbench_builder.audit.report import Check
from vehbench_builder.veh.audit.leaks.features import LOOKUPS, table
from vehbench_builder.veh.audit.leaks.models import AuditToolMissingError, lookup_accuracy, majority, model_checks
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task

ACTIONS = ["propose_design"] * 9 + ["declare_infeasible"] * 4 + ["request_missing_info"] * 3
Plant = Callable[[Any, int], object]
"""Gives the answer away: gets a task and the place of its action in `ACTIONS`."""


def p1_tasks(plant: Plant = lambda task, place: None) -> list[Task]:
    """P1 tasks with the paper's rates of actions and random limits and boxes."""
    draw = np.random.default_rng(3)

    def change(task: Any, place: int) -> None:
        task.gold["action"] = ACTIONS[place]
        for name in task.spec["constraints"]:
            task.spec["constraints"][name] = float(f"{draw.uniform(1, 100):.6g}")
        for box in task.spec["variable_bounds"].values():
            centre, half = draw.uniform(1, 100), draw.uniform(0.1, 0.3)
            box.update(min=float(f"{centre * (1 - half):.6g}"), max=float(f"{centre * (1 + half):.6g}"))
        plant(task, place)

    return [
        tampered(good("p1"), lambda t, n=n: change(t, n % len(ACTIONS)), split=split, task_id=f"{split}{n}")
        for split in ("dev", "test_id", "test_ood")
        for n in range(80)
    ]


def check_of(tasks: list[Task], name: str) -> Check:
    return {check.name: check for check in model_checks(bank_of(*tasks))}[name]


def test_noise_is_not_called_a_shortcut() -> None:
    check = check_of(p1_tasks(), "p1_shortcuts")
    assert (check.checked, check.failed) == (len(LOOKUPS) + 1, 0)
    assert check.figures["majority action"] == pytest.approx(9 / 16, abs=0.01)


def plant_limit(task: Any, place: int) -> None:
    task.spec["constraints"]["stress_limit_mpa"] = 10.0 + ACTIONS.index(ACTIONS[place])


def plant_width(task: Any, place: int) -> None:
    half = 0.1 + ACTIONS.index(ACTIONS[place]) / 100
    task.spec["variable_bounds"]["beam_length_mm"].update(min=50 * (1 - half), max=50 * (1 + half))


def plant_note(task: Any, place: int) -> None:
    kind = "abcdefghijklmnop"[ACTIONS.index(ACTIONS[place])]
    task.spec["notes"].append({"name": "remark", "text": f"Kind {kind} at 3 Hz."})


def plant_digits(task: Any, place: int) -> None:
    for name, value in task.spec["constraints"].items():
        task.spec["constraints"][name] = float(f"{value:.{2 + ACTIONS.index(ACTIONS[place]) % 5}g}")
    for box in task.spec["variable_bounds"].values():
        box.update(min=round(box["min"]) + 0.25, max=round(box["max"]) + 100.25)


@pytest.mark.parametrize("plant", [plant_limit, plant_width, plant_note, plant_digits])
def test_a_planted_shortcut_is_named(plant: Plant) -> None:
    assert check_of(p1_tasks(plant), "p1_shortcuts").failed > 0


def test_a_withheld_number_becomes_no_column() -> None:
    """That a number is missing is the task of P1; a leak model that sees it would find a leak in every bank."""

    def withhold(task: Any, place: int) -> None:
        if ACTIONS[place] == "request_missing_info":
            task.spec["excitation"]["frequency_hz"] = None
            task.spec["variable_bounds"]["load_resistance_ohm"] = None

    tasks = p1_tasks(withhold)
    names, columns = table([t.spec for t in tasks], np.random.default_rng(0))
    assert np.isfinite(columns).all()
    frequency = columns[:, names.index("frequency_hz")]
    assert set(frequency) == {t.spec["excitation"]["frequency_hz"] for t in tasks} - {None}
    check = check_of(tasks, "p1_shortcuts")
    assert check.checked > 0
    assert not check.faults


def copies(probe: str, number: int, change: Callable[[Any], object]) -> list[Task]:
    """Changed copies of the small bank's tasks of a probe, in turn for dev and for test."""
    sources = [task for task in small_tasks() if task.probe == probe]
    return [
        tampered(sources[i % len(sources)], change, task_id=str(i), split=("dev", "test_id")[i % 2])
        for i in range(number)
    ]


def test_the_place_of_the_anchor_is_a_shortcut_where_it_solves() -> None:
    """Under wide limits anchors are found from their place."""
    wide = {"stress_limit_mpa": 1e6, "disp_limit_mm": 1e6, "freq_error_pct_limit": 99.0, "power_target_uw": 1e-9}
    check = check_of(copies("p2", 90, lambda task: task.spec["constraints"].update(wide)), "p2_shortcuts")
    assert check.failed > 0
    assert check.figures["solved by the mean place of the anchor design"] == 1.0


@pytest.mark.parametrize("planted", [True, False])
def test_the_winner_by_an_unrelated_column_is_named(planted: bool) -> None:
    draw = np.random.default_rng(5)

    def change(task: Any) -> None:
        candidates, box = task.spec["candidates"], task.spec["variable_bounds"]["beam_width_mm"]
        for candidate in candidates:
            candidate["design"]["beam_width_mm"] = float(draw.uniform(box["min"], box["max"]))
        ids = [str(name) for name in draw.permutation([c["id"] for c in candidates])]
        if planted:
            widest = max(candidates, key=lambda c: c["design"]["beam_width_mm"])["id"]
            ids = [widest, *(name for name in ids if name != widest)]
        task.gold["ranking"] = ids

    check = check_of(copies("p4", 120, change), "p4_shortcuts")
    assert check.checked > 10
    assert any("largest beam_width_mm" in fault for fault in check.faults) if planted else not check.faults


def test_a_small_bank_is_not_judged_by_three_tasks(small_bank: Bank) -> None:
    assert ["too few" in (check.skipped or "") for check in model_checks(small_bank)] == [True] * 4


def test_without_scikit_learn_the_audit_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(AuditToolMissingError, match=r'pip install "vehbench-hf\[audit\]"'):
        audit_bank(bank_of(*p1_tasks()))


def test_the_tree_tool_is_loaded_only_when_trees_grow() -> None:
    files = list(Path(vehbench_builder.__file__).parent.rglob("*.py"))
    imports = [
        ast.unparse(node)
        for file in files
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert len(imports) > 100
    assert not [line for line in imports if "sklearn" in line]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=1, max_size=40))
def test_a_lookup_is_no_worse_on_its_own_data_than_the_majority(rows: list[tuple[int, str]]) -> None:
    keys, answers = [(float(key),) for key, _ in rows], [answer for _, answer in rows]
    assert majority(answers, answers) <= lookup_accuracy(keys, answers, keys, answers) <= 1
    assert lookup_accuracy(keys, answers, [(9.0,)] * len(rows), answers) == majority(answers, answers)
