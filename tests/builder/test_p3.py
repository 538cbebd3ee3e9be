"""P3 tasks: every verdict shown is the oracle's, every claim is false, and no thoughtless move solves a task."""

import json
import pickle
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tampered import audited
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.seeds import rng
from vehbench_builder.veh import strengths
from vehbench_builder.veh.anchors import AnchorDesign, load_anchors
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.limits import Factors, credible_acceleration_g, limited
from vehbench_builder.veh.numbers import known, rounded_design
from vehbench_builder.veh.p3.moves import TRAPS
from vehbench_builder.veh.p3.p3 import Unit, build_unit, units
from vehbench_hf.bank.schema import empty_gold, empty_spec, task_to_row
from vehbench_hf.types import Gold, HistoryStep, Spec, Split, Task
from vehbench_oracle import LIMITS
from vehbench_oracle.veh.domain import problem_of_brief

pytestmark = pytest.mark.slow

PUBLISHED = BuildSpec()
FACTORS = Factors(amplitude=1.25, power=0.6, freq_floor=3.0, freq=1.15)


def source(anchor: AnchorDesign, number: int, split: Split) -> Task:
    """What P3 reads of a P2 task of an anchor, without the work of certifying a reference."""
    design, draw = rounded_design(anchor.design), rng("test_p3", anchor.key, number)
    box = box_around(
        design, piezo=anchor.piezo, substrate=anchor.substrate, half_width=(0.35, 0.25, 0.18, 0.14)[number], draw=draw
    )
    spec = empty_spec()
    spec["variable_bounds"] = {**box}
    spec["materials"] = {"piezo": anchor.piezo, "substrate": anchor.substrate, "damping_ratio": 0.01}
    spec["excitation"]["frequency_hz"] = anchor.resonance_hz
    spec["excitation"]["acceleration_g"] = 0.8
    spec = limited(spec, design, FACTORS)
    spec["excitation"]["acceleration_g"] = credible_acceleration_g(spec, design, FACTORS, design)
    gold: Gold = {**empty_gold(), "anchor_design": design}
    group = "out-of-domain kept" if split == "test_ood" else "oracle-domain"
    name = f"v2::p2::{split}::{anchor.key}{number}"
    return Task(name, "p2", split, "resonance_tuned", "medium", group, anchor.anchor, "veh-v2", spec, gold)


@pytest.fixture(scope="module")
def sources() -> dict[str, Task]:
    tasks = [source(anchor, number, anchor.split) for anchor in load_anchors() for number in range(4)]
    return {task.task_id: task for task in tasks}


@pytest.fixture(scope="module")
def published(sources: dict[str, Task]) -> list[Unit]:
    return units(load_anchors(), PUBLISHED, sources)


@pytest.fixture(scope="module")
def built(published: list[Unit]) -> list[Task]:
    """One task of each variant of each type, spread over the splits."""
    chosen: dict[tuple[str, int], Unit] = {}
    for unit in sorted(published, key=lambda unit: rng("test_p3", unit.key).random()):
        chosen.setdefault((unit.plan.type, unit.plan.variant), unit)
    assert len(chosen) == 2 * len(TRAPS)
    return [task for unit in chosen.values() for task in build_unit(unit)]


def metrics(step: HistoryStep) -> dict[str, float]:
    found = step["verdict"]["metrics"]
    assert found is not None
    return found


def test_the_bank_has_the_counts_of_the_paper(published: list[Unit], reference_dir: Path) -> None:
    paper = json.loads((reference_dir / "task_statistics.json").read_text(encoding="utf-8"))["paper"]["P3"]
    assert Counter(unit.split for unit in published) == paper["split"]
    assert len({unit.plan.anchor_key for unit in published}) == paper["anchors"]["distinct"]
    groups = Counter(one.source_group for unit in published for one in unit.plan.own[:1])
    assert groups == paper["source_group"]


def test_no_type_is_rare_in_a_split(published: list[Unit]) -> None:
    assert len(published) == 156
    assert set(Counter(unit.plan.type for unit in published).values()) == {26}
    for split, anchors in (("dev", 16), ("test_id", 9), ("test_ood", 25)):
        of_split = [unit.plan for unit in published if unit.split == split]
        types = Counter(plan.type for plan in of_split)
        assert set(types) == set(TRAPS)
        assert max(types.values()) - min(types.values()) <= 1
        keys = Counter(plan.anchor_key for plan in of_split)
        assert len(keys) == anchors
        assert max(keys.values()) - min(keys.values()) <= 1
        assert max(Counter((plan.anchor_key, plan.type) for plan in of_split).values()) <= 2
    variants = Counter((unit.plan.type, unit.plan.variant) for unit in published)
    for type_ in TRAPS:
        assert abs(variants[type_, 0] - variants[type_, 1]) <= 3


def test_every_task_is_made_from_its_own_split(published: list[Unit], sources: dict[str, Task]) -> None:
    for unit in published:
        plan = unit.plan
        assert {sources[one.task_id].split for one in (*plan.own, *plan.spare)} == {unit.split}
        assert {one.anchor["key"] for one in plan.own if one.anchor} == {plan.anchor_key}
    first = [unit.plan.own[0].task_id for unit in published]
    assert max(Counter(first).values()) <= 2


def test_units_and_numbers_depend_on_the_seed_alone(published: list[Unit], sources: dict[str, Task]) -> None:
    shuffled = dict(sorted(sources.items(), reverse=True))
    assert units(load_anchors(), PUBLISHED, shuffled) == published
    other = units(load_anchors(), BuildSpec(seed=1), sources)
    assert [unit.plan.type for unit in other] != [unit.plan.type for unit in published]
    for unit in published:
        assert re.fullmatch(rf"v2::p3::{unit.split}::\d{{4}}", unit.task_id)
        assert pickle.loads(pickle.dumps(unit)) == unit  # noqa: S301
    assert len({unit.task_id for unit in published}) == len({unit.key for unit in published}) == 156


