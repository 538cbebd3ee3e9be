"""An optimizer keeps to the rules of P2: its budget, its stop, and the same queries after a kill at any moment."""

import asyncio
import json
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from small_bank import small_tasks
from vehbench_hf.episodes import Episode
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Record, Task
from vehbench_runners.baselines.answers import baseline_speaker
from vehbench_runners.baselines.searches import SEARCHES

TASKS = [task for task in small_tasks() if task.probe == "p2"]
Stop = Literal["feasible", "budget"]
some_search = st.sampled_from(sorted(SEARCHES))


def drive(
    task: Task, name: str, protocol: Protocol, *, epoch: int = 0, kill_before: int | None = None
) -> tuple[Record, list[str]]:
    """The episode of a baseline; before turn `kill_before` another speaker, which has seen nothing, goes on."""
    episode = Episode(task.task_id, task.probe, task.spec, protocol, epoch)
    speaker, messages, said = baseline_speaker(name, task, 0), episode.start(), []
    while messages is not None:
        if len(said) == kill_before:
            speaker = baseline_speaker(name, task, 0)
        reply = asyncio.run(speaker(messages, (epoch, *episode.position)))  # type: ignore[arg-type]
        said.append(reply.text or "")
        messages = episode.receive(reply)
    return episode.record(), said


def powers(record: Record) -> list[float]:
    """Power of each step in uW, 0 where infeasible."""
    verdicts = [step.verdict for step in record.steps]
    return [v.objective or 0.0 if v is not None and v.feasible else 0.0 for v in verdicts]


@given(some_search, st.sampled_from(TASKS), st.integers(1, 30), st.sampled_from(["full", "coarse"]))
@settings(max_examples=12)
def test_to_the_budget_each_query_is_spent_and_the_last_one_is_the_best(
    name: str, task: Task, budget: int, feedback: Literal["full", "coarse"]
) -> None:
    record, _ = drive(task, name, Protocol(p2_stop="budget", p2_queries=budget, feedback=feedback))
    assert record.outcome == "ok"
    assert [step.action for step in record.steps] == ["propose_design"] * budget
    found = powers(record)
    assert found[-1] == max(found)


@given(some_search, st.sampled_from(TASKS), st.integers(1, 30))
@settings(max_examples=12)
def test_the_search_stops_at_the_first_feasible_design(name: str, task: Task, budget: int) -> None:
    found = powers(drive(task, name, Protocol(p2_queries=budget))[0])
    spent = powers(drive(task, name, Protocol(p2_stop="budget", p2_queries=budget))[0])
    first = next((i for i, power in enumerate(spent) if power > 0), budget - 1)
    assert found == spent[: first + 1]


@given(
    some_search, st.sampled_from(TASKS), st.integers(0, 19), st.integers(0, 2), st.sampled_from(["feasible", "budget"])
)
@settings(max_examples=12)
def test_a_search_taken_up_again_is_the_search_uninterrupted(
    name: str, task: Task, kill_before: int, epoch: int, stop: Stop
) -> None:
    protocol = Protocol(p2_stop=stop, p2_queries=20)
    whole = drive(task, name, protocol, epoch=epoch)[1]
    assert drive(task, name, protocol, epoch=epoch, kill_before=kill_before)[1] == whole


@pytest.mark.parametrize("name", SEARCHES)
def test_outside_p2_an_optimizer_proposes(name: str) -> None:
    others = [task for task in small_tasks() if task.probe != "p2"]
    assert {task.probe for task in others} == {"p1", "p3", "p4"}
    for task in others:
        assert drive(task, name, Protocol())[1] == drive(task, "propose", Protocol())[1]


@pytest.mark.parametrize("name", SEARCHES)
def test_a_design_is_judged_as_the_optimizer_saw_it(name: str) -> None:
    """No digit is lost on the way through text: the episode's design is the one in the reply, unrepaired."""
    record, said = drive(TASKS[0], name, Protocol(p2_stop="budget"))
    assert [json.loads(text)["design"] for text in said] == [step.design for step in record.steps]
    assert not any(step.repairs for step in record.steps)
