"""Leak models find a planted shortcut, and none in noise."""

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.audit.all_checks import audit_bank
from vehbench_builder.audit.report import whole
from vehbench_builder.audit.text import significant_digits, without_numbers
from vehbench_builder.veh.audit.leaks import models as shortcuts
from vehbench_builder.veh.audit.leaks.features import LOOKUPS, table
from vehbench_builder.veh.audit.leaks.models import AuditToolMissingError, lookup_accuracy, majority
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task

ACTIONS = ["propose_design"] * 9 + ["declare_infeasible"] * 4 + ["request_missing_info"] * 3


def triage_tasks(good: Callable[..., Task], tamper: Any, plant: Callable[[Any, str], None]) -> list[Task]:
    """P1 tasks with the paper's rates of actions and random limits and boxes; `plant` may give the action away."""
    draw = np.random.default_rng(3)
    tasks = []
    for split in ("dev", "test_id", "test_ood"):
        for number in range(80):
            action = ACTIONS[number % len(ACTIONS)]

            def change(task: Any, action: str = action) -> None:
                task.gold["action"] = action
                for name in task.spec["constraints"]:
                    task.spec["constraints"][name] = float(f"{draw.uniform(1, 100):.6g}")
                for box in task.spec["variable_bounds"].values():
                    centre, half = draw.uniform(1, 100), draw.uniform(0.1, 0.3)
                    box.update(min=float(f"{centre * (1 - half):.6g}"), max=float(f"{centre * (1 + half):.6g}"))
                plant(task, action)

            tasks.append(tamper.task(good("p1"), change, split=split, task_id=f"{split}{number}"))
    return tasks


def p1_check(tasks: list[Task]) -> Any:
    dev, test = [t for t in tasks if t.split == "dev"], [t for t in tasks if t.split != "dev"]
    return whole(shortcuts.p1_shortcuts, dev, test)


def test_noise_is_not_called_a_shortcut(good: Callable[..., Task], tamper: Any) -> None:
    check = p1_check(triage_tasks(good, tamper, lambda task, action: None))
    assert check.checked == len(LOOKUPS) + 1
    assert not check.faults
    assert check.figures["majority action"] == pytest.approx(9 / 16, abs=0.01)


def plant_limit(task: Any, action: str) -> None:
    task.spec["constraints"]["stress_limit_mpa"] = 10.0 + ACTIONS.index(action)


def plant_width(task: Any, action: str) -> None:
    box = task.spec["variable_bounds"]["beam_length_mm"]
    half = 0.1 + ACTIONS.index(action) / 100
    box.update(min=50 * (1 - half), max=50 * (1 + half))


def plant_note(task: Any, action: str) -> None:
    task.spec["notes"].append({"name": "remark", "text": f"Kind {'abcdefghijklmnop'[ACTIONS.index(action)]} at 3 Hz."})


def plant_digits(task: Any, action: str) -> None:
    for name, value in task.spec["constraints"].items():
        task.spec["constraints"][name] = float(f"{value:.{2 + ACTIONS.index(action) % 5}g}")
    for box in task.spec["variable_bounds"].values():
        box.update(min=round(box["min"]) + 0.25, max=round(box["max"]) + 100.25)


@pytest.mark.parametrize("plant", [plant_limit, plant_width, plant_note, plant_digits])
def test_a_planted_shortcut_is_named(good: Callable[..., Task], tamper: Any, plant: Callable[[Any, str], None]) -> None:
    assert p1_check(triage_tasks(good, tamper, plant)).faults


def test_a_withheld_number_becomes_no_column(good: Callable[..., Task], tamper: Any) -> None:
    """That a number is missing is the task of P1; a leak model that sees it would find a leak in every bank."""

    def withhold(task: Any, action: str) -> None:
        if action == "request_missing_info":
            task.spec["excitation"]["frequency_hz"] = None
            task.spec["variable_bounds"]["load_resistance_ohm"] = None

    tasks = triage_tasks(good, tamper, withhold)
    names, columns = table([t.spec for t in tasks], np.random.default_rng(0))
    assert np.isfinite(columns).all()
    frequency = columns[:, names.index("frequency_hz")]
    assert set(frequency) == {t.spec["excitation"]["frequency_hz"] for t in tasks} - {None}
    assert not p1_check(tasks).faults