def test_fresh_tasks_keep_to_the_dev_anchors_and_repeat_no_published_draw(
    published: list[Unit], sources: dict[str, Task]
) -> None:
    dev = [anchor for anchor in load_anchors() if anchor.split == "dev"]
    fresh_sources = {task.task_id: task for anchor in dev for task in [source(anchor, 0, "train")]}
    fresh = units(load_anchors(), BuildSpec(per_anchor=3, fresh=True), {**sources, **fresh_sources})
    assert Counter(unit.plan.anchor_key for unit in fresh) == {anchor.key: 3 for anchor in dev}
    assert {unit.split for unit in fresh} == {"train"}
    assert {one.task_id for unit in fresh for one in (*unit.plan.own, *unit.plan.spare)} <= set(fresh_sources)
    assert not {unit.key for unit in fresh} & {unit.key for unit in published}
    assert not {unit.task_id for unit in fresh} & {unit.task_id for unit in published}


def test_missing_sources_are_named(sources: dict[str, Task]) -> None:
    dev_only = {name: task for name, task in sources.items() if task.split == "dev"}
    with pytest.raises(BuildError, match="p3 test_id: expected P2 tasks of this split"):
        units(load_anchors(), PUBLISHED, dev_only)


def test_a_note_quotes_only_numbers_that_were_shown(built: Sequence[Task]) -> None:
    for task in built:
        spec = task.spec
        brief = [known(spec["excitation"]["frequency_hz"]), *(known(spec["constraints"][name]) for name in LIMITS)]
        for number, step in enumerate(spec["history"]):
            shown = list(brief)
            for seen in spec["history"][max(0, number - 1) : number + 1]:
                shown.append(1e3 * seen["design"]["beam_length_mm"] / seen["design"]["substrate_thickness_um"])
            if number:
                before = metrics(spec["history"][number - 1])
                shown += [*before.values(), before["resonant_freq_hz"] / (2 * np.pi)]
            told = {float(f"{value:.{digits}g}") for value in shown for digits in (3, 4)} | {2.0, 6.28}
            for quoted in re.findall(r"\d+(?:\.\d+)?", step["note"]):
                assert float(quoted) in told, (task.task_id, number + 1, step["note"])


def test_the_secondary_limit_stops_the_reversed_variable(built: Sequence[Task]) -> None:
    """Along the variable that moved, whatever is in tune and strong enough breaks the secondary limit by 3 %."""
    checked = 0
    for task in built:
        spec, trap = task.spec, task.gold["trap"]
        assert trap is not None
        name, limit = trap["variable"], trap["secondary_constraint"]
        if name is None or task.subtype == "topology_trap":
            continue
        assert limit is not None
        values = np.linspace(*problem_of_brief(spec).range_of(name), 50_003)
        response = problem_of_brief(spec).respond({**spec["history"][-1]["design"], name: values})
        met = response.freq_error_pct <= known(spec["constraints"]["freq_error_pct_limit"])
        met &= response.load_power_uw >= known(spec["constraints"]["power_target_uw"])
        assert met.any(), "reversal does not even bring frequency and power back"
        smallest = float(getattr(response, LIMITS[limit].metric)[met].min())
        assert known(spec["constraints"][limit]) / smallest == pytest.approx(0.97, abs=0.005)
        checked += 1
    assert checked >= 6


def test_a_device_would_bear_the_limits(built: Sequence[Task]) -> None:
    for task in built:
        limits = task.spec["constraints"]
        substrate = task.spec["materials"]["substrate"] or ""
        assert 1 <= known(limits["stress_limit_mpa"]) <= strengths.SUBSTRATE[substrate].mpa
        assert 1e-3 <= known(limits["disp_limit_mm"]) <= 0.1 * problem_of_brief(task.spec).range_of("beam_length_mm")[1]
        assert limits["freq_error_pct_limit"] == 4.0
        assert known(limits["power_target_uw"]) >= 0.01


def test_building_twice_gives_the_same_task(published: list[Unit]) -> None:
    unit = next(unit for unit in published if unit.plan.type == "false_feasibility")
    first, again = (task_to_row(task) for task in (*build_unit(unit), *build_unit(unit)))
    assert first == again


def test_a_hopeless_unit_fails_with_a_reason(published: list[Unit]) -> None:
    unit = next(unit for unit in published if unit.plan.type == "unit_flip")
    brief = unit.plan.own[0].brief
    shaken: Spec = {**brief, "excitation": {**brief["excitation"], "acceleration_g": 1e4}}
    plan = unit.plan._replace(own=(unit.plan.own[0]._replace(brief=shaken),), spare=())
    hopeless = Unit(unit.key, unit.task_id, unit.seed, unit.split, plan)
    with pytest.raises(BuildError, match=rf"{unit.key}: .*no device bears the start \(60\)"):
        build_unit(hopeless)


def test_the_audit_finds_no_fault_in_built_tasks(built: Sequence[Task]) -> None:
    faults, checked = audited(built)
    assert faults == {}
    for name in ("p3_verdicts_recomputed", "p3_claims_are_false", "p3_retracing_fails", "p3_reversal_fails"):
        assert checked[name] > 0
    assert checked["reference_certificates_hold"] == checked["p3_tasks_are_solvable_with_slack"] == len(built)
