"""The rules that a user may choose: budgets, what the verifier gives away, and what a model sees again of itself."""

import json
import re
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes import Episode, begin_episode
from vehbench_hf.errors import UserError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import request_hash
from vehbench_hf.types import Message, Probe, Reply, Task
from vehbench_oracle import LIMITS, VARIABLES

fixed = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def begin(bank: Bank, probe: Probe, **rules: Any) -> tuple[Task, Episode]:
    task = next(task for task in bank.tasks if task.probe == probe)
    return task, begin_episode(task, Protocol(**rules))


def say(text: str = "", **body: Any) -> Reply:
    return Reply(text + json.dumps(body))


def corner(task: Task, side: str = "max", by: float = 1.0) -> dict[str, float]:
    return {name: task.spec["variable_bounds"][name][side] * by for name in VARIABLES}  # type: ignore[index, literal-required]


def system(episode: Episode) -> str:
    return episode.start()[0]["content"]


def propose(episode: Episode, design: dict[str, float], **reply: Any) -> list[Message]:
    messages = episode.receive(replace(say(action="propose_design", design=design), **reply))
    assert messages is not None
    return messages


@fixed
@given(queries=st.integers(1, 40))
def test_prompt_feedback_and_end_agree_on_another_p2_budget(queries: int, small_bank: Bank) -> None:
    task, episode = begin(small_bank, "p2", p2_queries=queries)
    said = re.search(r"You have (\d+) quer(y|ies);", system(episode))
    assert said is not None
    assert (int(said[1]), said[2]) == (queries, "y" if queries == 1 else "ies")
    assert f'"query_budget": {queries}' in episode.start()[1]["content"]
    for left in range(queries - 1, 0, -1):
        messages = propose(episode, corner(task))
        assert json.loads(messages[-1]["content"])["queries_left"] == left
    assert episode.receive(say(action="replan")) is None
    assert (len(episode.steps), episode.outcome) == (queries, "ok")


@pytest.mark.parametrize("probe", ["p1", "p3", "p4"])
def test_the_p2_budget_is_that_of_p2_alone(probe: Probe, small_bank: Bank) -> None:
    _, plain = begin(small_bank, probe)
    _, other = begin(small_bank, probe, p2_queries=1)
    assert other.start() == plain.start()


@pytest.mark.parametrize("probe", ["p2", "p3"])
def test_coarse_feedback_has_names_and_no_numbers(probe: Probe, small_bank: Bank) -> None:
    task, episode = begin(small_bank, probe, feedback="coarse")
    shown = json.loads(propose(episode, corner(task, by=1.5))[-1]["content"])
    assert set(shown) == {"step", "feasible", "violations", "queries_left"}
    assert shown["feasible"] is False
    assert set(shown["violations"]) > set(VARIABLES)
    assert set(shown["violations"]) <= {*VARIABLES, *LIMITS}


def test_coarse_feedback_on_a_feasible_design_says_just_that(small_bank: Bank) -> None:
    task, episode = begin(small_bank, "p3", feedback="coarse")
    reference = task.gold["reference"]
    assert reference is not None
    assert reference["design"] is not None
    shown = json.loads(propose(episode, reference["design"])[-1]["content"])
    assert shown == {"step": 5, "feasible": True, "queries_left": 3}


def test_a_coarse_history_gives_no_number_of_a_verdict(small_bank: Bank) -> None:
    task, episode = begin(small_bank, "p3", feedback="coarse")
    answers = [message["content"] for message in episode.start()[3::2]]
    assert len(answers) == len(task.spec["history"])
    for number, (text, step) in enumerate(zip(answers, task.spec["history"], strict=True), start=1):
        shown = json.loads(text.split("\n")[0])
        assert shown == {"step": number, "feasible": False, "violations": step["verdict"]["violations"]}


@pytest.mark.parametrize("feedback", ["full", "coarse"])
def test_the_verdict_on_record_does_not_depend_on_what_is_shown(feedback: str, small_bank: Bank) -> None:
    task, plain = begin(small_bank, "p2")
    _, other = begin(small_bank, "p2", feedback=feedback, p3_state="summary", replay_reasoning="all")
    for episode in (plain, other):
        propose(episode, corner(task, by=1.5), reasoning="thoughts")
    assert other.steps == plain.steps


