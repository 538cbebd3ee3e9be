"""Isomorphic probes (paper, appendix P): one feasible design of one brief, asked for in three forms.

- `selection`: five designs without metrics, one of them feasible. Which one?
- `generation`: a design that nearly meets the limits. Give one that does.
- `completion`: four of the six values of the feasible design. Give the other two.

A group takes its brief and its feasible design from a P4 pool of medium or hard difficulty, whose P2 task is named with
it. The infeasible candidates are changes of the pool's candidates; the one with the smallest violation is the start of
the generation.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from vehbench_builder.build_spec import BuildError
from vehbench_builder.seeds import rng
from vehbench_builder.veh.isomorphic.infeasible import Places, infeasible_beside
from vehbench_builder.veh.p4.pool_plan import IDS, POOL
from vehbench_builder.veh.p4.supply import evaluated, places_in
from vehbench_hf.isomorphic.types import FORMS, ISOMORPHIC, Form, IsomorphicGold, IsomorphicSpec, IsomorphicTask
from vehbench_hf.types import Design, Spec, Task
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import Array
from vehbench_oracle.veh.domain import problem_of_brief

GROUPS = 46
GRID = 41
"""Values of each open variable that are tried, to say how large a part of all completions is feasible."""
MOST_COMPLETIONS = 0.2
"""A completion is asked for where at most this share of the pairs of values is feasible."""

QUESTIONS: dict[Form, str] = {
    "selection": "Exactly one of the candidates lies within the bounds and meets all four limits. Name it. Answer with "
    'one JSON object and nothing else: {"candidate": "id"}.',
    "generation": "The start design breaks a limit. Give a design within the bounds that meets all four limits. Answer "
    'with one JSON object and nothing else: {"design": {"variable": number, ...}} with all six variables.',
    "completion": "Four variables of the design are fixed. Give values within the bounds for the other two, with which "
    "the design meets all four limits. Answer with one JSON object and nothing else: "
    '{"design": {"variable": number, ...}} with these two variables.',
}
NO_SPEC: dict[str, Any] = {"initial_design": None, "candidates": [], "fixed": None}
NO_GOLD: dict[str, Any] = {"answer": None, "verdicts": [], "open_variables": [], "feasible_share": None}


class Group(NamedTuple):
    """A group to be made: its number, its pool, the id of its answer, the wished places and the numbers of its ids."""

    number: int
    pool: Task
    answer: str
    wished: Places
    ids: dict[Form, int]


def build_isomorphic(tasks: Sequence[Task], seed: int = 0, *, groups: int = GROUPS) -> list[IsomorphicTask]:
    """Three tasks for each of `groups` P4 pools of a bank with its P2 tasks, in the order of their ids.

    Equal arguments give equal tasks. Raises BuildError when the bank has fewer pools of medium or hard difficulty, when
    a pool has no P2 task with its brief, or when no infeasible candidates or no open variables are found.
    """
    rows = [row for group in planned_groups(tasks, seed, groups=groups) for row in build_group(tasks, seed, group)]
    return sorted(rows, key=lambda task: task.task_id)


def planned_groups(tasks: Sequence[Task], seed: int, *, groups: int = GROUPS) -> list[Group]:
    """Which groups `build_isomorphic` makes. Raises BuildError when the bank has too few pools."""
    draw = rng(seed, ISOMORPHIC, "plan")
    pools = _pools(tasks)
    if len(pools) < groups:
        raise BuildError(f"{ISOMORPHIC}: expected {groups} P4 pools of medium or hard difficulty, got {len(pools)}")
    chosen = [pools[i] for i in draw.permutation(len(pools))[:groups]]
    answers, among, in_box = (draw.permutation(groups) % POOL for _ in range(3))
    ids = (draw.permutation(groups * len(FORMS)) + 1).reshape(groups, len(FORMS))
    return [
        Group(
            i + 1, pool, IDS[answers[i]], Places(int(among[i]), int(in_box[i])), dict(zip(FORMS, ids[i], strict=True))
        )
        for i, pool in enumerate(chosen)
    ]


def build_group(tasks: Sequence[Task], seed: int, group: Group) -> list[IsomorphicTask]:
    """The three tasks of a group. Raises BuildError as `build_isomorphic`."""
    pool = group.pool
    names = {"source_task_id": _source(tasks, pool).task_id, "pool_id": pool.gold["pool_id"]}
    forms = _forms(pool, group.answer, group.wished, rng(seed, ISOMORPHIC, pool.gold["pool_id"]))
    return [
        IsomorphicTask(
            task_id=f"v2::{ISOMORPHIC}::{group.ids[form]:04d}",
            probe=ISOMORPHIC,
            subtype=form,
            split=pool.split,
            difficulty=pool.difficulty,
            source_group=pool.source_group,
            anchor=pool.anchor,
            bank_version=pool.bank_version,
            spec=cast(IsomorphicSpec, {"question": QUESTIONS[form], **NO_SPEC, **spec}),
            gold=cast(IsomorphicGold, {**NO_GOLD, **gold, **names, "group": group.number}),
            domain=pool.domain,
        )
        for form, (spec, gold) in forms.items()
    ]


def _pools(tasks: Sequence[Task]) -> list[Task]:
    """One task of every P4 pool of medium or hard difficulty, in the order of the pools' names."""
    pools = {t.gold["pool_id"] or "": t for t in tasks if t.probe == "p4" and t.difficulty != "easy"}
    return [pools[name] for name in sorted(pools)]


