"""P1: every statement about a brief is true, and nothing beside the physics says what the answer is."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from judged import judge_for
from tampered import audited
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.p1 import p1
from vehbench_builder.veh.p1.p1 import Unit, build_unit, units
from vehbench_builder.veh.p1.request import completed
from vehbench_hf.bank.schema import task_to_row
from vehbench_hf.prompts.render import opening
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Spec, Task
from vehbench_oracle import LIMITS, VARIABLES

pytestmark = pytest.mark.slow

ANCHORS = load_anchors()
PUBLISHED = units(ANCHORS, BuildSpec(), {})
PROPOSE, INFEASIBLE, REQUEST = "propose_design", "declare_infeasible", "request_missing_info"


@pytest.fixture(scope="module")
def built() -> list[tuple[Unit, Task]]:
    """For each kind of slot the first one of the dev split with all its briefs."""
    first = {(u.slot.plan.subtype, u.slot.plan.variant): u.slot for u in reversed(PUBLISHED) if u.split == "dev"}
    chosen = [u for u in PUBLISHED if first.get((u.slot.plan.subtype, u.slot.plan.variant)) == u.slot]
    assert len(chosen) >= len(first) > 8
    return [(unit, task) for unit in chosen for task in build_unit(unit)]


def tasks_of(built: list[tuple[Unit, Task]], subtype: str) -> list[Task]:
    found = [task for _, task in built if task.subtype == subtype]
    assert found
    return found


def least_slack(spec: Spec, design: dict[str, float]) -> float:
    verdict = judge_for(spec, design)
    assert verdict.feasible
    return min(verdict.slack[name] / (spec["constraints"][name] or 0.0) for name in LIMITS)


def completions(task: Task) -> list[Any]:
    return list(task.gold["completions"])  # type: ignore[typeddict-item]


def sentence_about(task: Task, *words: str) -> str:
    """The only sentence of the remarks that begins with one of some words."""
    said = " ".join(note["text"] for note in task.spec["notes"])
    (found,) = (one for one in re.split(r"(?<=\.) (?=[A-Z])", said) if one.startswith(words))
    return str(found)


def numbers_in(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def without(spec: Spec, path: tuple[str, str]) -> dict[str, Any]:
    part, name = path
    return {**spec, part: {k: v for k, v in spec[part].items() if k != name}}  # type: ignore[literal-required]


def test_a_preference_that_is_stated_is_granted(built: list[tuple[Unit, Task]]) -> None:
    names = {"load": "load_resistance_ohm", "tip mass": "tip_mass_g", "beam length": "beam_length_mm"}
    for task in tasks_of(built, "solvable_red_herring"):
        text = sentence_about(task, "A load close", "A tip mass of", "A beam length of")
        assert "not a requirement" in text
        (wished,) = numbers_in(text)
        (name,) = (variable for words, variable in names.items() if words in text)
        value = (task.gold["witness"] or {})[name]
        assert wished / 1.2 <= value <= wished * 1.2 if name == "load_resistance_ohm" else value <= wished


def test_twins_differ_in_the_target_or_the_frequency_alone(built: list[tuple[Unit, Task]]) -> None:
    pairs = defaultdict(dict)
    for unit, task in built:
        if unit.slot.plan.twin:
            pairs[unit.slot.key][unit.member] = task
    assert len(pairs) >= 4
    for pair in pairs.values():
        solvable, infeasible = pair[0], pair[1]
        assert (solvable.gold["action"], infeasible.gold["action"]) == (PROPOSE, INFEASIBLE)
        path = (
            ("constraints", "power_target_uw")
            if infeasible.subtype == "infeasible_margin"
            else ("excitation", "frequency_hz")
        )
        assert solvable.spec != infeasible.spec
        assert without(solvable.spec, path) == without(infeasible.spec, path)


def test_a_harmless_range_does_not_matter(built: list[tuple[Unit, Task]]) -> None:
    harmless = [(u, t) for u, t in built if u.slot.plan.variant.startswith("harmless")]
    assert {unit.slot.plan.variant.split("_")[1] for unit, _ in harmless} >= {
        *("frequency", "unit", "grade", "load", "damping")
    }
    for unit, task in harmless:
        assert task.gold["action"] == PROPOSE
        assert task.gold["missing_fields"] == []
        assert len(completions(task)) == (2 if unit.slot.plan.variant in ("harmless_unit", "harmless_grade") else 11)
        witness = task.gold["witness"] or {}
        for one in completions(task):
            assert least_slack(completed(task.spec, one["changes"]), one["witness"]) >= 0.01
            free = [n for n in VARIABLES if n != "load_resistance_ohm" or unit.slot.plan.variant != "harmless_load"]
            assert all(one["witness"][name] == witness[name] for name in free)


def test_words_and_completions_agree(built: list[tuple[Unit, Task]]) -> None:
    fields = {"frequency": "frequency_hz", "speed": "frequency_hz", "load": "load_resistance_ohm"}
    fields["damping"] = "damping_ratio"
    seen = set()
    for unit, task in built:
        kind = unit.slot.plan.variant.rsplit("_", 1)[-1]
        if kind not in fields or task.subtype != "missing_blocker_ambiguous":
            continue
        if fields[kind] == "frequency_hz":
            (text,) = (stated["text"] for stated in task.spec["excitation"]["stated"])
        else:
            text = sentence_about(task, "The load is", "The mechanical damping")
        low, high = numbers_in(text)
        values = [one["changes"][fields[kind]] * (60 if kind == "speed" else 1) for one in completions(task)]
        assert (min(values), max(values)) == (pytest.approx(low, rel=1e-12), pytest.approx(high, rel=1e-12))
        seen.add(kind)
    assert seen == set(fields)


def test_a_bare_acceleration_is_read_in_both_units(built: list[tuple[Unit, Task]]) -> None:
    for unit, task in built:
        if not unit.slot.plan.variant.endswith("_unit"):
            continue
        assert task.spec["excitation"]["acceleration_g"] is None
        (stated,) = task.spec["excitation"]["stated"]
        value = numbers_in(stated["text"])[0]
        in_g, in_si = (one["changes"]["acceleration_g"] for one in completions(task))
        assert in_g == value
        assert in_si == pytest.approx(value / 9.80665, rel=1e-12)


def test_a_brief_whose_grade_is_open_shows_both_grades_in_words(built: list[tuple[Unit, Task]]) -> None:
    graded = [task for unit, task in built if unit.slot.plan.variant.endswith("_grade")]
    assert {task.gold["action"] for task in graded} == {PROPOSE, REQUEST}
    for task in graded:
        assert task.spec["materials"]["piezo"] is None
        brief = json.loads(opening("p1", task.spec, Protocol())[1]["content"])
        assert "piezo" not in brief["materials"]
        assert "PZT-5A" in brief["notes"]["remarks"]
        assert "PZT-5H" in brief["notes"]["remarks"]
        assert {one["changes"]["piezo"] for one in completions(task)} == {"PZT-5A", "PZT-5H"}


def test_decisive_and_harmless_ranges_share_their_wording(built: list[tuple[Unit, Task]]) -> None:
    wording: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for unit, task in built:
        role, _, kind = unit.slot.plan.variant.partition("_")
        if role in ("decisive", "harmless"):
            texts = [stated["text"] for stated in task.spec["excitation"]["stated"]]
            if kind in ("grade", "load", "damping"):
                texts = [sentence_about(task, "The piezoelectric", "The load is", "The mechanical damping")]
            wording[kind][role] |= {re.sub(r"[\d.]+", "#", text) for text in texts}
    for kind in ("frequency", "unit", "grade", "load"):
        assert wording[kind]["decisive"] == wording[kind]["harmless"]
        assert len(wording[kind]["decisive"]) == 1


def test_building_again_gives_the_same_row(built: list[tuple[Unit, Task]]) -> None:
    unit, task = next((u, t) for u, t in built if u.slot.plan.twin == "infeasible_margin" and u.member)
    p1._rows.cache_clear()
    (again,) = build_unit(unit)
    assert task_to_row(again) == task_to_row(task)


def test_an_impossible_plan_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = next(u for u in PUBLISHED if u.slot.plan.subtype == "solvable_base")
    nowhere = replace(unit, slot=replace(unit.slot, key="nowhere"))
    monkeypatch.setattr(p1, "draw_context", lambda anchor, draw: None)
    with pytest.raises(BuildError, match=r"nowhere|solvable_base"):
        build_unit(nowhere)


def test_the_audit_finds_no_fault_in_built_briefs(built: list[tuple[Unit, Task]]) -> None:
    faults, checked = audited([task for _, task in built])
    assert faults == {}
    for name in ("propose_briefs_are_solvable", "infeasible_briefs_are_proven", "request_briefs_are_underdetermined"):
        assert checked[f"p1_{name}"] > 0
    assert checked["p1_bounds_hold"] > 5
