"""Habits of a builder that give the answer away are named."""

from collections.abc import Callable
from typing import Any

from vehbench_builder.audit.report import each, whole
from vehbench_builder.veh.audit.leaks import statistics as habits
from vehbench_builder.veh.audit.p4 import candidates_are_listed_by_id
from vehbench_hf.bank.bank import Bank
from vehbench_hf.types import Task


def triage(good: Callable[..., Task], tamper: Any, change: Callable[[Any, int, str], None]) -> list[Task]:
    actions = ["propose_design"] * 3 + ["declare_infeasible"] * 2 + ["request_missing_info"]
    tasks = []
    for number in range(120):
        action = actions[number % 6]

        def altered(task: Any, number: int = number, action: str = action) -> None:
            task.gold["action"] = action
            change(task, number, action)

        tasks.append(tamper.task(good("p1"), altered, task_id=str(number)))
    return tasks


def test_the_sample_bank_has_no_habits(small_bank: Bank) -> None:
    for check in habits.statistics_checks(small_bank):
        assert not check.faults, check.faults


def test_a_wording_of_one_class_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def note(task: Any, number: int, action: str) -> None:
        if action == "declare_infeasible":
            task.spec["notes"] = [{"name": "screening", "text": f"About {number} % too much."}]

    tasks = triage(good, tamper, note)
    assert whole(habits.p1_wordings_under_two_actions, tasks).failed == 1
    # Its name, its wording, one sentence, and no sentence: each rate depends on the action.
    assert whole(habits.p1_note_rates_do_not_tell_the_action, tasks).failed == 4


def test_equal_rates_are_not_called_a_habit(good: Callable[..., Task], tamper: Any) -> None:
    def note(task: Any, number: int, action: str) -> None:
        if number // 6 % 2:
            task.spec["notes"] = [{"name": "aside", "text": "A first prototype."}]

    tasks = triage(good, tamper, note)
    for check in (habits.p1_wordings_under_two_actions, habits.p1_note_rates_do_not_tell_the_action):
        found = whole(check, tasks)
        assert found.checked > 0
        assert not found.faults


def test_round_limits_of_one_class_are_named(good: Callable[..., Task], tamper: Any) -> None:
    def limit(task: Any, number: int, action: str) -> None:
        task.spec["constraints"]["stress_limit_mpa"] = 100.0 if action == "request_missing_info" else 101.37 + number

    assert whole(habits.p1_digits_do_not_tell_the_action, triage(good, tamper, limit)).failed > 0

    def alike(task: Any, number: int, action: str) -> None:
        task.spec["constraints"]["stress_limit_mpa"] = 100.0 if number // 6 % 2 else 101.37 + number

    assert not whole(habits.p1_digits_do_not_tell_the_action, triage(good, tamper, alike)).faults


def test_anchors_in_the_middle_are_named(small_bank: Bank, tamper: Any) -> None:
    def centre(task: Any) -> None:
        boxes = task.spec["variable_bounds"]
        task.gold["anchor_design"] = {name: (box["min"] + box["max"]) / 2 for name, box in boxes.items()}

    tasks = small_bank.select(("p2", "p3"))
    assert not whole(habits.anchors_do_not_sit_in_the_middle, tasks).faults
    check = whole(habits.anchors_do_not_sit_in_the_middle, [tamper.task(t, centre) for t in tasks])
    assert check.failed == 1
    assert "anchor design" in check.faults[0]


def test_candidates_out_of_order_are_named(good: Callable[..., Task], tamper: Any) -> None:
    turned = tamper.task(good("p4"), lambda t: t.spec["candidates"].reverse())
    assert each(candidates_are_listed_by_id, [good("p4"), turned]).failed == 1


def test_an_order_of_notes_that_tells_the_action_is_named(good: Callable[..., Task], tamper: Any) -> None:
    def ordered(telling: bool) -> Any:
        def note(task: Any, number: int, action: str) -> None:
            names = ["a", "b"]
            if (action == "request_missing_info") if telling else (number // 6 % 2):
                names.reverse()
            task.spec["notes"] = [{"name": name, "text": f"Text {name}."} for name in names]

        return whole(habits.p1_note_order_does_not_tell_the_action, triage(good, tamper, note))

    assert ordered(telling=True).failed == 2  # the names, and the sentences
    assert ordered(telling=False).checked == 2
    assert not ordered(telling=False).faults


def test_sentences_about_the_missing_field_are_no_habit(good: Callable[..., Task], tamper: Any) -> None:
    """That the load is set elsewhere is the task of P1 where the load is withheld, and a habit where it is stated."""

    def open_load(stated: bool) -> Any:
        def note(task: Any, number: int, action: str) -> None:
            if action == "request_missing_info":
                task.spec["notes"] = [{"name": "remarks", "text": "The load is set elsewhere. The mount is steel."}]
                if not stated:
                    task.spec["variable_bounds"]["load_resistance_ohm"] = None

        return whole(habits.p1_wordings_under_two_actions, triage(good, tamper, note))

    assert open_load(stated=True).failed == 2
    assert open_load(stated=False).failed == 1
