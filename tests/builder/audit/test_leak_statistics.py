"""Statistics of a builder that give the answer away are named."""

from collections.abc import Callable
from typing import Any

import pytest

import tampered as names
from small_bank import small_tasks
from tampered import bank_of, good, tampered
from vehbench_builder.audit.report import Check, whole
from vehbench_builder.veh.audit.leaks.statistics import anchors_do_not_sit_in_the_middle, statistics_checks

ACTIONS = ["propose_design"] * 3 + ["declare_infeasible"] * 2 + ["request_missing_info"]
Change = Callable[[Any, int], object]
"""Gets a task with its action and its number."""


def checks_of(change: Change) -> dict[str, Check]:
    """The checks of 120 briefs with three actions."""

    def altered(task: Any, number: int) -> None:
        task.gold["action"] = ACTIONS[number % len(ACTIONS)]
        change(task, number)

    tasks = [tampered(good("p1"), lambda t, n=n: altered(t, n), task_id=str(n)) for n in range(120)]
    return {check.name.removeprefix("p1_"): check for check in statistics_checks(bank_of(*tasks))}


def noted(*words: str) -> list[dict[str, str]]:
    return [{"name": name, "text": text} for name, text in (pair.split(": ") for pair in words)]


def only_where_infeasible(task: Any, number: int) -> None:
    if task.gold["action"] == "declare_infeasible":
        task.spec["notes"] = noted(f"screening: About {number} % too much.")


def as_often_under_every_action(task: Any, number: int) -> None:
    if number // 6 % 2:
        task.spec["notes"] = noted("aside: A first prototype.")


def round_where_it_requests(task: Any, number: int) -> None:
    asks = task.gold["action"] == "request_missing_info"
    task.spec["constraints"]["stress_limit_mpa"] = 100.0 if asks else 101.37 + number


def round_under_every_action(task: Any, number: int) -> None:
    task.spec["constraints"]["stress_limit_mpa"] = 100.0 if number // 6 % 2 else 101.37 + number


def turned_where_it_requests(task: Any, number: int) -> None:
    notes = noted("a: Text a.", "b: Text b.")
    task.spec["notes"] = notes[::-1] if task.gold["action"] == "request_missing_info" else notes


def turned_under_every_action(task: Any, number: int) -> None:
    notes = noted("a: Text a.", "b: Text b.")
    task.spec["notes"] = notes[::-1] if number // 6 % 2 else notes


def load_elsewhere(task: Any, number: int) -> None:
    if task.gold["action"] == "request_missing_info":
        task.spec["notes"] = noted("remarks: The load is set elsewhere. The mount is steel.")


def load_elsewhere_and_withheld(task: Any, number: int) -> None:
    """That the load is set elsewhere is what P1 asks about where the brief withholds the load."""
    load_elsewhere(task, number)
    if task.gold["action"] == "request_missing_info":
        task.spec["variable_bounds"]["load_resistance_ohm"] = None


WORDINGS, RATES = "wordings_under_two_actions", "note_rates_do_not_tell_the_action"
ORDER, DIGITS = "note_order_does_not_tell_the_action", "digits_do_not_tell_the_action"


@pytest.mark.parametrize(
    ("change", "name", "failed"),
    [
        (only_where_infeasible, WORDINGS, 1),
        # Its name, its wording, one sentence, and no sentence: each rate depends on the action.
        (only_where_infeasible, RATES, 4),
        (as_often_under_every_action, WORDINGS, 0),
        (as_often_under_every_action, RATES, 0),
        (round_where_it_requests, DIGITS, 2),
        (round_under_every_action, DIGITS, 0),
        (turned_where_it_requests, ORDER, 2),  # the names, and the sentences
        (turned_under_every_action, ORDER, 0),
        (load_elsewhere, WORDINGS, 2),
        (load_elsewhere_and_withheld, WORDINGS, 1),
    ],
)
def test_what_tells_the_action_is_named_and_nothing_else(change: Change, name: str, failed: int) -> None:
    check = checks_of(change)[name]
    assert check.checked > 0
    assert check.failed == failed


def test_few_briefs_say_nothing_about_rates() -> None:
    skipped = {check.name for check in statistics_checks(bank_of(*small_tasks())) if check.skipped}
    assert skipped == {f"p1_{name}" for name in (WORDINGS, RATES, ORDER, DIGITS)}


def test_anchors_in_the_middle_are_named() -> None:
    def centre(task: Any) -> None:
        boxes = task.spec["variable_bounds"]
        task.gold["anchor_design"] = {name: (box["min"] + box["max"]) / 2 for name, box in boxes.items()}

    tasks = [task for task in small_tasks() if task.probe in ("p2", "p3")]
    assert not names.failed([whole(anchors_do_not_sit_in_the_middle, tasks)])
    check = whole(anchors_do_not_sit_in_the_middle, [tampered(task, centre) for task in tasks])
    assert check.checked == 2
    (fault,) = check.faults
    assert "anchor design" in fault