def test_the_place_of_the_anchor_is_a_shortcut_where_it_solves(small_bank: Bank, tamper: Any) -> None:
    """Anchors in the middle of wide limits are found from their place; anchors under their own limits are not."""

    def banked(centred: bool) -> Any:
        tasks = []
        for number in range(90):
            source = small_bank.select(("p2",))[number % 5]

            def change(task: Any) -> None:
                if centred:
                    task.spec["constraints"] = {
                        "stress_limit_mpa": 1e6,
                        "disp_limit_mm": 1e6,
                        "freq_error_pct_limit": 99.0,
                        "power_target_uw": 1e-9,
                    }

            split = ("dev", "test_id")[number % 2]
            tasks.append(tamper.task(source, change, task_id=str(number), split=split))
        dev, test = [t for t in tasks if t.split == "dev"], [t for t in tasks if t.split != "dev"]
        return whole(shortcuts.p2_shortcuts, dev, test)

    assert banked(centred=True).failed > 0
    figures = banked(centred=True).figures
    assert figures["solved by the mean place of the anchor"] == 1.0


def test_the_winner_by_an_unrelated_column_is_named(small_bank: Bank, tamper: Any) -> None:
    draw = np.random.default_rng(5)

    def pools(planted: bool) -> Any:
        tasks = []
        for number in range(120):
            source = small_bank.select(("p4",))[number % 5]

            def change(task: Any) -> None:
                candidates = task.spec["candidates"]
                for candidate in candidates:
                    box = task.spec["variable_bounds"]["beam_width_mm"]
                    candidate["design"]["beam_width_mm"] = float(draw.uniform(box["min"], box["max"]))
                ids = [str(name) for name in draw.permutation([c["id"] for c in candidates])]
                if planted:
                    widest = max(candidates, key=lambda c: c["design"]["beam_width_mm"])["id"]
                    ids = [widest, *(name for name in ids if name != widest)]
                task.gold["ranking"] = ids

            split = ("dev", "test_id")[number % 2]
            tasks.append(tamper.task(source, change, task_id=str(number), split=split))
        dev, test = [t for t in tasks if t.split == "dev"], [t for t in tasks if t.split != "dev"]
        return whole(shortcuts.p4_shortcuts, dev, test)

    assert any("largest beam_width_mm" in fault for fault in pools(planted=True).faults)
    assert not pools(planted=False).faults


def test_a_small_bank_is_not_judged_by_three_tasks(small_bank: Bank) -> None:
    for check in shortcuts.model_checks(small_bank):
        assert "too few" in (check.skipped or "")


def test_without_scikit_learn_the_audit_says_what_to_install(
    good: Callable[..., Task], tamper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    bank = tamper.bank(triage_tasks(good, tamper, lambda task, action: None))
    with pytest.raises(AuditToolMissingError, match=r'pip install "vehbench-hf\[audit\]"'):
        audit_bank(bank)


def test_the_tree_tool_is_not_loaded_with_the_audit() -> None:
    import subprocess

    code = "import sys, vehbench_builder.audit.all_checks; print(any(n.startswith('sklearn') for n in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=1, max_size=40))
def test_a_lookup_is_no_worse_on_its_own_data_than_the_majority(rows: list[tuple[int, str]]) -> None:
    keys, answers = [(float(key),) for key, _ in rows], [answer for _, answer in rows]
    assert majority(answers, answers) <= lookup_accuracy(keys, answers, keys, answers) <= 1
    assert lookup_accuracy(keys, answers, [(9.0,)] * len(rows), answers) == majority(answers, answers)


@given(st.floats(1e-6, 1e6), st.integers(1, 9))
def test_digits_are_counted_right(value: float, digits: int) -> None:
    written = float(f"{value:.{digits}g}")
    assert significant_digits(written) <= digits
    assert float(f"{written:.{significant_digits(written)}g}") == written
    assert significant_digits(-written) == significant_digits(written)


def test_two_numbers_make_one_wording() -> None:
    assert without_numbers("Between 45-55 Hz, 1.5e-3 g") == without_numbers("between 5.2-6.3 Hz, 0.1 g")
    assert significant_digits(0.0) == significant_digits(float("nan")) == 0
