"""The course of an episode: what ends it, what costs a query, what is asked again, and how it is classed."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judged import judge_for
from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes import Episode
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import OUTCOMES, PROBES, Probe, Reply, Task


def a_task(bank: Bank, probe: Probe) -> Task:
    return next(task for task in bank.tasks if task.probe == probe)


def begin(task: Task, **rules: object) -> Episode:
    return Episode(task.task_id, task.probe, task.spec, Protocol(**rules))  # type: ignore[arg-type]


def say(**body: object) -> Reply:
    return Reply(json.dumps(body))


def good_design(task: Task) -> dict[str, float]:
    reference = task.gold["reference"]
    assert reference is not None
    assert reference["design"] is not None
    return dict(reference["design"])


def bad_design(task: Task) -> dict[str, float]:
    """Inside the box and infeasible."""
    bounds = task.spec["variable_bounds"]
    for side in ("min", "max"):
        design = {name: bounds[name][side] for name in bounds}  # type: ignore[index,literal-required]
        if not judge_for(task.spec, design).feasible:
            return design
    raise AssertionError("both corners are feasible")


def test_p2_ends_at_the_first_feasible_design(small_bank: Bank) -> None:
    task = a_task(small_bank, "p2")
    episode = begin(task)
    assert episode.receive(say(action="propose_design", design=bad_design(task))) is not None
    assert episode.receive(say(action="propose_design", design=good_design(task))) is None
    assert episode.outcome == "ok"
    assert [step.verdict.feasible for step in episode.steps if step.verdict] == [False, True]


def test_p2_goes_on_to_the_budget_when_told(small_bank: Bank) -> None:
    task = a_task(small_bank, "p2")
    episode = begin(task, p2_stop="budget")
    for _ in range(task.spec["query_budget"] - 1):
        assert episode.receive(say(action="propose_design", design=good_design(task))) is not None
    assert episode.receive(say(action="propose_design", design=good_design(task))) is None


def test_a_replan_costs_a_query_and_a_retry_does_not(small_bank: Bank) -> None:
    task = a_task(small_bank, "p2")
    episode = begin(task)
    for turn in range(task.spec["query_budget"]):
        assert episode.position == (turn, 0)
        assert episode.receive(Reply("no JSON here")) is not None
        assert episode.position == (turn, 1)
        more = episode.receive(say(action="replan", reason="think"))
    assert more is None
    assert episode.outcome == "ok"
    assert [step.action for step in episode.steps] == ["replan"] * task.spec["query_budget"]


def test_p3_uses_all_live_queries_even_after_a_feasible_design(small_bank: Bank) -> None:
    task = a_task(small_bank, "p3")
    live = task.spec["query_budget"] - len(task.spec["history"])
    episode = begin(task)
    for left in range(live - 1, -1, -1):
        messages = episode.receive(say(action="propose_design", design=good_design(task)))
        assert (messages is None) == (left == 0)
        if messages is not None:
            assert json.loads(messages[-1]["content"])["queries_left"] == left
    assert len(episode.steps) == live


def test_a_reset_judges_the_design_of_that_step(small_bank: Bank) -> None:
    task = a_task(small_bank, "p3")
    episode = begin(task)
    episode.receive(say(action="reset_to_prior", step=2))
    assert episode.steps[0].design == task.spec["history"][1]["design"]
    assert episode.steps[0].verdict == judge_for(task.spec, task.spec["history"][1]["design"])
    episode.receive(say(action="propose_design", design=good_design(task)))
    number = len(task.spec["history"]) + 2
    episode.receive(say(action="reset_to_prior", step=number))
    assert episode.steps[2].design == good_design(task)


def test_a_reset_to_a_step_without_a_design_judges_nothing(small_bank: Bank) -> None:
    task = a_task(small_bank, "p3")
    episode = begin(task)
    episode.receive(say(action="replan"))
    episode.receive(say(action="reset_to_prior", step=len(task.spec["history"]) + 1))
    assert episode.steps[1].verdict is None


@pytest.mark.parametrize("action", ["declare_infeasible", "request_missing_info"])
def test_giving_up_ends_the_search_as_ok(action: str, small_bank: Bank) -> None:
    episode = begin(a_task(small_bank, "p2"))
    assert episode.receive(say(action=action)) is None
    assert episode.outcome == "ok"
    assert episode.steps[0].action == action


SEVERAL_AND_CUT = "".join(
    json.dumps({"action": action}) for action in ("declare_infeasible", "request_missing_info", "replan")
)


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize(
    ("reply", "outcome", "calls"),
    [
        (Reply("nothing of use"), "format_error", 3),
        (Reply(None), "format_error", 3),
        (Reply('{"action": "propose_des', finish_reason="length"), "truncated", 3),
        (Reply("<think>" + "x" * 50, finish_reason="length"), "truncated", 3),
        (Reply(SEVERAL_AND_CUT, finish_reason="length"), "truncated", 3),
        (Reply("I will not.", finish_reason="content_filter"), "refused", 1),
        (Reply(None, error="ConnectionError"), "infra_error", 1),
    ],
)
def test_a_failing_reply_ends_in_its_class(
    probe: Probe, reply: Reply, outcome: str, calls: int, small_bank: Bank
) -> None:
    episode = begin(a_task(small_bank, probe))
    asked = 1
    while episode.receive(reply) is not None:
        asked += 1
    assert (episode.outcome, asked) == (outcome, calls)
    assert episode.record().steps == ()


def test_the_class_is_that_of_the_last_failure(small_bank: Bank) -> None:
    episode = begin(a_task(small_bank, "p1"))
    episode.receive(Reply("?"))
    episode.receive(Reply("?"))
    episode.receive(Reply("{", finish_reason="length"))
    assert episode.outcome == "truncated"


def test_a_retry_names_the_fault_and_leaves_out_the_reply(small_bank: Bank) -> None:
    episode = begin(a_task(small_bank, "p1"))
    before = episode.start()
    after = episode.receive(Reply("SECRET-WORD " * 1000))
    assert after is not None
    assert after[:-1] == before[:-1]
    assert after[-1]["content"].startswith(before[-1]["content"])
    assert "SECRET-WORD" not in after[-1]["content"]
    assert episode.receive(say(action="propose_design")) is None


def test_reasoning_is_not_sent_back(small_bank: Bank) -> None:
    task = a_task(small_bank, "p2")
    episode = begin(task)
    reply = say(action="propose_design", design=bad_design(task))
    messages = episode.receive(replace(reply, text=f"<think>hidden</think>{reply.text}"))
    assert messages is not None
    assert messages[-2]["role"] == "assistant"
    assert "hidden" not in messages[-2]["content"]


@pytest.mark.parametrize(
    "change",
    [
        {"beam_length_mm": -30.0},
        {"beam_length_mm": 0.0},
        {"load_resistance_ohm": 1e308},
        {"substrate_thickness_um": 1e-300},
        {"tip_mass_g": -1e-9},
    ],
)
def test_a_design_without_physics_is_infeasible_and_costs_a_query(change: dict[str, float], small_bank: Bank) -> None:
    task = a_task(small_bank, "p2")
    episode = begin(task)
    messages = episode.receive(say(action="propose_design", design=good_design(task) | change))
    assert messages is not None
    verdict = episode.steps[0].verdict
    assert verdict is not None
    assert not verdict.feasible
    assert {v.name for v in verdict.violations} >= set(change)
    assert json.loads(messages[-1]["content"])["feasible"] is False


def test_a_design_outside_the_box_is_judged_where_it_lies(small_bank: Bank) -> None:
    task = a_task(small_bank, "p2")
    box = task.spec["variable_bounds"]["load_resistance_ohm"]
    assert box is not None
    episode = begin(task)
    design = good_design(task) | {"load_resistance_ohm": box["max"] * 1.001}
    episode.receive(say(action="propose_design", design=design))
    step = episode.steps[0]
    assert step.design == design
    assert step.verdict is not None
    assert not step.verdict.feasible
    assert "load_resistance_ohm" in [v.name for v in step.verdict.violations]
    assert step.verdict.metrics["load_power_uw"] > 0


def test_an_episode_takes_no_reply_after_its_end(small_bank: Bank) -> None:
    episode = begin(a_task(small_bank, "p1"))
    episode.receive(say(action="propose_design"))
    with pytest.raises(RuntimeError, match="over"):
        episode.receive(say(action="propose_design"))


def test_a_running_episode_has_no_record(small_bank: Bank) -> None:
    with pytest.raises(RuntimeError, match="not over"):
        begin(a_task(small_bank, "p2")).record()


replies = st.one_of(
    st.text(max_size=80),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=10),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
        max_leaves=8,
    ).map(json.dumps),
    st.sampled_from(["propose_design", "replan", "reset_to_prior", "declare_infeasible", "rank"]).map(
        lambda action: json.dumps({"action": action, "step": 1, "design": {}, "ranking": ["A"]})
    ),
)


@pytest.mark.parametrize("probe", PROBES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_model_says_ends_in_one_class_and_no_pass(
    probe: Probe, data: st.DataObject, small_bank: Bank
) -> None:
    episode = begin(a_task(small_bank, probe))
    for _ in range(40):
        if (
            episode.receive(
                Reply(data.draw(replies), finish_reason=data.draw(st.sampled_from(["stop", "length", None])))
            )
            is None
        ):
            break
    assert episode.outcome in OUTCOMES
    for step in episode.steps:
        assert step.verdict is None or step.action == "reset_to_prior" or not step.verdict.feasible


def test_a_reply_that_ends_within_its_reasoning_is_told_so(small_bank: Bank) -> None:
    episode = begin(a_task(small_bank, "p2"))
    messages = episode.receive(Reply("<think>First I would try a longer beam"))
    assert messages is not None
    assert "the reply ends within its reasoning; expected one JSON object after it" in messages[-1]["content"]


def test_the_reasoning_of_a_reply_is_split_off_once(small_bank: Bank) -> None:
    task = a_task(small_bank, "p2")
    episode = begin(task, replay_reasoning="last")
    proposal = json.dumps({"action": "propose_design", "design": bad_design(task)})
    messages = episode.receive(Reply(f"<think>longer</think>{proposal}"))
    assert messages is not None
    assert messages[-2] == {"role": "assistant", "content": proposal, "reasoning": "longer"}
