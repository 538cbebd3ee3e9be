"""P2 tasks keep the rules of their subtype, and everything said about their reference is true."""

import json
import pickle
from collections import Counter

import numpy as np
import pytest

from judged import judge_for
from tampered import audited
from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.veh import p2
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.certified import Certified, certified
from vehbench_builder.veh.numbers import known
from vehbench_builder.veh.p2 import RULES, Unit, build_unit, units
from vehbench_hf.bank.schema import task_to_row
from vehbench_hf.types import Design, Spec, Task
from vehbench_oracle import VARIABLES
from vehbench_oracle.veh.domain import problem_of_brief

PUBLISHED = BuildSpec()
KEYS = (
    "p2/dev/paper_like/10_1109_access_2022_3215541/0",
    "p2/test_id/resonance_tuned/s19092/0",
    "p2/test_ood/power_tight/10_1088_1361_665x_ab19d2/0",
    "p2/dev/boundary_binding/sna2019/0",
    "p2/test_ood/paper_like/10_1088_1742_6596_1052_1_012038/0",
)
"""Every subtype and split, all piezo materials but PZT-5H, an anchor at the domain's edge, the paper's frequency."""


PAPER = {
    "paper_like": (0.35, 0.5, 1.50, 0.45, 5.0),
    "resonance_tuned": (0.25, 1.0, 1.25, 0.60, 3.0),
    "power_tight": (0.18, 0.8, 1.20, 0.82, 2.0),
    "boundary_binding": (0.14, 0.8, 1.08, 0.70, 1.5),
}
"""Half width, acceleration in g, amplitude limits, target and frequency limit, as the construction states them."""


def published(build: BuildSpec = PUBLISHED) -> dict[str, Unit]:
    return {unit.key: unit for unit in units(load_anchors(), build, {})}


@pytest.fixture(scope="module")
def built() -> dict[str, Task]:
    work = published()
    built = {key: task for key in KEYS for task in build_unit(work[key])}
    assert list(built) == list(KEYS)
    return built


def reference(task: Task) -> tuple[Design, float, float]:
    found = task.gold["reference"]
    assert found is not None
    assert found["design"] is not None
    return found["design"], known(found["power_uw"]), known(found["upper_bound_uw"])


def anchor_of(task: Task) -> Design:
    design = task.gold["anchor_design"]
    assert design is not None
    return design


def bounds(spec: Spec, name: str) -> tuple[float, float]:
    box = spec["variable_bounds"][name]
    assert box is not None
    return box["min"], box["max"]


def test_another_seed_gives_other_boxes(built: dict[str, Task]) -> None:
    (other,) = build_unit(published(BuildSpec(seed=1))[KEYS[1]])
    for name in VARIABLES:
        assert bounds(other.spec, name) != bounds(built[KEYS[1]].spec, name)


def test_fresh_tasks_come_from_dev_anchors_and_have_ids_and_draws_of_their_own(built: dict[str, Task]) -> None:
    fresh = units(load_anchors(), BuildSpec(seed=0, per_anchor=5, fresh=True), {})
    assert len(fresh) == 16 * 5
    assert {unit.anchor.split for unit in fresh} == {"dev"}
    assert Counter(unit.subtype for unit in fresh) == {"paper_like": 32} | dict.fromkeys(list(RULES)[1:], 16)
    assert not {unit.task_id for unit in fresh} & {unit.task_id for unit in published().values()}
    assert len({unit.key for unit in fresh}) == len(fresh)
    twin = next(u for u in fresh if u.key == KEYS[3].replace("dev", "train"))
    (task,) = build_unit(twin)
    assert task.split == "train"
    assert all(bounds(task.spec, name) != bounds(built[KEYS[3]].spec, name) for name in VARIABLES)


def test_a_unit_survives_the_way_to_another_process(built: dict[str, Task]) -> None:
    unit = pickle.loads(pickle.dumps(published()[KEYS[3]]))  # noqa: S301
    (again,) = build_unit(unit)
    assert json.dumps(task_to_row(again)) == json.dumps(task_to_row(built[KEYS[3]]))


