"""Effects are read only from runs that differ in the rule that is tried."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import made_runs
from vehbench_hf.analysis.experiments import CELLS, cell_effects, cell_tasks, intervention_effects
from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import BankError, RunError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import Run, load_run, write_run_json
from vehbench_hf.scoring import score_parts
from vehbench_hf.types import PROBES, Probe, Reply, Task

MakeArm = Callable[..., Run]


def last_again(task: Task, index: int, attempt: int) -> Reply:
    """The last design of the history, which is infeasible."""
    return Reply(json.dumps({"action": "propose_design", "design": task.spec["history"][-1]["design"]}))


@pytest.fixture
def arm(experiments_bank: Bank, tmp_path: Path) -> MakeArm:
    """Makes an arm on P3: right on every `every`-th task in order, else stuck; `rules` are those of the protocol."""
    places = {task.task_id: place for place, task in enumerate(experiments_bank.tasks)}

    def make(name: str, every: int, model: str = "m", **rules: Any) -> Run:
        def speak(task: Task, index: int, attempt: int) -> Reply:
            said: Reply = (made_runs.gold if places[task.task_id] % every == 0 else last_again)(task, index, attempt)
            return said

        folder = tmp_path / name
        made_runs.make_run(folder, experiments_bank, speak, probes=("p3",), model=model, protocol=Protocol(**rules))
        return load_run(folder, experiments_bank)

    return make


def test_the_summary_effect_is_taken_over_the_36_tasks(arm: MakeArm, experiments_bank: Bank) -> None:
    raw, summary = arm("raw", 3), arm("summary", 1, p3_state="summary")
    found = intervention_effects(raw, summary, experiments_bank)
    assert (found["tasks"], found["changed"]) == (36, {"p3_state": ["raw", "summary"]})
    success, cascade = found["effects"]
    assert (success["part"], success["n"], success["first"], success["second"]) == ("success", 36, 12 / 36, 1.0)
    assert success["difference"] == pytest.approx(24 / 36)
    assert success["interval"][0] > 0
    assert success["p_value"] < 0.05
    assert cascade["part"] == "cascade"
    assert (cascade["first"], cascade["second"]) == (0.0, 0.0)
    json.dumps(found, allow_nan=False)


def test_runs_that_differ_in_more_than_rules_have_no_effect(arm: MakeArm, experiments_bank: Bank) -> None:
    raw, other = arm("raw", 3), arm("other", 1, model="another", p3_state="summary")
    with pytest.raises(RunError, match="model: 'm' and 'another'"):
        intervention_effects(raw, other, experiments_bank)


def test_a_bank_without_the_subset_and_an_imported_run_are_refused(
    arm: MakeArm, experiments_bank: Bank, small_bank: Bank, tmp_path: Path
) -> None:
    raw = arm("raw", 3)
    with pytest.raises(BankError, match="p3_intervention"):
        intervention_effects(raw, raw, small_bank)
    (tmp_path / "imported").mkdir()
    imported = {"kind": "recorded", "settings": {"bank_fingerprint": experiments_bank.fingerprint}, "bank": "b"}
    write_run_json(tmp_path / "imported", imported)
    (tmp_path / "imported" / "turns.jsonl").touch()
    with pytest.raises(RunError, match="imported"):
        intervention_effects(raw, load_run(tmp_path / "imported", experiments_bank), experiments_bank)


def test_a_cell_shows_its_conditions_and_the_differences_between_them(arm: MakeArm, experiments_bank: Bank) -> None:
    arms = [
        arm("s+", 1, control="summary+targeted"),
        arm("default", 4),
        arm("targeted", 2, control="targeted"),
        arm("neutral", 3, control="neutral"),
    ]
    found = cell_effects(CELLS["p3"], arms, experiments_bank)
    assert list(found["conditions"]) == ["none", "neutral", "targeted", "summary+targeted"]
    assert [round(36 * one["success"]) for one in found["conditions"].values()] == [9, 12, 18, 36]
    assert all(one["n"] == 36 and one["unreadable"] == 0 for one in found["conditions"].values())
    shown = {(e["from"], e["to"]): e["difference"] for e in found["effects"] if e["part"] == "success"}
    assert shown == {
        ("none", "neutral"): pytest.approx(3 / 36),
        ("none", "targeted"): pytest.approx(9 / 36),
        ("none", "summary+targeted"): pytest.approx(27 / 36),
        ("neutral", "targeted"): pytest.approx(6 / 36),
        ("targeted", "summary+targeted"): pytest.approx(18 / 36),
    }
    json.dumps(found, allow_nan=False)


def test_arms_of_a_cell_differ_in_the_control_alone_and_come_once(arm: MakeArm, experiments_bank: Bank) -> None:
    plain, again = arm("plain", 3), arm("again", 2)
    coarse = arm("coarse", 3, control="neutral", feedback="coarse")
    with pytest.raises(RunError, match="both under 'none'"):
        cell_effects(CELLS["p3"], [plain, again], experiments_bank)
    with pytest.raises(RunError, match="differ in feedback"):
        cell_effects(CELLS["p3"], [plain, coarse], experiments_bank)
    targeted = arm("s+", 3, control="summary+targeted")
    with pytest.raises(RunError, match="no condition 'summary\\+targeted'"):
        cell_effects(CELLS["p2"], [targeted], experiments_bank)


@pytest.mark.parametrize("probe", PROBES)
def test_a_cell_has_its_tasks_and_endpoints_on_bank_v2(probe: Probe, bank_v2: Bank, tmp_path: Path) -> None:
    cell = CELLS[probe]
    tasks = cell_tasks(cell, bank_v2)
    assert len(tasks) == len({task.task_id for task in tasks}) == cell.tasks
    assert {task.probe for task in tasks} == {probe}
    assert len({task.split for task in tasks}) == 3
    made_runs.make_run(tmp_path / "r", bank_v2, made_runs.gold, probes=(probe,), limit=cell.tasks)
    right = load_run(tmp_path / "r", bank_v2)
    found = cell_effects(cell, [right], bank_v2)["conditions"]["none"]
    assert cell.primary in score_parts(probe, right.scored(probe), "defined")
    assert found[cell.primary] == 1.0
    assert found["n"] == (cell.tasks if probe != "p3" else found["n"]) > 0
