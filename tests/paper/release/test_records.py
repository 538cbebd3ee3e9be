"""A logged line must become the steps that were taken: no seed step, no judgement of our own, no action renamed."""

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import judge_for
from vehbench_hf.paper.release.jsonl import number
from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.release.records import effective_action, record_of
from vehbench_hf.paper.release.rows import LogRow
from vehbench_hf.types import PROBES, Task
from vehbench_oracle import LIMITS, METRICS


@pytest.mark.parametrize(
    ("parsed", "predicted", "action"),
    [
        ("propose_design", "invalid_candidate", "propose_design"),
        ("declare_infeasible", "declare_infeasible", "declare_infeasible"),
        ("replan", "replan", "replan"),
        ("invalid_output", "invalid_output", "invalid_output"),
        (None, "invalid_candidate", "propose_design"),
        ("", "request_missing_info", "request_missing_info"),
        (None, "invalid_output", "invalid_output"),
    ],
)
def test_the_triage_action_is_the_one_before_verification(parsed: Any, predicted: str, action: str) -> None:
    assert effective_action({"parsed_action_type": parsed, "predicted_action": predicted}) == action


def test_triage_rows_keep_what_the_harness_logged(runs: dict[str, ReleasedRun]) -> None:
    hidden = 0
    for run in runs.values():
        for place, rows in run.rows.items():
            if place[0] != "p1":
                continue
            for record, row in zip(run.lines[place], rows, strict=True):
                (step,) = record.steps
                assert step.harness_action == row.result["predicted_action"]
                assert list(step.missing_fields) == row.result["predicted_missing_fields"]
                assert (record.outcome == "format_error") == (step.action == "invalid_output")
                hidden += step.harness_action == "invalid_candidate" and step.action == "propose_design"
    assert hidden > 0


def test_only_triage_has_a_harness_action_and_only_search_a_reference(runs: dict[str, ReleasedRun]) -> None:
    for run in runs.values():
        for probe in PROBES:
            for record in run.merged(probe).values():
                assert record.recorded
                assert all((step.harness_action is not None) == (probe == "p1") for step in record.steps)
                assert record.reference_value is None or probe == "p2"


def test_seed_steps_are_no_live_steps(runs: dict[str, ReleasedRun], tasks: list[Task]) -> None:
    by_id = {task.task_id: task for task in tasks}
    for run in runs.values():
        for record in run.merged("p3").values():
            spec = by_id[record.task_id].spec
            assert 1 <= len(record.steps) <= spec["query_budget"] - len(spec["history"])


def test_search_ends_at_the_first_feasible_design_and_within_the_budget(runs: dict[str, ReleasedRun]) -> None:
    for run in runs.values():
        for record in run.merged("p2").values():
            feasible = [step.verdict is not None and step.verdict.feasible for step in record.steps]
            assert len(record.steps) <= 6
            assert not any(feasible[:-1])


@pytest.mark.slow
def test_recorded_verdicts_agree_with_the_oracle_inside_the_bounds(
    runs: dict[str, ReleasedRun], tasks: list[Task]
) -> None:
    by_id = {task.task_id: task for task in tasks}
    judged = outside = 0
    for run in runs.values():
        for record in [*run.merged("p2").values(), *run.merged("p3").values()]:
            for step in record.steps:
                if step.design is None:
                    assert step.verdict is None
                    assert step.action != "propose_design"
                    continue
                stored, ours = step.verdict, judge_for(by_id[record.task_id].spec, step.design)
                assert stored is not None
                assert stored.metrics.keys() == set(METRICS)
                for name, kind in LIMITS.items():
                    # Slacks have 6 decimals, and so have the logged designs.
                    rounding = 6e-7 + 1e-7 * ours.metrics[kind.metric]
                    assert stored.slack[name] == pytest.approx(ours.slack[name], abs=rounding)
                over = tuple(v for v in ours.violations if v.name in LIMITS)
                outside += len(over) < len(ours.violations)  # the authors' verifier does not look at bounds
                assert stored.feasible == (not over)
                judged += 1
                for kept, computed in zip(stored.violations, over, strict=True):
                    assert (kept.name, kept.limit, kept.unit) == (computed.name, computed.limit, computed.unit)
                    assert kept.value == pytest.approx(computed.value, rel=1e-6, abs=1e-6)
                    assert kept.normalized == pytest.approx(computed.normalized, rel=1e-5, abs=1e-6 / kept.limit)
                assert stored.total_violation == pytest.approx(sum(v.normalized for v in stored.violations))
    assert judged > 7000
    assert 0 < outside < 20


def test_the_reference_of_a_row_is_the_logged_one_or_none(runs: dict[str, ReleasedRun]) -> None:
    without: Counter[str] = Counter()
    for run in runs.values():
        for place, rows in run.rows.items():
            if place[0] == "p2":
                for record, row in zip(run.lines[place], rows, strict=True):
                    assert record.reference_value == row.result["bkf_objective_value"]
                    feasible = record.steps[-1].verdict is not None and record.steps[-1].verdict.feasible
                    assert feasible or record.reference_value is None
                    without[run.label] += feasible and record.reference_value is None
    # Feasible rows that were scored without a reference: filling them from the bank would change a printed ratio.
    assert +without == {"model_C": 2, "model_I": 1}


def a_line(tasks: list[Task], runs: dict[str, ReleasedRun], probe: str) -> tuple[Task, LogRow]:
    run = next(run for run in runs.values() if run.merged(probe))  # type: ignore[arg-type]
    row = next(rows[0] for place, rows in run.rows.items() if place[0] == probe)
    return next(task for task in tasks if task.task_id == row.result["task_id"]), row


@pytest.mark.parametrize(
    "damage",
    [
        {"steps": None},
        {"steps": []},
        {"steps": ["x"]},
        {"steps": [{}]},
        {"steps": [{"action_type": "propose_design", "proposal": None, "verifier_response": None}]},
        {"steps": [{"action_type": "propose_design", "proposal": {}, "verifier_response": {}}]},
        {"steps": [{"action_type": 3}]},
    ],
)
def test_a_damaged_trajectory_raises_and_never_becomes_a_record(
    tasks: list[Task], runs: dict[str, ReleasedRun], damage: dict[str, Any]
) -> None:
    task, row = a_line(tasks, runs, "p2")
    assert record_of(task, row).steps
    with pytest.raises((KeyError, TypeError, ValueError)):
        record_of(task, LogRow(row.result, damage))
    with pytest.raises(ValueError, match="no trajectory"):
        record_of(task, LogRow(row.result, None))


def test_a_parse_error_is_no_ranking(tasks: list[Task], runs: dict[str, ReleasedRun]) -> None:
    task, row = a_line(tasks, runs, "p4")
    failed = record_of(task, LogRow({**row.result, "is_parse_error": True, "predicted_ranking": []}, None))
    assert failed.outcome == "format_error"
    assert [(step.action, step.ranking) for step in failed.steps] == [("invalid_output", ())]


@given(st.one_of(st.booleans(), st.none(), st.text(), st.lists(st.integers()), st.sampled_from([math.nan, math.inf])))
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="finite number"):
        number(value)


@given(st.one_of(st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False)))
def test_finite_numbers_pass_unchanged(value: float) -> None:
    assert number(value) == float(value)
    assert isinstance(number(value), float)
