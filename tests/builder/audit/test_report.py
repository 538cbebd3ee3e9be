"""What a report must say whatever the checks found."""

import json

import pytest

from tampered import good
from vehbench_builder.audit.report import EXAMPLES, Figure, Findings, each, report_of, whole
from vehbench_hf.types import Task


def even_numbers(*numbers: int) -> Findings:
    """All numbers are even.

    More words.
    """
    for number in numbers:
        yield f"{number} is odd" if number % 2 else None
    yield Figure("largest", max(numbers, default=None))


def test_a_fault_fails_the_report() -> None:
    report = report_of("b", [whole(even_numbers, 2, 3, 4, 5)])
    assert report.failed
    told = {"checked": 4, "failed": 2, "examples": ["3 is odd", "5 is odd"], "figures": {"largest": 5}}
    assert report.as_json() == {"bank": "b", "checks": {"even_numbers": told}}
    json.dumps(report.as_json(), allow_nan=False)


def test_a_clean_report_passes_and_keeps_its_statement() -> None:
    report = report_of("b", [whole(even_numbers, 2, 4)])
    assert not report.failed
    assert "All numbers are even." in report.as_text()
    assert "1 statements hold, 0 fail" in report.as_text()


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (whole(even_numbers), "nothing in this bank"),
        (whole(even_numbers, 3, unless="there are odd numbers"), "there are odd numbers"),
        (each(even_numbers, [], unless="there are no tasks"), "there are no tasks"),
    ],
)
def test_a_check_that_looked_at_nothing_says_why(check: object, reason: str) -> None:
    report = report_of("b", [check])  # type: ignore[list-item]
    told = report.as_json()["checks"]["even_numbers"]
    assert (told["checked"], told["failed"]) == (0, 0)
    assert reason in told["skipped"]
    assert f"not checked: {told['skipped']}" in report.as_text()
    assert "0 statements hold, 0 fail, 1 were not checked" in report.as_text()


def test_no_more_examples_than_anyone_reads_are_listed() -> None:
    check = whole(even_numbers, *range(1, 101, 2))
    assert check.failed == 50
    assert len(check.as_json()["examples"]) == EXAMPLES
    assert f"and {50 - EXAMPLES} more" in check.as_text()


def test_a_broken_task_does_not_stop_the_audit() -> None:
    def breaks(task: Task) -> Findings:
        """Nothing is None."""
        yield None
        raise TypeError("unsupported operand")

    check = each(breaks, [good("p2"), good("p3")])
    assert check.checked == 4
    assert [fault.split(": ")[0] for fault in check.faults] == [good("p2").task_id, good("p3").task_id]
    assert all("unsupported operand" in fault for fault in check.faults)


def test_no_two_checks_share_a_name_and_each_says_what_it_proves() -> None:
    def silent() -> Findings:
        yield None

    with pytest.raises(ValueError, match="even_numbers"):
        report_of("b", [whole(even_numbers, 1), whole(even_numbers, 2)])
    with pytest.raises(ValueError, match="silent"):
        whole(silent)
