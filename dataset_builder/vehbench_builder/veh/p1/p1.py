"""P1, triage of briefs: 240 tasks of eight subtypes, every gold action with its proof.

`brief_plan` says which briefs there are, `context` draws what they have in common, `complete_briefs`, `request` and
`ambiguous` make them. This module puts them together as tasks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from vehbench_builder.build_spec import PUBLISHED, BuildError, BuildSpec
from vehbench_builder.seeds import numbered, rng
from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.p1 import ambiguous, request
from vehbench_builder.veh.p1.brief_plan import Slot, fresh_slots, published_slots
from vehbench_builder.veh.p1.complete_briefs import Row, infeasible_margin, infeasible_structural, solvable
from vehbench_builder.veh.p1.context import draw_context
from vehbench_builder.veh.p1.notes import aside, preference, remarks
from vehbench_builder.veh.p1.request import Maker
from vehbench_hf.bank.schema import empty_gold
from vehbench_hf.types import Gold, Split, Task

ATTEMPTS = 40
"""Contexts that are drawn for a slot before it counts as impossible."""

DIFFICULTY = {"solvable_base": "base", "missing_blocker_obvious": "base", "missing_nonblocker": "moderate"}
"""All others are hard."""

FRESH_SPLIT = "train"

MAKERS: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        request.no_frequency,
        request.no_frequency_nor_damping,
        request.no_acceleration,
        request.no_load,
        ambiguous.decisive_frequency,
        ambiguous.decisive_speed,
        ambiguous.decisive_unit,
        ambiguous.decisive_grade,
        ambiguous.decisive_load,
        ambiguous.harmless_frequency,
        ambiguous.harmless_speed,
        ambiguous.harmless_unit,
        ambiguous.harmless_grade,
        ambiguous.harmless_load,
        ambiguous.harmless_damping,
    )
}
"""How briefs that withhold something are made, by the variant of a plan."""


@dataclass(frozen=True)
class Unit:
    """One task to be built: the first or the second brief (`member` 0 or 1) of a slot."""

    key: str
    task_id: str
    split: str
    slot: Slot
    member: int


def units(anchors: Sequence[AnchorDesign], build: BuildSpec, p2: Mapping[str, Task]) -> list[Unit]:
    """The tasks of P1 in the order of their ids; cheap. `p2` is not used.

    Fresh tasks are `per_anchor` for each dev anchor, of all subtypes in random order; a matched pair may be cut.
    Raises BuildError when the anchors do not suffice.
    """
    work = []
    for split, members in _members(anchors, build).items():
        for task_id, (slot, member) in numbered(members, seed=build.seed, probe="p1", split=split):
            work.append(Unit(f"{slot.key}/{member}", task_id, split, slot, member))
    return work


def build_unit(unit: Unit) -> list[Task]:
    """The task of a unit. Raises BuildError naming the unit when no drawn context allows what its plan asks for."""
    rows = _rows(unit.slot)
    if rows is None:
        raise BuildError(
            f"{unit.key}: none of {ATTEMPTS} drawn contexts allows {unit.slot.plan.variant or unit.slot.plan.subtype}; "
            "build with another seed"
        )
    row = rows[unit.member]
    task = Task(
        task_id=unit.task_id,
        probe="p1",
        split=cast(Split, unit.split),
        subtype=row.subtype,
        difficulty=DIFFICULTY.get(row.subtype, "hard"),
        source_group="oracle-domain",
        anchor=unit.slot.anchor.anchor,
        bank_version=PUBLISHED,
        spec=row.spec,
        gold=cast(Gold, {**empty_gold(), **row.gold}),
    )
    return [task]


def _members(anchors: Sequence[AnchorDesign], build: BuildSpec) -> dict[str, list[tuple[Slot, int]]]:
    """By split: the slots with the number of each brief that is made from them."""
    if not build.fresh:
        slots = published_slots(anchors, build.seed)
        return {s: [(slot, m) for slot in of_split for m in _briefs(slot)] for s, of_split in slots.items()}
    wanted, members = build.per_anchor or 1, list[tuple[Slot, int]]()
    for anchor in (a for a in anchors if a.split == "dev"):
        of_anchor = [(s, m) for s in fresh_slots(anchor, build.seed, FRESH_SPLIT, wanted) for m in _briefs(s)]
        members += of_anchor[:wanted]
    return {FRESH_SPLIT: members}


def _briefs(slot: Slot) -> list[int]:
    """The numbers of the briefs of a slot, in an order that does not always put the solvable one first."""
    count = 1 if slot.plan.twin is None else 2
    return [int(i) for i in rng(slot.seed, slot.key, "order").permutation(count)]


@lru_cache(maxsize=128)
def _rows(slot: Slot) -> tuple[Row, ...] | None:
    """The brief or the matched pair of a slot, in the first drawn context that allows it; None when none does.

    Kept, so that the second task of a pair costs nothing where one process builds both.
    """
    for attempt in range(ATTEMPTS):
        rows = _rows_in_a_context(slot, rng(slot.seed, slot.key, attempt))
        if rows is not None:
            return rows
    return None


def _rows_in_a_context(slot: Slot, draw: np.random.Generator) -> tuple[Row, ...] | None:
    plan, context = slot.plan, draw_context(slot.anchor, draw)
    if context is None:
        return None
    wish = None
    if plan.note == "preference":
        wish = preference(context.spec, plan.text, draw, load_is_free=not plan.variant.endswith("_load"))
    words = [wish.words] if wish else aside(plan.note, plan.text)
    if plan.variant in MAKERS:
        rows = [MAKERS[plan.variant](context, slot.anchor, draw)]
    else:
        granted = wish if plan.subtype == "solvable_red_herring" else None
        rows = [solvable(context, plan.subtype, draw, wish=granted)]
    if rows[0] is not None and plan.twin == "infeasible_margin":
        rows.append(infeasible_margin(context, plan.variant, draw))
    if rows[0] is not None and plan.twin == "infeasible_structural":
        rows.append(infeasible_structural(rows[0].spec, plan.variant, plan.upward, draw))
    made = [row for row in rows if row is not None]
    return tuple(_with_aside(row, words) for row in made) if len(made) == len(rows) else None


def _with_aside(row: Row, words: list[str]) -> Row:
    """The brief with an aside behind what it says already."""
    texts = [note["text"] for note in row.spec["notes"]]
    return row._replace(spec={**row.spec, "notes": remarks([*texts, *words])})