def test_a_subtype_is_built_with_the_stated_numbers(built: dict[str, Task]) -> None:
    for key, task in built.items():
        half_width, acceleration, amplitude, target, error = PAPER[task.subtype]
        low, high = bounds(task.spec, "beam_width_mm")
        assert (high - low) / (high + low) == pytest.approx(half_width, rel=1e-4), key
        metrics, limits = judge_for(task.spec, anchor_of(task)).metrics, task.spec["constraints"]
        assert known(limits["stress_limit_mpa"]) / metrics["tip_stress_mpa"] == pytest.approx(amplitude, rel=1e-5)
        assert known(limits["power_target_uw"]) / metrics["load_power_uw"] == pytest.approx(target, rel=1e-5)
        assert known(limits["freq_error_pct_limit"]) >= error
        assert known(task.spec["excitation"]["acceleration_g"]) <= acceleration


def test_the_papers_frequency_is_taken_where_it_is_near(built: dict[str, Task]) -> None:
    by_key = {anchor.key: anchor for anchor in load_anchors()}
    task = built[KEYS[4]]
    paper = by_key["10_1088_1742_6596_1052_1_012038"]
    assert paper.paper_frequency_hz is not None
    assert paper.kappa > 1.1
    assert task.spec["excitation"]["frequency_hz"] == pytest.approx(paper.paper_frequency_hz / paper.kappa, rel=1e-5)
    far = published()["p2/test_ood/paper_like/10_1088_1361_665x_ab19d2/0"]
    assert far.anchor.paper_frequency_hz is not None
    assert far.anchor.paper_frequency_hz / far.anchor.kappa == pytest.approx(far.anchor.resonance_hz)


def test_random_designs_do_not_beat_the_reference(built: dict[str, Task]) -> None:
    """A search of another kind: the best of many designs near the reference and all over the box."""
    for key, task in built.items():
        design, power, _ = reference(task)
        draw = np.random.default_rng(5)
        found = 0.0
        for width in (1.0, 0.1, 0.01):
            batch = {}
            for name in VARIABLES:
                low, high = bounds(task.spec, name)
                batch[name] = np.clip(design[name] + width * (high - low) * draw.uniform(-1, 1, 20_000), low, high)
            response = problem_of_brief(task.spec).respond(batch)
            limits = task.spec["constraints"]
            good = (
                (response.tip_stress_mpa <= known(limits["stress_limit_mpa"]))
                & (response.tip_disp_mm <= known(limits["disp_limit_mm"]))
                & (response.freq_error_pct <= known(limits["freq_error_pct_limit"]))
            )
            found = max(found, float(np.max(response.load_power_uw[good], initial=0.0)))
        assert 0.3 * power < found <= power * (1 + 1e-4), key


@pytest.mark.slow
def test_an_anchor_far_below_its_reference_gets_a_narrower_box() -> None:
    """Its load is so far off that its power is a few percent of the reference: a narrower box, not a lower target."""
    (task,) = build_unit(published()["p2/test_ood/paper_like/10_1109_memsys_2010_5442542/0"])
    _, power, _ = reference(task)
    assert known(task.spec["constraints"]["power_target_uw"]) / power >= 0.05
    low, high = bounds(task.spec, "beam_width_mm")
    half_width = (high - low) / (high + low)
    assert 0.35 * 0.85**4 < half_width < 0.34


def test_an_unproven_reference_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    unit, asked = published()[KEYS[1]], list[Spec]()
    (first,) = build_unit(unit)

    def unproven_once(spec: Spec, design: Design) -> Certified:
        asked.append(spec)
        if len(asked) == 1:
            raise BuildError("no proof")
        return certified(spec, design)

    monkeypatch.setattr(p2, "certified", unproven_once)
    (task,) = build_unit(unit)
    assert asked[0] == first.spec
    assert task.spec == asked[-1] != first.spec
    _, power, bound = reference(task)
    assert power <= bound <= 1.0501 * power
    monkeypatch.setattr(p2, "DRAWS", 1)
    asked.clear()
    with pytest.raises(BuildError, match=rf"{unit.key}: none of 1 draws gave a brief; no proof"):
        build_unit(unit)


def test_a_brief_that_cannot_be_made_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    unit = published()[KEYS[1]]
    monkeypatch.setattr(p2, "TARGET_SHARE", (0.98, 0.99))
    monkeypatch.setattr(p2, "DRAWS", 2)
    with pytest.raises(BuildError, match=rf"{unit.key}: none of 2 draws .* target of .* % of the reference"):
        build_unit(unit)


def test_the_audit_finds_no_fault_in_built_tasks(built: dict[str, Task]) -> None:
    faults, checked = audited(list(built.values()))
    assert faults == {}
    assert checked["references_are_feasible"] == checked["reference_certificates_hold"] == len(built)
