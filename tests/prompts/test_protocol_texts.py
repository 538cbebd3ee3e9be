"""Every protocol shows what it says and no more: its texts are on record, and no gold value comes in by it."""

import itertools
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from shown_text import gold_words, transcript
from vehbench_hf.bank.bank import Bank
from vehbench_hf.domains import DOMAINS
from vehbench_hf.episodes import begin_episode
from vehbench_hf.parsing.reasons import reasons
from vehbench_hf.prompts import opening, prompts_fingerprint
from vehbench_hf.prompts.controls import control_block
from vehbench_hf.prompts.state_summary import state_summary
from vehbench_hf.protocol import Control, Protocol
from vehbench_hf.types import PROBES, HistoryStep, Probe, Reply, Task
from vehbench_oracle.veh.problem import VehProblem

PROBLEM = VehProblem({}, {}, 60.0, 0.5)

HERE = Path(__file__).parent
CONTROLS: tuple[Control, ...] = get_args(Control)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
ON_RECORD: dict[str, tuple[Probe, dict[str, Any]]] = {
    "p2_coarse": ("p2", {"feedback": "coarse", "p2_queries": 1}),
    "p3_coarse": ("p3", {"feedback": "coarse"}),
    "p3_summary": ("p3", {"p3_state": "summary"}),
    "p3_summary_coarse": ("p3", {"p3_state": "summary", "feedback": "coarse"}),
}


def on_record(name: str, text: str) -> str:
    """The stored text of a snapshot; VEHBENCH_UPDATE_SNAPSHOTS=1 stores the new one."""
    file = HERE / "snapshots" / f"{name}.txt"
    if os.environ.get("VEHBENCH_UPDATE_SNAPSHOTS"):
        file.write_text(text, encoding="utf-8")
    return file.read_text(encoding="utf-8")


def first(bank: Bank, probe: Probe) -> Task:
    return next(task for task in bank.tasks if task.probe == probe)


RULES: dict[Probe, dict[str, tuple[Any, ...]]] = {
    "p1": {},
    "p2": {"p2_stop": ("feasible", "budget"), "p2_queries": (None, 3), "feedback": ("full", "coarse")},
    "p3": {"p3_history": ("stored", "recomputed"), "p3_state": ("raw", "summary"), "feedback": ("full", "coarse")},
    "p4": {},
}
"""The rules beside the control that touch what a model reads in a probe."""


def protocols(probe: Probe) -> list[Protocol]:
    """Every combination of the rules that concern a probe."""
    rules = {**RULES[probe], "control": CONTROLS}
    return [Protocol(**dict(zip(rules, values, strict=True))) for values in itertools.product(*rules.values())]


def a_turn(task: Task) -> Reply:
    """A reply that proposes a corner of the box, or nothing where a brief has none."""
    bounds = task.spec["variable_bounds"].items()
    corner = {name: box["max"] for name, box in bounds if box is not None}
    return Reply(json.dumps({"action": "propose_design", "design": corner}))


@pytest.mark.parametrize("name", ON_RECORD)
def test_protocol_text_is_the_one_on_record(name: str, small_bank: Bank) -> None:
    probe, rules = ON_RECORD[name]
    text = transcript(opening(probe, first(small_bank, probe).spec, Protocol(**rules)))
    assert text == on_record(name, text)


@pytest.mark.parametrize("control", [control for control in CONTROLS if control != "none"])
def test_control_text_is_the_one_on_record(control: Control) -> None:
    text = "".join(f"[{probe}]\n{control_block(probe, control, 6)}" for probe in PROBES)
    assert text == on_record(f"control_{control}", text)


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("probe", PROBES)
def test_a_control_changes_nothing_but_what_stands_before_the_prompt(
    probe: Probe, control: Control, small_bank: Bank
) -> None:
    spec = first(small_bank, probe).spec
    state = "summary" if control == "summary+targeted" else "raw"
    plain = opening(probe, spec, Protocol(p3_state=state))  # type: ignore[arg-type]
    controlled = opening(probe, spec, Protocol(control=control))
    assert controlled[1:] == plain[1:]
    assert controlled[0]["content"] == control_block(probe, control, 6) + plain[0]["content"]


def test_each_probe_has_its_own_targeted_block_and_another_ones_as_the_wrong_one() -> None:
    targeted = {probe: control_block(probe, "targeted", 6) for probe in PROBES}
    assert len(set(targeted.values())) == 4
    for probe in PROBES:
        wrong = control_block(probe, "wrong-boundary", 6)
        assert wrong in targeted.values()
        assert wrong != targeted[probe]
    assert len({control_block(probe, "neutral", 6) for probe in PROBES}) == 1
    assert [bool(control_block(probe, "summary+targeted", 6)) for probe in PROBES] == [False, False, True, False]


@pytest.mark.parametrize("probe", ["p1", "p4"])
def test_rules_of_other_probes_leave_a_prompt_as_it_is(probe: Probe, small_bank: Bank) -> None:
    spec = first(small_bank, probe).spec
    other = Protocol(p2_stop="budget", p2_queries=9, p3_state="summary", feedback="coarse", replay_reasoning="all")
    assert opening(probe, spec, other) == opening(probe, spec, Protocol())


