"""No reply, however absurd, makes a scorer raise, leave its range, or give a number that is none."""

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes import begin_episode
from vehbench_hf.protocol import Protocol
from vehbench_hf.scoring import p2, score
from vehbench_hf.types import PROBES, Reply
from vehbench_oracle import VARIABLES

EXTREME = st.sampled_from(
    [0.0, -0.0, 5e-324, 1e-320, 1e-300, 1e-9, 1.0, 1e5, 1e200, 1e308, 1.7e308, -1e308, -5e-324, 10**400]
)
NUMBER = EXTREME | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30)
DESIGN = st.fixed_dictionaries(dict.fromkeys(VARIABLES, NUMBER))
ACTION = st.sampled_from(
    ["propose_design", "replan", "reset_to_prior", "declare_infeasible", "request_missing_info", "rank", "no"]
)
ANSWER = st.fixed_dictionaries(
    {"action": ACTION}, optional={"design": DESIGN, "ranking": st.lists(st.sampled_from("ABCDEF")), "step": NUMBER}
)


def numbers(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, float):
        yield value


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    answers=st.lists(
        ANSWER | st.builds(lambda d: {"action": "propose_design", "design": d}, DESIGN), min_size=4, max_size=12
    ),
    pick=st.integers(0, 10**6),
)
@pytest.mark.parametrize("convention", ["defined", "released"])
@pytest.mark.parametrize("probe", PROBES)
def test_every_number_of_a_score_is_finite_or_null(bank_v2: Bank, probe, convention, answers, pick):
    tasks = bank_v2.select([probe])
    listed = [tasks[pick % len(tasks)], tasks[(pick * 7 + 1) % len(tasks)]]
    records = {}
    for task in listed:
        episode = begin_episode(task, Protocol(p2_stop="budget", p2_queries=9))
        for answer in answers * 9:
            if episode.outcome is None:
                episode.receive(Reply(text=json.dumps(answer)))
        if episode.outcome is not None:
            records[task.task_id] = [episode.record()]
    found = score(list({t.task_id: t for t in listed}.values()), records, convention=convention, bank="b")
    assert found["problems"] == []
    assert all(map(math.isfinite, numbers(found)))
    for name, value in found["probes"][probe]["parts"].items():
        if value is None:
            assert found["probes"][probe]["undefined"][name], name
        else:
            assert name in ("queries", "log_edit") or -1 <= value <= 1.05, name


@pytest.mark.parametrize("loads", [(1e5, 5e-324), (5e-324, 1e5), (1e200, 1e-300), (1e-320, 1e308)])
def test_the_size_of_an_edit_is_finite_for_any_two_designs(make, loads):
    task = make.task("p2")
    steps = [make.propose(make.verdict(1.0), load_resistance_ohm=load) for load in loads]
    found = score([task], {task.task_id: [make.record(task, *steps)]}, convention="defined", bank="b")
    assert 0 < found["probes"]["p2"]["parts"]["log_edit"] < 1e4


def test_a_record_that_cannot_be_scored_costs_its_own_score_alone(make, monkeypatch):
    tasks = [make.task("p2", f"t{i}") for i in range(3)]
    records = {task.task_id: [make.record(task, make.propose(make.verdict(1.0)))] for task in tasks}
    evaluated = p2.evaluated

    def fail(record):
        if record.task_id == "t1":
            raise OverflowError("too large")
        return evaluated(record)

    monkeypatch.setattr(p2, "evaluated", fail)
    found = score(tasks, records, convention="defined", bank="b")
    assert found["problems"] == ["t1: cannot be scored (OverflowError: too large)"]
    assert not found["complete"]
    assert (found["probes"]["p2"]["unscored"], found["probes"]["p2"]["parts_n"]["final_feasible"]) == (1, 2)
