"""Which P3 tasks a bank has: how many of each type in each split, and from which P2 tasks they are made."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.seeds import rng
from vehbench_builder.veh.p3.moves import TRAPS
from vehbench_hf.bank.schema import empty_spec
from vehbench_hf.types import Anchor, Design, Spec, Task

TASKS = {"dev": 64, "test_id": 40, "test_ood": 52}
ANCHORS = {"dev": 16, "test_id": 9, "test_ood": 25}
"""Papers behind the tasks of each split; a seed decides which ones are left out."""
SPARE_SOURCES = 12
"""Sources of other papers to which a task turns when those of its own fail."""


class Source(NamedTuple):
    """What a P3 task takes from a P2 task. `brief` states bounds, materials and acceleration alone."""

    task_id: str
    anchor: Anchor | None
    source_group: str | None
    brief: Spec
    anchor_design: Design | None


class Planned(NamedTuple):
    """A task to be made: its type, the variant to try first, its sources of one paper, and spare ones of others."""

    type: str
    variant: int
    anchor_key: str
    own: tuple[Source, ...]
    spare: tuple[Source, ...]

    def in_turn(self) -> list[tuple[int, Source]]:
        """Variants and sources in the order of trying: the paper is given up last, the variant before that."""
        variants = (self.variant, 1 - self.variant)
        return [(variant, source) for sources in (self.own, self.spare) for variant in variants for source in sources]


def planned(build: BuildSpec, split: str, p2: Mapping[str, Task]) -> list[Planned]:
    """The tasks of a split. Raises BuildError when `p2` has no task of it."""
    by_anchor: dict[str, list[Source]] = {}
    for task in sorted(p2.values(), key=lambda task: task.task_id):
        if task.split == split and task.anchor is not None:
            by_anchor.setdefault(task.anchor["key"], []).append(_source(task))
    if not by_anchor:
        raise BuildError(f"p3 {split}: expected P2 tasks of this split as sources, got none; build p2 first")
    draw = rng(build.seed, "p3", split, "plan")
    keys = [sorted(by_anchor)[i] for i in draw.permutation(len(by_anchor))][: ANCHORS.get(split)]
    for key in keys:
        by_anchor[key] = [by_anchor[key][i] for i in draw.permutation(len(by_anchor[key]))]
    if split in TASKS:
        pairs = _spread(keys, quotas(TASKS[split], list(TASKS).index(split)))
    else:
        count = len(TRAPS) if build.per_anchor is None else build.per_anchor
        types = list(TRAPS)
        pairs = [(key, types[(place + i) % len(types)]) for place, key in enumerate(keys) for i in range(count)]
    plans: list[Planned] = []
    for key, type_ in pairs:
        own = by_anchor[key]
        turn = sum(plan.anchor_key == key for plan in plans) % len(own)
        others = [source for other in keys if other != key for source in by_anchor[other]]
        spare = [others[i] for i in draw.permutation(len(others))[:SPARE_SOURCES]]
        variant = sum(plan.type == type_ for plan in plans) % 2
        plans.append(Planned(type_, variant, key, (*own[turn:], *own[:turn]), tuple(spare)))
    return plans


def quotas(count: int, turn: int) -> dict[str, int]:
    """`count` tasks over the types, as evenly as it goes; `turn` decides which types get one more."""
    types = list(TRAPS)
    even, rest = divmod(count, len(types))
    more = {types[(turn * rest + i) % len(types)] for i in range(rest)}
    return {name: even + (name in more) for name in types}


def _spread(keys: Sequence[str], quota: Mapping[str, int]) -> list[tuple[str, str]]:
    """(anchor, type) for every task: anchors in turn, each with the type that it has least and that is most wanted."""
    left, had = dict(quota), {key: dict.fromkeys(quota, 0) for key in keys}
    pairs: list[tuple[str, str]] = []
    while any(left.values()):
        key = keys[len(pairs) % len(keys)]
        type_ = min((name for name in left if left[name]), key=lambda name: (had[key][name], -left[name]))
        left[type_] -= 1
        had[key][type_] += 1
        pairs.append((key, type_))
    return pairs


def _source(task: Task) -> Source:
    spec = empty_spec()
    spec["variable_bounds"] = task.spec["variable_bounds"]
    spec["materials"] = task.spec["materials"]
    spec["excitation"]["acceleration_g"] = task.spec["excitation"]["acceleration_g"]
    return Source(task.task_id, task.anchor, task.source_group, spec, task.gold["anchor_design"])
