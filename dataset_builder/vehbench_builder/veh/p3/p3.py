"""P3, recovery from a history gone wrong: 156 tasks of six types, each in the box of a P2 task of its split.

A hidden start with every variable in the inner 60 % of its range is tuned to the excitation. Four steps lead away from
it, each with a note that claims what its verdict shows to be false. Stress and displacement limit are 1.8 times the
values of the start, the power target is 0.6 of its power, the frequency limit 4 %. Then one of the first two, the
secondary limit, is set to 0.97 of the smallest value that any tuned and strong enough design on the whole way back has,
so that reversal alone fails. The verdicts shown are those of the final limits. A draw is used if

- the verdicts plainly show what the type is about (`notes.Story`), and no step is feasible,
- at most one variable, moved alone from the last step, solves the task, and not the one that was moved,
- some design, stored as the witness, keeps 0.45 % or more of every limit in hand,
- start, limits and reference are what a device bears.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from vehbench_builder.build_spec import PUBLISHED, BuildError, BuildSpec
from vehbench_builder.seeds import numbered, rng
from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.certified import Certified, certified
from vehbench_builder.veh.p3.history_plan import Planned, Source, planned
from vehbench_builder.veh.p3.moves import TRAPS, Trap
from vehbench_builder.veh.p3.notes import phrases
from vehbench_builder.veh.p3.recovery import Recovery, RefusedError, recovery
from vehbench_hf.bank.schema import empty_gold
from vehbench_hf.types import SPLITS, Gold, Split, Task

DRAWS = 30
"""Draws in the box of a source before the next source is tried."""
INTERVENTION = "p3_intervention"
"""Name in a manifest of the subset on which an intervention is tried, say another form of the history."""
PER_STRATUM = 2
"""Tasks of each type in each split of that subset: 36 in all."""


@dataclass(frozen=True)
class Unit:
    """One task to be built; `key` names it in messages and in the random draws."""

    key: str
    task_id: str
    seed: int
    split: str
    plan: Planned


def units(anchors: Sequence[AnchorDesign], build: BuildSpec, p2: Mapping[str, Task]) -> list[Unit]:
    """The tasks of the bank in the order of their ids; fresh ones from fresh P2 tasks, with the types in turn.

    `anchors` are known through the P2 tasks. Raises BuildError for a split of which `p2` has no task.
    """
    work = []
    for split in ("train",) if build.fresh else SPLITS:
        plans = list(enumerate(planned(build, split, p2)))
        for task_id, (index, plan) in numbered(plans, seed=build.seed, probe="p3", split=split):
            key = f"p3/{split}/{plan.type}/{plan.anchor_key}/{index}"
            work.append(Unit(key, task_id, build.seed, split, plan))
    return work


def build_unit(unit: Unit) -> list[Task]:
    """The task of a unit.

    Raises BuildError when no draw in any of the sources keeps the rules and has a reference that can be certified.
    """
    draw = rng(unit.seed, unit.key)
    refusals: Counter[str] = Counter()
    for variant, source in unit.plan.in_turn():
        trap, story = TRAPS[unit.plan.type][variant], phrases().stories[unit.plan.type][variant]
        for _ in range(DRAWS):
            try:
                brief = recovery(source.brief, trap, story, draw)
                return [_task(unit, source, trap, brief, certified(brief.spec, brief.reference))]
            except RefusedError as refused:
                refusals[str(refused)] += 1
            except BuildError:
                refusals["no certificate for the reference"] += 1
    counted = ", ".join(f"{reason} ({count})" for reason, count in refusals.most_common())
    raise BuildError(f"{unit.key}: no draw in the boxes of {len(unit.plan.in_turn())} sources gave a brief: {counted}")


def intervention_subset(tasks: Iterable[Task]) -> list[str]:
    """Ids of two P3 tasks of each type in each published split, from different papers where there are several.

    Their ids are in an order drawn by seed, so the first ones of a stratum are a random choice. Raises BuildError for a
    stratum with fewer tasks than that; a bank without published P3 tasks has no subset.
    """
    strata: dict[tuple[str, str], list[Task]] = {}
    for task in sorted(tasks, key=lambda task: task.task_id):
        if task.probe == "p3" and task.split in SPLITS:
            strata.setdefault((task.split, task.subtype), []).append(task)
    types = sorted({subtype for _, subtype in strata})
    chosen: list[str] = []
    for split in SPLITS if strata else ():
        for subtype in types:
            stratum = strata.get((split, subtype), [])
            if len(stratum) < PER_STRATUM:
                raise BuildError(
                    f"intervention subset: expected {PER_STRATUM} tasks of {subtype} or more in {split}, "
                    f"got {len(stratum)}"
                )
            others = sorted(stratum[1:], key=lambda task: task.anchor == stratum[0].anchor)
            chosen += [task.task_id for task in (stratum[0], *others[: PER_STRATUM - 1])]
    return chosen


def _task(unit: Unit, source: Source, trap: Trap, brief: Recovery, proof: Certified) -> Task:
    name, sign = trap.moves[0] if len(trap.moves) == 1 else (None, 0)
    gold = {
        "witness": brief.witness,
        "reference": proof.reference,
        "certificate": proof.certificate,
        "anchor_design": source.anchor_design,
        "trap": {
            "type": trap.type,
            "variable": name,
            "direction": {0: None, 1: "increase", -1: "decrease"}[sign],
            "secondary_constraint": brief.secondary,
            "claims": brief.claims,
        },
    }
    return Task(
        task_id=unit.task_id,
        probe="p3",
        split=cast(Split, unit.split),
        subtype=trap.type,
        difficulty="hard",
        source_group=source.source_group,
        anchor=source.anchor,
        bank_version=PUBLISHED,
        spec=brief.spec,
        gold=cast(Gold, {**empty_gold(), **gold}),
    )
