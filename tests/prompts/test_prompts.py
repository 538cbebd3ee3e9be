"""Prompts change only on purpose, show the whole brief, and hold nothing of the gold."""

import json
import os
from pathlib import Path

import pytest

from shown_text import gold_words, transcript
from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes import Episode
from vehbench_hf.prompts import opening
from vehbench_hf.prompts.feedback import feedback_text
from vehbench_hf.prompts.render import brief
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import PROBES, Probe, Reply, Task
from vehbench_oracle import LIMITS, METRICS, VARIABLES

SNAPSHOTS = Path(__file__).parent / "snapshots"


def as_text(task: Task, protocol: Protocol | None = None) -> str:
    return transcript(opening(task.probe, task.spec, protocol or Protocol()))


@pytest.mark.parametrize("probe", PROBES)
def test_prompt_text_is_the_one_on_record(probe: Probe, small_bank: Bank) -> None:
    """Set VEHBENCH_UPDATE_SNAPSHOTS=1 to accept a change, and raise PROMPTS_VERSION with it."""
    text = as_text(next(task for task in small_bank.tasks if task.probe == probe))
    file = SNAPSHOTS / f"{probe}.txt"
    if os.environ.get("VEHBENCH_UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_feedback_text_is_the_one_on_record(small_bank: Bank) -> None:
    task = next(task for task in small_bank.tasks if task.probe == "p2")
    episode = Episode(task.task_id, task.probe, task.spec, Protocol())
    bounds = task.spec["variable_bounds"]
    corner = {name: bounds[name]["max"] for name in VARIABLES}  # type: ignore[index]
    messages = episode.receive(Reply(json.dumps({"action": "propose_design", "design": corner})))
    assert messages is not None
    retried = episode.receive(Reply("{}"))
    assert retried is not None
    text = transcript([*messages[-2:], retried[-1]])
    file = SNAPSHOTS / "feedback.txt"
    if os.environ.get("VEHBENCH_UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_every_prompt_names_all_quantities_with_units(small_bank: Bank) -> None:
    for task in small_bank.tasks:
        system = opening(task.probe, task.spec, Protocol())[0]["content"]
        for name in [*VARIABLES, *METRICS, *LIMITS]:
            assert name in system


def test_the_brief_shows_each_number_the_spec_holds(small_bank: Bank) -> None:
    for task in small_bank.tasks:
        shown = brief(task.probe, task.spec, task.problem)
        for name, box in task.spec["variable_bounds"].items():
            assert (box is None) == (name not in shown["variable_bounds"])
        for name, limit in task.spec["constraints"].items():
            assert shown["constraints"].get(name) == limit
        for name in ("frequency_hz", "acceleration_g"):
            assert shown["excitation"].get(name) == task.spec["excitation"][name]  # type: ignore[literal-required]


@pytest.mark.parametrize("name", ["small_bank", "bank_v1"])
def test_no_gold_value_reaches_a_message(name: str, request: pytest.FixtureRequest) -> None:
    bank: Bank = request.getfixturevalue(name)
    checked = 0
    for task in bank.tasks:
        text = as_text(task)
        for word in gold_words(task):
            assert word not in text, (task.task_id, word)
            checked += 1
    assert checked > 2 * len(bank.tasks)


def test_recomputed_history_shows_other_slacks_on_v1(bank_v1: Bank) -> None:
    differing = 0
    for task in bank_v1.select(["p3"]):
        stored = Episode(task.task_id, task.probe, task.spec, Protocol()).start()
        fresh = Episode(task.task_id, task.probe, task.spec, Protocol(p3_history="recomputed")).start()
        assert [m["role"] for m in stored] == [m["role"] for m in fresh]
        differing += stored != fresh
    assert differing == 156


def test_feedback_has_value_limit_and_unit_of_each_violation(small_bank: Bank) -> None:
    from judged import judge_for

    task = next(task for task in small_bank.tasks if task.probe == "p2")
    bounds = task.spec["variable_bounds"]
    verdict = judge_for(task.spec, {name: bounds[name]["max"] * 1.5 for name in VARIABLES})  # type: ignore[index]
    shown = json.loads(feedback_text(3, verdict, 2))
    assert shown["feasible"] is False
    assert len(shown["violations"]) == len(verdict.violations) > 0
    assert all(set(v) == {"name", "value", "limit", "unit"} for v in shown["violations"])
    assert shown["message"].startswith("Not feasible")
