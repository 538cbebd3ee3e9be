"""P1: every statement about a brief is true, and nothing beside the physics says what the answer is."""

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
from vehbench_hf.types import Spec, Task
from vehbench_oracle import LIMITS

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
