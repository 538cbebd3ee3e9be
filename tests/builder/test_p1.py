"""P1: every statement about a brief is true, and nothing beside the physics says what the answer is."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.p1 import p1
from vehbench_builder.veh.p1.complete_briefs import GAPS, MARGINS, TARGET_SHARES
from vehbench_builder.veh.p1.completions import completed
from vehbench_builder.veh.p1.p1 import Unit, build_unit, units
from vehbench_builder.veh.p1.resonance import narrow_resonance_range_hz
from vehbench_hf.bank.schema import task_to_row
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.prompts.render import opening
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Spec, Task
from vehbench_oracle import DECLARED_DOMAIN, LIMITS, VARIABLES
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.proof.verify import verify_certificate

pytestmark = pytest.mark.slow

ANCHORS = load_anchors()
PUBLISHED = units(ANCHORS, BuildSpec(), {})
PROPOSE, INFEASIBLE, REQUEST = "propose_design", "declare_infeasible", "request_missing_info"


@pytest.fixture(scope="module")
def built() -> list[tuple[Unit, Task]]:
    """For each kind of slot the first one of the dev split with all its briefs."""
    first = {(u.slot.plan.subtype, u.slot.plan.variant): u.slot for u in reversed(PUBLISHED) if u.split == "dev"}
    chosen = [u for u in PUBLISHED if first.get((u.slot.plan.subtype, u.slot.plan.variant)) == u.slot]
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


def test_a_witness_holds_and_keeps_what_is_said(built: list[tuple[Unit, Task]]) -> None:
    for subtype, least in (
        ("solvable_base", 0.05),
        ("missing_nonblocker", 0.05),
        ("solvable_boundary", 0.02),
        ("solvable_red_herring", 0.02),
    ):
        for task in tasks_of(built, subtype):
            assert task.gold["action"] == PROPOSE
            assert task.gold["witness"] is not None
            assert least_slack(task.spec, task.gold["witness"]) >= least


def test_a_target_is_far_enough_from_the_optimum_to_be_judged(built: list[tuple[Unit, Task]]) -> None:
    for subtype in ("solvable_base", "missing_nonblocker", "solvable_boundary"):
        lowest, highest = TARGET_SHARES[subtype]
        for task in tasks_of(built, subtype):
            reference = task.gold["reference"]
            assert reference is not None
            share = (task.spec["constraints"]["power_target_uw"] or 0.0) / (reference["power_uw"] or 0.0)
            assert lowest - 1e-5 <= share <= highest + 1e-5


def test_a_reference_is_proven_and_within_its_bound(built: list[tuple[Unit, Task]]) -> None:
    checked = 0
    for _, task in built:
        reference, certificate = task.gold["reference"], task.gold["certificate"]
        if reference is None:
            continue
        assert certificate is not None
        assert reference["design"] is not None
        power, bound = reference["power_uw"] or 0.0, reference["upper_bound_uw"] or 0.0
        without_target: Spec = {**task.spec, "constraints": {**task.spec["constraints"], "power_target_uw": 0.0}}
        verdict = judge_for(without_target, reference["design"])
        assert verdict.feasible
        assert verdict.objective == pytest.approx(power, rel=1e-12)
        assert power < bound <= 1.05 * power * (1 + 1e-12)
        verify_certificate(problem_of_brief(task.spec), bound, certificate)
        checked += 1
    assert checked > 5


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


def test_a_target_beyond_reach_is_proven_to_be_so(built: list[tuple[Unit, Task]]) -> None:
    for unit, task in built:
        if task.subtype != "infeasible_margin":
            continue
        reference, target = task.gold["reference"], task.spec["constraints"]["power_target_uw"] or 0.0
        assert reference is not None
        lowest, highest = MARGINS[unit.slot.plan.variant]
        above = target / (reference["upper_bound_uw"] or 0.0) - 1
        assert lowest - 1e-5 <= above <= highest + 1e-5
        verify_certificate(problem_of_brief(task.spec), target / (1 + lowest), task.gold["certificate"] or "")


def test_a_frequency_beyond_reach_is_proven_to_be_so(built: list[tuple[Unit, Task]]) -> None:
    for unit, task in built:
        if task.subtype != "infeasible_structural":
            continue
        target, frequency = task.spec["constraints"]["power_target_uw"], task.spec["excitation"]["frequency_hz"]
        assert target is not None
        assert frequency is not None
        verify_certificate(problem_of_brief(task.spec), target, task.gold["certificate"] or "")
        reach = narrow_resonance_range_hz(task.spec)
        gap = max(frequency / reach.high, reach.low / frequency)
        lowest, highest = GAPS[unit.slot.plan.variant]
        assert lowest - 1e-5 <= gap <= highest + 1e-5
        limit = (task.spec["constraints"]["freq_error_pct_limit"] or 0.0) / 100
        assert frequency * (1 - limit) >= 1.05 * reach.high or frequency * (1 + limit) * 1.05 <= reach.low


def test_a_request_is_underdetermined(built: list[tuple[Unit, Task]]) -> None:
    asked = [(unit, task) for unit, task in built if task.gold["action"] == REQUEST]
    assert len(asked) >= 9
    for _, task in asked:
        assert {one["feasible"] for one in completions(task)} == {True, False}
        target = task.spec["constraints"]["power_target_uw"]
        assert target is not None
        for one in completions(task):
            full = completed(task.spec, one["changes"])
            if one["feasible"]:
                assert least_slack(full, one["witness"]) >= 0.01
            else:
                # A target lower by 5 % would be out of reach as well.
                verify_certificate(problem_of_brief(full), target / 1.05 * (1 + 1e-12), one["certificate"])
        (field,) = task.gold["missing_fields"]
        shown = {**task.spec["variable_bounds"], **task.spec["excitation"], **task.spec["materials"]}
        assert shown[field] is None
        yes = next(one for one in completions(task) if one["feasible"])
        no = next(one for one in completions(task) if not one["feasible"])
        assert yes["changes"][field] != no["changes"][field]
        assert all(yes["changes"][n] == no["changes"][n] for n in yes["changes"] if n not in (field, "damping_ratio"))


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


def test_a_brief_stays_in_the_domain_and_says_what_the_verdict_depends_on(built: list[tuple[Unit, Task]]) -> None:
    for unit, task in built:
        spec, variant = task.spec, unit.slot.plan.variant
        for name, box in spec["variable_bounds"].items():
            if box is None:
                assert variant.endswith("_load")
                continue
            assert DECLARED_DOMAIN[name][0] <= box["min"] < box["max"] <= DECLARED_DOMAIN[name][1]
        assert all((spec["constraints"][name] or 0.0) > 0 for name in LIMITS)
        assert spec["materials"]["substrate"] == unit.slot.anchor.substrate
        assert (spec["materials"]["piezo"] is None) == variant.endswith("_grade")
        assert spec["materials"]["damping_ratio"] == (None if variant.endswith("damping") else 0.01)
        assert spec["query_budget"] == 1
        assert [note["name"] for note in spec["notes"]] in ([], ["remarks"])


def test_the_numbers_of_every_class_have_the_same_digits(built: list[tuple[Unit, Task]]) -> None:
    for _, task in built:
        spec = task.spec
        shown = [spec["constraints"][name] for name in LIMITS]
        shown += [spec["excitation"]["frequency_hz"], spec["excitation"]["acceleration_g"]]
        shown += [end for box in spec["variable_bounds"].values() if box for end in (box["min"], box["max"])]
        assert all(value == float(f"{value:.6g}") for value in shown if value is not None)


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