def _source(tasks: Sequence[Task], pool: Task) -> Task:
    brief = _brief(pool.spec)
    for task in tasks:
        if task.probe == "p2" and task.split == pool.split and _brief(task.spec) == brief:
            return task
    raise BuildError(
        f"{ISOMORPHIC}: pool {pool.gold['pool_id']} has no P2 task with its brief; hand over the whole bank"
    )


def _brief(spec: Spec) -> dict[str, Any]:
    """What all forms of a group state."""
    return {name: spec[name] for name in ("variable_bounds", "constraints", "excitation", "materials", "notes")}


def _forms(
    pool: Task, answer: str, wished: Places, draw: np.random.Generator
) -> dict[Form, tuple[dict[str, Any], dict[str, Any]]]:
    """Spec and gold of every form, as far as they differ from those of an empty one."""
    brief, designs = _brief(pool.spec), [c["design"] for c in pool.spec["candidates"]]
    for index in draw.permutation(len(designs)):
        witness = designs[index]
        others = infeasible_beside(pool.spec, witness, designs, wished, draw)
        completion = _completion(pool.spec, witness, draw)
        if others is None or completion is None:
            continue
        free = iter(others)
        candidates = {name: witness if name == answer else next(free) for name in IDS}
        verdicts = [{"id": name, **_verdict(pool.spec, design)} for name, design in candidates.items()]
        if [verdict["id"] for verdict in verdicts if verdict["feasible"]] != [answer]:
            raise BuildError(f"{ISOMORPHIC}: pool {pool.gold['pool_id']}: not exactly {answer} is feasible")
        nearest = min((v for v in verdicts if not v["feasible"]), key=lambda v: v["total_violation"])
        opened, share = completion
        fixed = {name: None if name in opened else value for name, value in witness.items()}
        return {
            "selection": (
                {**brief, "candidates": [{"id": name, "design": design} for name, design in candidates.items()]},
                {"answer": answer, "witness": witness, "verdicts": verdicts},
            ),
            "generation": ({**brief, "initial_design": candidates[nearest["id"]]}, {"witness": witness}),
            "completion": (
                {**brief, "fixed": fixed},
                {"witness": witness, "open_variables": opened, "feasible_share": share},
            ),
        }
    raise BuildError(
        f"{ISOMORPHIC}: pool {pool.gold['pool_id']}: no candidate has infeasible neighbours and a completion"
    )


def _verdict(spec: Spec, design: Design) -> dict[str, Any]:
    verdict = problem_of_brief(spec).judge(design)
    broken = [violation.name for violation in verdict.violations]
    return {"feasible": verdict.feasible, "total_violation": verdict.total_violation, "violations": broken}


def _completion(spec: Spec, witness: Design, draw: np.random.Generator) -> tuple[list[str], float] | None:
    """Two variables to leave open, and the share of their values that is feasible with the others as they are.

    Not a pair for which the middle of both ranges will do, or more than `MOST_COMPLETIONS` of all values.
    """
    own = places_in(spec, [witness])[0]
    pairs = list(combinations(range(len(VARIABLES)), 2))
    for index in draw.permutation(len(pairs)):
        opened, share = list(pairs[index]), _feasible_places(spec, own, pairs[index])
        if 0 < share.mean() <= MOST_COMPLETIONS and not share[GRID // 2, GRID // 2]:
            return [list(VARIABLES)[place] for place in opened], float(share.mean())
    return None


def _feasible_places(spec: Spec, own: Array, opened: tuple[int, int]) -> NDArray[np.bool_]:
    """Whether designs are feasible on a grid over the ranges of two variables, shape (GRID, GRID)."""
    u = np.tile(own, (GRID * GRID, 1))
    u[:, opened] = np.stack(np.meshgrid(*[np.linspace(0, 1, GRID)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    return np.asarray((evaluated(spec, np.clip(u, 0.0, 1.0)).slack >= 0).all(axis=1).reshape(GRID, GRID))