@pytest.mark.parametrize("name", ["small_bank", "bank_v1"])
def test_no_gold_value_reaches_a_message_under_any_protocol(name: str, request: pytest.FixtureRequest) -> None:
    bank: Bank = request.getfixturevalue(name)
    checked = set()
    for task in bank.tasks if name == "small_bank" else bank.tasks[::10]:
        words = sorted(gold_words(task))
        for protocol in protocols(task.probe):
            episode = begin_episode(task, protocol)
            text = transcript(episode.start())
            if task.probe in ("p2", "p3"):
                text += transcript(episode.receive(a_turn(task)) or [])
            assert not [word for word in words if word in text], (task.task_id, protocol)
            checked.add((task.probe, protocol))
    assert len(checked) == sum(len(set(protocols(probe))) for probe in PROBES) == 5 + 40 + 36 + 5


def numbers(text: str) -> set[float]:
    return {float(number) for number in NUMBER.findall(text)}


@pytest.mark.parametrize("feedback", ["full", "coarse"])
@pytest.mark.parametrize("name", ["bank_v2", "bank_v1"])
def test_a_summary_holds_only_numbers_that_the_raw_history_shows(
    name: str, feedback: Any, request: pytest.FixtureRequest
) -> None:
    bank: Bank = request.getfixturevalue(name)
    for task in bank.select(["p3"]):
        raw = transcript(opening("p3", task.spec, Protocol(feedback=feedback))[1:])
        messages = opening("p3", task.spec, Protocol(feedback=feedback, p3_state="summary"))
        assert [message["role"] for message in messages] == ["system", "user"]
        assert numbers(messages[1]["content"]) <= numbers(raw) | set(range(1, len(task.spec["history"]) + 2))
        for step in task.spec["history"]:
            assert not step["note"] or step["note"] not in messages[1]["content"]


def step(power: float, *violations: str, length: float = 1.0) -> HistoryStep:
    return {
        "design": {"beam_length_mm": length},
        "note": "a claim",
        "verdict": {
            "feasible": not violations,
            "power_uw": power,
            "slack": {name: -0.5 if name in violations else 0.5 for name in ("stress_limit_mpa", "disp_limit_mm")},
            "violations": list(violations),
            "metrics": None,
        },
    }


def test_a_summary_gives_the_strongest_feasible_design_and_what_is_newly_broken() -> None:
    history = [step(5.0, length=1), step(7.0, length=2), step(6.0, length=3), step(9.0, "disp_limit_mm", length=4)]
    found = state_summary(history, PROBLEM, coarse=False)
    assert found["best_feasible"] == {"step": 2, "design": {"beam_length_mm": 2}, "load_power_uw": 7.0}
    assert found["latest"]["design"] == {"beam_length_mm": 4}
    assert found["last_steps"] == {
        "steps": [2, 3, 4],
        "load_power_uw": [7.0, 6.0, 9.0],
        "slack to disp_limit_mm": [0.5, 0.5, -0.5],
    }
    assert found["new_violations_in_latest"] == ["disp_limit_mm"]


def test_a_coarse_summary_knows_no_power_and_gives_the_latest_feasible_design() -> None:
    history = [step(7.0, length=1), step(5.0, length=2), step(9.0, "stress_limit_mpa"), step(1.0, "stress_limit_mpa")]
    found = state_summary(history, PROBLEM, coarse=True)
    assert found["latest_feasible"] == {"step": 2, "design": {"beam_length_mm": 2}}
    assert found["new_violations_in_latest"] == []
    assert "power" not in json.dumps(found)
    assert "slack" not in json.dumps(found)


def test_a_summary_says_so_where_no_step_was_feasible() -> None:
    found = state_summary([step(1.0, "disp_limit_mm")], PROBLEM, coarse=False)
    assert found["best_feasible"] == "none so far"
    assert found["new_violations_in_latest"] == ["disp_limit_mm"]


@pytest.mark.parametrize("file", ["control_neutral", "control_p1", "p3_summary", "coarse", "isomorphic", "p3_answers"])
def test_the_fingerprint_sees_every_template(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from vehbench_hf.prompts import prompt_texts, templates

    before = prompts_fingerprint()
    changed = {**prompt_texts(), f"{file}.md.j2": prompt_texts()[f"{file}.md.j2"] + "one more word"}
    with monkeypatch.context() as patch:
        patch.setattr(templates, "_templates", lambda: changed)
        templates._environment.cache_clear()
        assert prompts_fingerprint.__wrapped__() != before
    templates._environment.cache_clear()
    assert prompts_fingerprint.__wrapped__() == before


def test_the_fingerprint_sees_the_device_text_and_each_reason_of_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    from vehbench_hf.prompts import fingerprint

    before, device = prompts_fingerprint(), DOMAINS["veh"].device
    with monkeypatch.context() as patch:
        patch.setitem(DOMAINS, "veh", replace(DOMAINS["veh"], device=device + "one more word"))
        assert prompts_fingerprint.__wrapped__() != before
    said = reasons(PROBLEM.variables)
    assert len(said) > 30
    for number in range(len(said)):
        with monkeypatch.context() as patch:
            patch.setattr(fingerprint, "reasons", lambda _, n=number: [*said[:n], said[n] + "!", *said[n + 1 :]])
            assert prompts_fingerprint.__wrapped__() != before


def test_the_fingerprint_sees_coarse_feedback_and_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    from vehbench_hf.prompts import feedback, render

    before = prompts_fingerprint()
    with monkeypatch.context() as patch:
        patch.setattr(feedback, "_coarse", lambda step, feasible, violated: {"step": step})
        assert prompts_fingerprint.__wrapped__() != before
    with monkeypatch.context() as patch:
        patch.setattr(render, "state_summary", lambda history, problem, coarse: {"nothing": {}})
        assert prompts_fingerprint.__wrapped__() != before
    assert prompts_fingerprint.__wrapped__() == before
