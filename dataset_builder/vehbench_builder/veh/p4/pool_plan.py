"""Which pools P4 has: from which P2 tasks they are made, what kind each one is, and which ids its winners get.

The family of a pool says what a change of the profile does to the order of its candidates:

- `balanced_core`: the three profiles give three different orders.
- `performance_control`: performance_first and balanced give the same order, reliability_first another winner.
- `reliability_control`: balanced and reliability_first give the same order, performance_first another winner.
- `elimination_control`: three candidates are each dominated by another one, so that two are left to be weighed.

In the first three families one or two candidates are dominated. Every pool has at least two winners. The third one, of
the balanced profile alone, is only possible where all orders differ.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import ceil
from typing import NamedTuple

import numpy as np

from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.seeds import rng
from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.p4.policy import WEIGHTS
from vehbench_hf.types import Task

POOL = 5
IDS = "ABCDE"

SHARED_WITH = {
    "balanced_core": ("performance_first", "reliability_first"),
    "performance_control": ("performance_first",),
    "reliability_control": ("reliability_first",),
    "elimination_control": ("performance_first", "reliability_first"),
}
"""By family, with which profiles the balanced one can share its winner. Where both are possible they take turns."""


class Quota(NamedTuple):
    """What a split holds: papers, pools by subtype of their source and by family, and pools with three winners."""

    anchors: int
    subtypes: dict[str, int]
    families: dict[str, int]
    three_winners: int


QUOTAS = {
    "dev": Quota(
        14,
        {"resonance_tuned": 11, "power_tight": 9, "boundary_binding": 8, "paper_like": 3},
        dict(zip(SHARED_WITH, (22, 5, 2, 2), strict=True)),
        10,
    ),
    "test_id": Quota(
        9,
        {"resonance_tuned": 4, "power_tight": 3, "boundary_binding": 5},
        dict(zip(SHARED_WITH, (6, 2, 4, 0), strict=True)),
        4,
    ),
    "test_ood": Quota(
        6,
        {"resonance_tuned": 2, "power_tight": 3, "boundary_binding": 4, "paper_like": 1},
        dict(zip(SHARED_WITH, (5, 4, 1, 0), strict=True)),
        4,
    ),
}
"""The published pools, by split as in the paper's bank; three winners in 18 of 53."""


class Plan(NamedTuple):
    """What a pool must be, and two wishes.

    `balanced_with` is the profile that shares its winner with the balanced one, None for three different winners.
    `power_place` is the wished number of candidates with more power than the winner under performance_first,
    `margin_place` that of candidates with more amplitude margin than the winner under reliability_first.
    """

    family: str
    balanced_with: str | None
    power_place: int
    margin_place: int


class Planned(NamedTuple):
    """A pool to be made. `winners` maps profiles to the ids that their best candidates get."""

    source: Task
    plan: Plan
    winners: dict[str, str]


def planned(anchors: Sequence[AnchorDesign], build: BuildSpec, split: str, p2: Mapping[str, Task]) -> list[Planned]:
    """The pools of a split; in "train" one for every three tasks that are asked for of an anchor, rounded up.

    Raises BuildError when `p2` lacks the sources.
    """
    draw = rng(build.seed, "p4", split, "plan")
    quota = QUOTAS.get(split)
    if quota is None:
        sources = _fresh_sources(p2, split, build.per_anchor, draw)
        kinds = [kind for quota in QUOTAS.values() for kind in _kinds(quota)]
        chosen = [kinds[i] for i in draw.integers(len(kinds), size=len(sources))]
    else:
        sources = _sources(anchors, p2, split, quota, draw)
        kinds = _kinds(quota)
        chosen = [kinds[i] for i in draw.permutation(len(kinds))]
    plans = [_plan(family, balanced_with, draw) for family, balanced_with in chosen]
    return [Planned(*parts) for parts in zip(sources, plans, winner_ids(plans, draw), strict=True)]


