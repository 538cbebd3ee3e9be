"""Which P1 briefs there are: how many of each kind in a split, on which anchors, with which asides.

A slot is a context with the one or two briefs made from it. Two are a matched pair: the same anchor, box, limits and
notes, one solvable and one infeasible, which differ in the power target or in the excitation frequency alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vehbench_builder.build_spec import BuildError
from vehbench_builder.seeds import rng
from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.beam import resonance_hz
from vehbench_builder.veh.p1.notes import GRADES, NoteKind
from vehbench_hf.types import SPLITS
from vehbench_oracle import respond

CONTEXTS = 20
"""Anchors of P1; dev has all of them, test_id and test_ood each lack another one."""
GROUP = 10
"""Slots of a subtype in a split."""
DECISIVE_GRADE = 0.6
"""From this effect on power on, an anchor is taken for briefs in which the grade of the ceramic decides."""
DEALS = 1000
"""Deals that are tried before the anchors count as unsuitable."""


@dataclass(frozen=True)
class Plan:
    """What a slot makes: a brief of `subtype`, and where `twin` names one its infeasible twin.

    `variant` names the margin or gap of the twin, or what is withheld and how. `note` is the kind of aside that the
    briefs carry and `text` its number.
    """

    subtype: str
    twin: str | None = None
    variant: str = ""
    upward: bool = False
    note: NoteKind = "none"
    text: int = 0


@dataclass(frozen=True)
class Slot:
    """A plan on an anchor; `key` names it and, with `seed`, its random draws."""

    key: str
    seed: int
    plan: Plan
    anchor: AnchorDesign = field(compare=False)


_WITH_OWN_NOTE: tuple[tuple[str, NoteKind, int], ...] = (
    ("solvable_red_herring", "preference", 0),
    ("missing_nonblocker", "unspecified", 1),
)
"""Subtypes that are defined by their aside. Half of their slots have a structural twin; the last entry makes as many
of those go up as down."""
_MARGIN_TIERS = ("tight",) * 4 + ("moderate",) * 4 + ("obvious",) * 2
_GAP_TIERS = ("near",) * 3 + ("far",) * 2
_OBVIOUS = ("no_frequency",) * 3 + ("no_frequency_nor_damping",) + ("no_acceleration",) * 3 + ("no_load",) * 3
_DECISIVE = ("decisive_frequency", "decisive_speed", "decisive_unit", "decisive_grade", "decisive_load")
_HARMLESS = ("harmless_damping", "harmless_unit", "harmless_grade", "harmless_load")

_FIVE: tuple[NoteKind, ...] = ("preference", "unspecified", "estimate", "application", "none")
_TEN: tuple[NoteKind, ...] = (*(_FIVE[:2] * 3), *(_FIVE[2:3] * 2), *_FIVE[3:])
_TEN_OTHERS: tuple[NoteKind, ...] = ("estimate",) * 4 + ("application",) * 4 + ("none",) * 2
"""Asides of five or ten slots. They give each kind about the same share under every gold action: preferences and
unspecified details a quarter each, estimates and applications a fifth each."""


def published_slots(anchors: Sequence[AnchorDesign], seed: int) -> dict[str, list[Slot]]:
    """The slots of the three splits, 60 in each. Raises BuildError when the anchors do not suffice."""
    # Well documented ones first, and devices measured on a shaker before those that lend their geometry only.
    ranked = sorted((a for a in anchors if a.inside_domain), key=lambda a: (a.documentation == "weak", a.device_class))
    if len(ranked) < CONTEXTS:
        raise BuildError(f"P1 needs {CONTEXTS} anchors inside the oracle's domain, there are {len(ranked)}")
    contexts = ranked[:CONTEXTS]
    lacking = rng(seed, "p1", "lacking").permutation(CONTEXTS).tolist()
    slots: dict[str, list[Slot]] = {}
    for number, split in enumerate(SPLITS):
        present = [a for i, a in enumerate(contexts) if number == 0 or i != lacking[number]]
        plans = _plans_of_a_split(rng(seed, "p1", split, "asides"), spoken_as_speed=number == 1)
        slots[split] = [
            _slot(seed, split, plan, index, anchor)
            for index, (plan, anchor) in enumerate(_dealt(plans, present, seed, split))
        ]
    return slots


def fresh_slots(anchor: AnchorDesign, seed: int, split: str, count: int) -> list[Slot]:
    """`count` slots on one anchor: all plans that suit it, shuffled, again and again; a larger count adds slots."""
    draw = rng(seed, "p1", split, anchor.key)
    slots: list[Slot] = []
    while len(slots) < count:
        plans = [plan for plan in _plans_of_a_split(draw, spoken_as_speed=False) if _suits(plan, anchor)]
        for i in draw.permutation(len(plans)):
            slots.append(_slot(seed, split, plans[i], len(slots), anchor))
    return slots[:count]


def _slot(seed: int, split: str, plan: Plan, index: int, anchor: AnchorDesign) -> Slot:
    return Slot(f"p1/{split}/{plan.subtype}/{anchor.key}/{index}", seed, plan, anchor)


def _plans_of_a_split(draw: np.random.Generator, *, spoken_as_speed: bool) -> list[Plan]:
    """The 60 plans of a split, which make 80 briefs: 45 to propose, 20 infeasible, 15 to ask about.

    The asides are dealt out at random within each subtype. `spoken_as_speed` says how the harmless range of excitation
    frequencies is stated.
    """
    harmless = ("harmless_speed" if spoken_as_speed else "harmless_frequency", *_HARMLESS)
    plans = []
    for note, text in _asides(_TEN_OTHERS, draw):
        plans.append(Plan("solvable_base", note=note, text=text))
    for (note, text), tier in zip(_asides(_TEN_OTHERS, draw), _MARGIN_TIERS, strict=True):
        plans.append(Plan("solvable_boundary", "infeasible_margin", tier, note=note, text=text))
    for subtype, own, parity in _WITH_OWN_NOTE:
        for i, (note, text) in enumerate(_asides((own,) * GROUP, draw)):
            twin = "infeasible_structural" if i < len(_GAP_TIERS) else None
            tier = _GAP_TIERS[i] if twin else ""
            plans.append(Plan(subtype, twin, tier, upward=i % 2 == parity, note=note, text=text))
    for (note, text), variant in zip(_asides(_TEN, draw), _OBVIOUS, strict=True):
        plans.append(Plan("missing_blocker_obvious", variant=variant, note=note, text=text))
    for variants in (_DECISIVE, harmless):
        for (note, text), variant in zip(_asides(_FIVE, draw), variants, strict=True):
            plans.append(Plan("missing_blocker_ambiguous", variant=variant, note=note, text=text))
    return plans


def _asides(kinds: Sequence[NoteKind], draw: np.random.Generator) -> list[tuple[NoteKind, int]]:
    """The kinds in random order, each with a number of its text; the numbers of a kind follow each other."""
    start = int(draw.integers(12))
    numbered = [(kind, start + kinds[:i].count(kind)) for i, kind in enumerate(kinds)]
    return [numbered[i] for i in draw.permutation(len(kinds))]


def _dealt(
    plans: Sequence[Plan], anchors: Sequence[AnchorDesign], seed: int, split: str
) -> list[tuple[Plan, AnchorDesign]]:
    """Each plan with an anchor: all anchors occur, none twice for one subtype, each as often as any other (+-1)."""
    groups = [plans[i : i + GROUP] for i in range(0, len(plans), GROUP)]
    for attempt in range(DEALS):
        draw = rng(seed, "p1", split, "anchors", attempt)
        rounds = -(-len(plans) // len(anchors))
        deck = [int(i) for _ in range(rounds) for i in draw.permutation(len(anchors))]
        hands = [deck[i : i + GROUP] for i in range(0, len(plans), GROUP)]
        if any(len(set(hand)) < GROUP for hand in hands):
            continue
        dealt = [_matched(group, [anchors[i] for i in hand]) for group, hand in zip(groups, hands, strict=True)]
        if None not in dealt:
            return [pair for pairs in dealt if pairs for pair in pairs]
    raise BuildError(f"p1 {split}: the anchors cannot be dealt out to the plans; too few have a piezo layer of PZT")


def _matched(group: Sequence[Plan], hand: Sequence[AnchorDesign]) -> list[tuple[Plan, AnchorDesign]] | None:
    """The plans of a group with the anchors of a hand, the choosiest first; None when one finds no anchor."""
    left, pairs = list(hand), []
    for plan in sorted(group, key=lambda p: sum(_suits(p, a) for a in hand)):
        anchor = next((a for a in left if _suits(plan, a)), None)
        if anchor is None:
            return None
        left.remove(anchor)
        pairs.append((plan, anchor))
    return pairs


def _suits(plan: Plan, anchor: AnchorDesign) -> bool:
    """Whether a plan makes sense on an anchor: a grade needs a ceramic, a decisive one must make a difference."""
    if not plan.variant.endswith("_grade"):
        return True
    if anchor.piezo not in GRADES:
        return False
    return plan.variant != "decisive_grade" or _grade_effect(anchor) >= DECISIVE_GRADE


def _grade_effect(anchor: AnchorDesign) -> float:
    """|ln| of the ratio of the anchor's powers with the two grades, each at its own resonance."""
    powers = []
    for grade in GRADES:
        frequency = resonance_hz(anchor.design, grade, anchor.substrate)
        response = respond(
            anchor.design, frequency_hz=frequency, acceleration_g=1.0, piezo=grade, substrate=anchor.substrate
        )
        powers.append(float(response.load_power_uw))
    return abs(math.log(powers[0] / powers[1]))
