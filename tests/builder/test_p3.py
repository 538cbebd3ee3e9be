"""P3 tasks: every verdict shown is the oracle's, every claim is false, and no thoughtless move solves a task."""

import pickle
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tampered import audited
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.seeds import rng
from vehbench_builder.veh.anchors import AnchorDesign, load_anchors
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.limits import Factors, credible_acceleration_g, limited
from vehbench_builder.veh.numbers import known, rounded_design
from vehbench_builder.veh.p3.moves import TRAPS
from vehbench_builder.veh.p3.p3 import Unit, build_unit, intervention_subset, units
from vehbench_hf.bank.schema import empty_gold, empty_spec
from vehbench_hf.types import SPLITS, Anchor, Gold, HistoryStep, Spec, Split, Task
from vehbench_oracle import LIMITS

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


def subset_task(split: str, number: int, subtype: str, anchor: str) -> Task:
    paper: Anchor = {"key": anchor, "doi": None, "doi_released": None, "title": None, "year": None}
    name = f"v2::p3::{split}::{number:04d}"
    return Task(name, "p3", split, subtype, "hard", None, paper, "veh-v2", empty_spec(), empty_gold())  # type: ignore[arg-type]


def subset_tasks(per_stratum: int) -> list[Task]:
    strata = [(split, subtype) for split in SPLITS for subtype in TRAPS]
    return [
        subset_task(split, 10 * place + i, subtype, f"{split}{i // 2}")
        for place, (split, subtype) in enumerate(strata)
        for i in range(per_stratum)
    ]


def test_every_stratum_has_two_tasks_of_two_papers() -> None:
    tasks = subset_tasks(4)
    chosen = intervention_subset(tasks)
    assert len(chosen) == len(set(chosen)) == 36
    by_id = {task.task_id: task for task in tasks}
    for split in SPLITS:
        for subtype in TRAPS:
            pair = [by_id[name] for name in chosen if (by_id[name].split, by_id[name].subtype) == (split, subtype)]
            assert len({one.anchor["key"] for one in pair if one.anchor}) == 2


def test_the_order_of_the_bank_does_not_change_the_subset() -> None:
    tasks = subset_tasks(5)
    assert intervention_subset(reversed(tasks)) == intervention_subset(tasks)


def test_no_other_tasks_enter_the_subset() -> None:
    tasks = subset_tasks(2)
    other = [replace(one, probe="p2", task_id=one.task_id.replace("p3", "p2")) for one in tasks]
    fresh = [replace(one, split="train", task_id=f"{one.task_id}t") for one in tasks]
    assert intervention_subset([*other, *fresh, *tasks]) == intervention_subset(tasks)
    assert intervention_subset([*other, *fresh]) == []


def test_a_small_stratum_is_refused() -> None:
    tasks = subset_tasks(2)
    with pytest.raises(BuildError, match=rf"2 tasks of {tasks[0].subtype} or more in dev, got 1"):
        intervention_subset(tasks[1:])