def test_after_a_summary_steps_go_on_and_earlier_ones_can_be_taken_up(small_bank: Bank) -> None:
    task, episode = begin(small_bank, "p3", p3_state="summary")
    assert [message["role"] for message in episode.start()] == ["system", "user"]
    episode.receive(say(action="reset_to_prior", step=2))
    assert episode.steps[0].design == task.spec["history"][1]["design"]
    messages = propose(episode, corner(task))
    assert json.loads(messages[-1]["content"])["step"] == 6
    assert len(messages) == 6


def thoughts(messages: list[Message]) -> list[str | None]:
    """The reasoning shown with each assistant message."""
    return [message.get("reasoning") for message in messages if message["role"] == "assistant"]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("none", [None, None, None, None]),
        ("last", [None, None, None, None]),
        ("all", ["of the server", "in tags", "both", None]),
    ],
)
def test_reasoning_is_seen_again_as_the_policy_says(policy: str, expected: list[str | None], small_bank: Bank) -> None:
    task, episode = begin(small_bank, "p2", replay_reasoning=policy)
    bad = corner(task, by=1.5)
    text = json.dumps({"action": "propose_design", "design": bad})
    seen = []
    for reply in (
        Reply(text, reasoning="of the server"),
        Reply(f"<think>in tags</think>{text}"),
        Reply(f"<think>unused</think>{text}", reasoning="both"),
        Reply(text, reasoning=" \n"),
    ):
        messages = episode.receive(reply)
        assert messages is not None
        seen.append(thoughts(messages)[-1])
        assert all("<think>" not in message["content"] for message in messages)
    assert messages is not None
    assert thoughts(messages) == expected
    assert seen == ([None] * 4 if policy == "none" else ["of the server", "in tags", "both", None])


def test_only_the_last_turn_keeps_its_reasoning_and_a_retry_repeats_it(small_bank: Bank) -> None:
    task, episode = begin(small_bank, "p2", replay_reasoning="last")
    bad = corner(task, by=1.5)
    assert thoughts(propose(episode, bad, reasoning="one")) == ["one"]
    assert thoughts(propose(episode, bad, reasoning="two")) == [None, "two"]
    retried = episode.receive(Reply("?"))
    assert retried is not None
    assert thoughts(retried) == [None, "two"]


def test_a_handed_over_history_has_no_reasoning(small_bank: Bank) -> None:
    task, episode = begin(small_bank, "p3", replay_reasoning="all")
    assert thoughts(propose(episode, corner(task), reasoning="mine")) == [None] * 4 + ["mine"]


@pytest.mark.parametrize(("policy", "differs"), [("none", False), ("last", True), ("all", True)])
def test_the_request_hash_covers_replayed_reasoning(policy: str, differs: bool, small_bank: Bank) -> None:
    hashes = set()
    for reasoning in ("this way", "that way \ud800"):
        task, episode = begin(small_bank, "p2", replay_reasoning=policy)
        hashes.add(request_hash(propose(episode, corner(task, by=1.5), reasoning=reasoning)))
    assert (len(hashes) == 2) == differs


@pytest.mark.parametrize(
    "rules",
    [
        {"p2_queries": 0},
        {"p2_queries": True},
        {"p2_queries": 2.5},
        {"retries": -1},
        {"control": "other"},
        {"feedback": None},
        {"p3_state": ["summary"]},
        {"replay_reasoning": "x" * 10_000},
    ],
)
def test_a_rule_that_does_not_exist_is_refused_by_name(rules: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        Protocol(**rules)
    assert next(iter(rules)) in str(caught.value)
    assert len(str(caught.value)) < 200


def test_the_targeted_summary_is_one_protocol_however_it_is_said() -> None:
    said = Protocol(control="summary+targeted")
    assert said == Protocol(control="summary+targeted", p3_state="summary")
    assert said.p3_state == "summary"
    assert Protocol(**asdict(said)) == said
