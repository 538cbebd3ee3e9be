"""P4, ranking under a policy: 53 pools of five feasible candidates, each ranked under three profiles.

A pool takes box, excitation, materials and limits from a P2 task of its split. Its candidates are changes of that
task's reference design and keep 0.5 % or more of every limit in hand. What they are follows from `pool_plan`: how the
three orders differ, who wins, and which id a winner has. The three tasks of a pool differ in policy and profile alone.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from vehbench_builder.build_spec import BuildError, BuildSpec
from vehbench_builder.seeds import BUILDER_VERSION, numbered, rng
from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.p4.policy import WEIGHTS, order_of, policy_text
from vehbench_builder.veh.p4.pool import Indices, choose, facts
from vehbench_builder.veh.p4.pool_plan import IDS, POOL, Planned, planned
from vehbench_builder.veh.p4.supply import Supply, feasible_around
from vehbench_hf.bank.schema import empty_gold
from vehbench_hf.types import SPLITS, Candidate, Gold, Spec, Split, Task
from vehbench_oracle.veh.domain import problem_of_brief

QUERY_BUDGET = 1
TRIES = 3
"""Supplies of feasible designs in which a pool is searched."""


@dataclass(frozen=True)
class Unit:
    """One pool to be built, three tasks with the ids of `task_ids` by profile; `key` names it in the random draws."""

    key: str
    task_ids: tuple[str, ...]
    seed: int
    split: str
    pool: Planned


def units(anchors: Sequence[AnchorDesign], build: BuildSpec, p2: Mapping[str, Task]) -> list[Unit]:
    """The pools of the bank, in the order of the first id of each; fresh ones from fresh P2 tasks.

    Raises BuildError when `p2` lacks the tasks that the pools are made from.
    """
    work = []
    for split in ("train",) if build.fresh else SPLITS:
        pools = planned(anchors, build, split, p2)
        items = [(index, profile) for index in range(len(pools)) for profile in WEIGHTS]
        task_ids = {item: task_id for task_id, item in numbered(items, seed=build.seed, probe="p4", split=split)}
        made = []
        for index, pool in enumerate(pools):
            key = f"p4/{split}/{pool.plan.family}/{pool.source.task_id}/{index}"
            made.append(Unit(key, tuple(task_ids[index, profile] for profile in WEIGHTS), build.seed, split, pool))
        work += sorted(made, key=lambda unit: min(unit.task_ids))
    return work


def build_unit(unit: Unit) -> list[Task]:
    """The three tasks of a pool, in the order of their ids.

    Raises BuildError when the source has no reference, or no pool is found in its brief that is as planned.
    """
    source = unit.pool.source
    reference = source.gold["reference"]
    if reference is None or reference["design"] is None:
        raise BuildError(f"{unit.key}: expected a P2 task with a reference design, {source.task_id} has none")
    draw = rng(unit.seed, unit.key)
    for _ in range(TRIES):
        supply = feasible_around(source.spec, reference["design"], draw)
        chosen = choose(supply, unit.pool.plan, draw)
        if chosen is not None:
            named = _named(unit, supply, chosen, draw)
            names = zip(unit.task_ids, WEIGHTS, strict=True)
            tasks = [_task(unit, task_id, profile, named) for task_id, profile in names]
            return sorted(tasks, key=lambda task: task.task_id)
    raise BuildError(
        f"{unit.key}: in {TRIES} times some {len(supply.power)} feasible designs no five make a pool with "
        f"{unit.pool.plan}; another seed takes other sources"
    )


def _named(unit: Unit, supply: Supply, chosen: Indices, draw: np.random.Generator) -> list[Candidate]:
    """The chosen designs in the order of their ids: the winners have the planned ones, the others what is left."""
    winners = facts(supply, chosen[None]).orders[0, :, 0]
    ids = {int(place): unit.pool.winners[profile] for place, profile in zip(winners, WEIGHTS, strict=True)}
    left = [name for name in IDS if name not in ids.values()]
    others = [place for place in range(POOL) if place not in ids]
    ids |= {place: left[i] for place, i in zip(others, draw.permutation(len(left)), strict=True)}
    spec = unit.pool.source.spec
    return sorted((_candidate(spec, name, supply, chosen[place]) for place, name in ids.items()), key=lambda c: c["id"])


def _candidate(spec: Spec, name: str, supply: Supply, index: np.intp) -> Candidate:
    design = supply.design(int(index))
    verdict = problem_of_brief(spec).judge(design)
    return {"id": name, "design": design, "metrics": verdict.metrics, "slack": verdict.slack}


def _task(unit: Unit, task_id: str, profile: str, candidates: list[Candidate]) -> Task:
    source = unit.pool.source
    order = order_of(candidates, source.spec["constraints"], profile)
    spec = {
        **source.spec,
        "query_budget": QUERY_BUDGET,
        "profile": profile,
        "policy": policy_text(profile),
        "candidates": candidates,
    }
    gold = {
        **empty_gold(),
        "ranking": order.ranking,
        "utilities": [{"id": name, "value": order.utility[name]} for name in order.ranking],
        "dominated_pairs": order.dominated,
        "policy_sensitive_pairs": order.sensitive,
        "pool_id": hashlib.sha256(f"{BUILDER_VERSION}/{unit.seed}/{unit.key}".encode()).hexdigest()[:12],
        "pool_family": unit.pool.plan.family,
    }
    return Task(
        task_id=task_id,
        probe="p4",
        split=cast(Split, unit.split),
        subtype=profile,
        difficulty=source.difficulty,
        source_group=source.source_group,
        anchor=source.anchor,
        bank_version=source.bank_version,
        spec=cast(Spec, spec),
        gold=cast(Gold, gold),
    )
