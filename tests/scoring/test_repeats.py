import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.scoring import Row, score
from vehbench_hf.scoring.repeats import repeats
from vehbench_hf.scoring.values import row_mean


def scored(tasks, records, **options):
    return score(tasks, records, convention="defined", bank="b", **options)


def searches(make, tries):
    """P2 tasks; each try is the power of a design, None for an infeasible one."""
    gold = {"reference": {"design": None, "power_uw": 10.0, "power_uw_older": None, "upper_bound_uw": None}}
    tasks, records = [], {}
    for number, powers in enumerate(tries):
        task = make.task("p2", f"t{number}", gold=gold)
        tasks.append(task)
        verdicts = [make.verdict(5.0, freq=-1.0) if power is None else make.verdict(power) for power in powers]
        records[task.task_id] = [
            make.record(task, make.propose(verdict), epoch=epoch) for epoch, verdict in enumerate(verdicts)
        ]
    return tasks, records


def test_one_repeat_has_a_pass_rate_and_no_spread(make):
    found = scored(*searches(make, [[5.0], [None], [10.0]]))["probes"]["p2"]["repeats"]
    assert (found["epochs"], found["values"], found["interval"]) == (1, [0.5], None)
    assert found["mean"] == 0.5
    assert "one repeat" in found["undefined"]
    assert found["pass"] == {"k": 1, "value": pytest.approx(2 / 3), "n": 3, "undefined": None}


def test_repeats_stay_apart_and_a_lucky_try_is_no_pass(make):
    tasks, records = searches(make, [[5.0, 5.0], [None, 10.0], [None, None]])
    found = scored(tasks, records, epochs=2)["probes"]["p2"]
    assert found["repeats"]["values"] == pytest.approx([0.5 / 3, 1.5 / 3])
    assert found["repeats"]["mean"] == pytest.approx(found["headline"]["value"])
    low, high = found["repeats"]["interval"]
    assert low < found["repeats"]["values"][0] < found["repeats"]["values"][1] < high
    assert found["repeats"]["pass"] == {"k": 2, "value": pytest.approx(1 / 3), "n": 3, "undefined": None}


def test_a_task_that_lost_a_repeat_is_neither_passed_nor_failed(make):
    tasks, records = searches(make, [[5.0, 5.0], [5.0, 5.0]])
    records["t1"][1] = make.record(tasks[1], outcome="infra_error", epoch=1)
    found = scored(tasks, records, epochs=2)["probes"]["p2"]["repeats"]["pass"]
    assert (found["value"], found["n"]) == (1.0, 1)
    del records["t0"]
    gone = scored(tasks, records, epochs=2)["probes"]["p2"]["repeats"]["pass"]
    assert (gone["value"], gone["n"]) == (None, 0)
    assert "2 scored repeats" in gone["undefined"]


def test_a_repeat_without_any_row_is_undefined(make):
    tasks, records = searches(make, [[5.0], [5.0]])
    found = scored(tasks, records, epochs=2)["probes"]["p2"]["repeats"]
    assert (found["values"], found["mean"], found["interval"]) == ([None, None], None, None)
    assert "2 scored repeats" in found["undefined"]


def test_repeats_differ_by_noise_and_not_by_their_tasks(make):
    """A model without noise, of which one repeat of the task it fails was lost."""
    tasks, records = searches(make, [[10.0, 10.0], [None, None]])
    records["t1"][1] = make.record(tasks[1], outcome="infra_error", epoch=1)
    found = scored(tasks, records, epochs=2)["probes"]["p2"]["repeats"]
    assert (found["n"], found["values"], found["interval"]) == (1, [1.0, 1.0], [1.0, 1.0])


def test_probes_that_are_no_success_have_no_pass_rate(make):
    task = make.pool()
    found = scored([task], {task.task_id: [make.rank(task, "abcde")]})
    assert "pass" not in found["probes"]["p4"]["repeats"]


@given(tries=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=6))
def test_more_repeats_are_never_passed_more_often(make, tries):
    """pass^3 of tasks is at most their rate, and exactly it when every task is all right or all wrong."""
    tasks = [make.task("p3", f"t{i}") for i in range(len(tries))]
    rows = [
        Row(task, make.record(task, epoch=e))
        for task, listed in zip(tasks, tries, strict=True)
        for e in range(3)
        if listed
    ]
    column = row_mean(happened for listed in tries for happened in listed)
    rate, passed = column.average("").value, repeats(rows, column.mean, 3, column)["pass"]["value"]
    assert passed <= rate
    if all(len(set(listed)) == 1 for listed in tries):
        assert passed == pytest.approx(rate)
