"""The P1 briefs that are planned: composition, splits, pairs, and order."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.veh.anchors import load_anchors
from vehbench_builder.veh.p1.p1 import Unit, build_unit, units

ANCHORS = load_anchors()
PUBLISHED = units(ANCHORS, BuildSpec(), {})
PROPOSE, INFEASIBLE, REQUEST = "propose_design", "declare_infeasible", "request_missing_info"


def subtype_of(unit: Unit) -> str:
    plan = unit.slot.plan
    return plan.twin if unit.member and plan.twin else plan.subtype


def action_of(unit: Unit) -> str:
    if subtype_of(unit).startswith("infeasible"):
        return INFEASIBLE
    asks = subtype_of(unit) == "missing_blocker_obvious" or unit.slot.plan.variant.startswith("decisive")
    return REQUEST if asks else PROPOSE


def test_no_anchor_stands_for_a_gold_action() -> None:
    twinned = {u.slot.key for u in PUBLISHED if u.member}
    for split in ("dev", "test_id", "test_ood"):
        of_anchor = Counter((u.slot.anchor.key, action_of(u)) for u in PUBLISHED if u.split == split)
        for key in {key for key, _ in of_anchor}:
            assert of_anchor[key, PROPOSE] >= of_anchor[key, INFEASIBLE]
            assert of_anchor[key, PROPOSE] + of_anchor[key, REQUEST] in (2, 3, 4)
    assert len(twinned) == 60


def test_an_id_and_its_place_say_nothing() -> None:
    assert [u.task_id for u in PUBLISHED] == [
        f"v2::p1::{split}::{n:04d}" for split in ("dev", "test_id", "test_ood") for n in range(1, 81)
    ]
    for split in ("dev", "test_id", "test_ood"):
        places = defaultdict(list)
        for place, unit in enumerate(u for u in PUBLISHED if u.split == split):
            places[action_of(unit)].append(place)
        # The mean of 15 places of 80 strays by 5.4, so 20 is far beyond chance.
        assert all(abs(np.mean(of_action) - 39.5) < 20 for of_action in places.values())
    pairs = defaultdict(list)
    for place, unit in enumerate(PUBLISHED):
        if unit.slot.plan.twin:
            pairs[unit.slot.key].append((place, unit.member))
    apart = [second[0] - first[0] for first, second in pairs.values()]
    solvable_first = [first[1] == 0 for first, _ in pairs.values()]
    assert np.median(apart) > 5
    assert 15 < sum(solvable_first) < 45


def test_no_kind_of_aside_stands_for_a_gold_action() -> None:
    total = Counter(action_of(u) for u in PUBLISHED)
    kinds = Counter((u.slot.plan.note, action_of(u)) for u in PUBLISHED)
    for kind in ("preference", "unspecified", "estimate", "application", "none"):
        shares = [kinds[kind, action] / total[action] for action in (PROPOSE, INFEASIBLE, REQUEST)]
        assert max(shares) - min(shares) < 0.1
    for prefix in ("unit", "grade", "load"):
        said = [u for u in PUBLISHED if u.slot.plan.variant in (f"decisive_{prefix}", f"harmless_{prefix}")]
        assert Counter(action_of(u) for u in said) == {PROPOSE: 3, REQUEST: 3}


def test_fresh_tasks_are_from_dev_anchors_and_do_not_change_with_their_number() -> None:
    few = units(ANCHORS, BuildSpec(seed=5, per_anchor=3, fresh=True), {})
    more = units(ANCHORS, BuildSpec(seed=5, per_anchor=8, fresh=True), {})
    dev = {a.key for a in ANCHORS if a.split == "dev"}
    assert Counter(u.slot.anchor.key for u in few) == dict.fromkeys(dev, 3)
    assert Counter(u.slot.anchor.key for u in more) == dict.fromkeys(dev, 8)
    assert {u.key for u in few} < {u.key for u in more}
    assert not {u.key for u in more} & {u.key for u in PUBLISHED}
    assert {u.task_id.split("::")[2] for u in more} == {"train"}
    assert len({u.task_id for u in more}) == len(more)
    (task,) = build_unit(few[0])
    assert task.split == "train"


def test_too_few_anchors_end_in_an_error() -> None:
    with pytest.raises(BuildError, match="P1 needs 20 anchors inside the oracle's domain, there are 3"):
        units([a for a in ANCHORS if a.inside_domain][:3], BuildSpec(), {})
