"""What a report must say whatever the checks found."""

import json
from collections.abc import Callable

import pytest

from vehbench_builder.audit.report import (
    EXAMPLES,
    Check,
    Figure,
    Findings,
    each,
    report_of,
    skipped,
    statement_of,
    whole,
)
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
    assert report.as_json() == {
        "bank": "b",
        "checks": {
            "even_numbers": {
                "checked": 4,
                "failed": 2,
                "examples": ["3 is odd", "5 is odd"],
                "figures": {"largest": 5},
            }
        },
    }
    json.dumps(report.as_json(), allow_nan=False)


def test_a_clean_report_passes_and_keeps_its_statement() -> None:
    report = report_of("b", [whole(even_numbers, 2, 4)])
    assert not report.failed
    assert "All numbers are even." in report.as_text()
    assert "1 statements hold, 0 fail" in report.as_text()


def test_a_check_without_cases_does_not_pass_for_checked() -> None:
    check = whole(even_numbers)
    assert check.skipped is not None
    assert (check.checked, check.failed) == (0, 0)
    assert "were not checked" in report_of("b", [check]).as_text()


def test_a_skipped_check_shows_its_reason() -> None:
    check = skipped(even_numbers, "there are no numbers")
    assert check.as_json()["skipped"] == "there are no numbers"
    assert "there are no numbers" in report_of("b", [check]).as_text()


def test_no_more_examples_than_anyone_reads_are_listed() -> None:
    check = whole(even_numbers, *range(1, 101, 2))
    assert check.failed == 50
    assert len(check.as_json()["examples"]) == EXAMPLES
    assert f"and {50 - EXAMPLES} more" in check.as_text()


def test_a_broken_task_does_not_stop_the_audit(good: Callable[..., Task]) -> None:
    def breaks(task: Task) -> Findings:
        """Nothing is None."""
        yield None
        raise TypeError("unsupported operand")

    check = each(breaks, [good("p2"), good("p3")])
    assert check.failed == 2
    assert all("unsupported operand" in fault for fault in check.faults)


def test_no_two_checks_share_a_name() -> None:
    with pytest.raises(ValueError, match="even_numbers"):
        report_of("b", [whole(even_numbers, 1), whole(even_numbers, 2)])


def test_a_check_says_what_it_proves() -> None:
    def silent() -> Findings:
        yield None

    with pytest.raises(ValueError, match="silent"):
        statement_of(silent)
    assert isinstance(whole(even_numbers, 2), Check)