def winner_ids(plans: Sequence[Plan], draw: np.random.Generator) -> list[dict[str, str]]:
    """Ids by profile for the winners of every pool, so that each id wins equally often, in all and by profile."""
    counts = np.zeros((len(WEIGHTS), POOL), dtype=np.int64)
    chosen = []
    for plan in plans:
        options = _places(plan)
        options = [options[i] for i in draw.permutation(len(options))]
        # The most even counts have the smallest sum of squares: prefer the places that have won least so far.
        best = min(
            options, key=lambda places: sum(int(counts[:, p].sum() + counts[k, p]) for k, p in enumerate(places))
        )
        counts[range(len(WEIGHTS)), best] += 1
        chosen.append({profile: IDS[place] for profile, place in zip(WEIGHTS, best, strict=True)})
    return chosen


def _places(plan: Plan) -> list[tuple[int, ...]]:
    """All ways to place the winners under the three profiles among the ids."""
    if plan.balanced_with is None:
        return list(permutations(range(POOL), 3))
    with_first = plan.balanced_with == "performance_first"
    return [(a, a if with_first else b, b) for a, b in permutations(range(POOL), 2)]


def _kinds(quota: Quota) -> list[tuple[str, str | None]]:
    """Family and `balanced_with` of every pool of a split."""
    kinds: list[tuple[str, str | None]] = []
    for family, count in quota.families.items():
        three, shared = quota.three_winners if family == "balanced_core" else 0, SHARED_WITH[family]
        kinds += [(family, None)] * three + [(family, shared[i % len(shared)]) for i in range(count - three)]
    return kinds


def _plan(family: str, balanced_with: str | None, draw: np.random.Generator) -> Plan:
    """A kind with wishes that it can fulfil.

    A third winner, or the dominated candidates of an elimination, leave too few others to have more of both.
    """
    if family == "elimination_control":
        return Plan(family, balanced_with, 0, 0)
    wishes = [(1, 0), (0, 1)] + ([] if balanced_with is None else [(1, 1), (1, 1)])
    return Plan(family, balanced_with, *wishes[draw.integers(len(wishes))])


def _sources(
    anchors: Sequence[AnchorDesign], p2: Mapping[str, Task], split: str, quota: Quota, draw: np.random.Generator
) -> list[Task]:
    """P2 tasks with the subtypes of the quota, each used once, spread over its number of papers.

    Well documented papers come before weakly documented ones.
    """
    known = {(task.anchor["key"], task.subtype): task for task in p2.values() if task.split == split and task.anchor}
    shuffled = [anchors[i] for i in draw.permutation(len(anchors)) if anchors[i].split == split]
    keys = [a.key for a in sorted(shuffled, key=lambda a: a.documentation != "sound")][: quota.anchors]
    used = dict.fromkeys(keys, 0)
    sources = []
    for subtype, count in quota.subtypes.items():
        for key in sorted(keys, key=lambda key: used[key])[:count]:
            if (key, subtype) not in known:
                raise BuildError(
                    f"p4 {split}: expected a P2 task {subtype} of {key} as source, got none; build p2 first"
                )
            used[key] += 1
            sources.append(known[key, subtype])
    return sources


def _fresh_sources(p2: Mapping[str, Task], split: str, per_anchor: int | None, draw: np.random.Generator) -> list[Task]:
    by_anchor: dict[str, list[Task]] = {}
    for task in sorted(p2.values(), key=lambda task: task.task_id):
        if task.split == split and task.anchor is not None:
            by_anchor.setdefault(task.anchor["key"], []).append(task)
    if not by_anchor:
        raise BuildError(f"p4 {split}: expected P2 tasks of this split as sources, got none; build p2 first")
    sources = []
    for key in sorted(by_anchor):
        own = by_anchor[key]
        wanted = ceil((len(own) if per_anchor is None else per_anchor) / len(WEIGHTS))
        sources += [own[i] for i in draw.permutation(len(own))[:wanted]]
    return sources
