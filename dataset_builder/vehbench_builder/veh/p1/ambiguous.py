"""P1 briefs that state something in words where a number could be: decisive in some, harmless in others.

The same words come with both actions. Where they are decisive, the brief is feasible at one admissible value and
infeasible at another. Where they are harmless, one witness solves it at every admissible value.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.limits import SMALLEST_TARGET_UW
from vehbench_builder.veh.numbers import known, rounded
from vehbench_builder.veh.p1.complete_briefs import Row
from vehbench_builder.veh.p1.context import Context, with_target
from vehbench_builder.veh.p1.notes import GRADES, grade_words, remarks, statement
from vehbench_builder.veh.p1.request import (
    ROOM,
    TARGET_SHARES,
    Named,
    at_acceleration,
    at_frequency,
    at_grade,
    at_load,
    beyond_reach,
    changed,
    completed,
    damping_range,
    request,
    solved,
    withheld,
)
from vehbench_builder.veh.p1.search import best_design, bounded, common_design
from vehbench_hf.types import Spec
from vehbench_oracle import DECLARED_DOMAIN
from vehbench_oracle.veh.cantilever import GRAVITY_M_S2

SUBTYPE = "missing_blocker_ambiguous"
WORD_DIGITS = 4
"""Significant digits of numbers in words."""
RPM_PER_HZ = 60.0
POINTS = 11
"""Values of a harmless range at which the witness is checked, ends included."""
HARMLESS_DETUNING = (0.3, 0.6)
"""Half width of a harmless frequency range over the frequency limit."""
HARMLESS_LOADS = (1.5, 4.0)
"""Upper over lower end of a harmless load range."""
DECISIVE_LOADS = (3.0, 6.0, 12.0, 25.0, 50.0, 100.0, 200.0, 400.0)
"""Factors between the ends of a decisive load range, tried in this order."""
ABOVE_BOUND = 1.06
"""The target in a decisive choice of grade over the bound of the weaker one."""


def decisive_frequency(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The excitation frequency is stated as a range that leaves the resonances of the box."""
    return _decisive_frequency(context, anchor, draw, "frequency", 1.0)


def decisive_speed(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """As `decisive_frequency`, in terms of the speed of a machine."""
    return _decisive_frequency(context, anchor, draw, "speed", RPM_PER_HZ)


def harmless_frequency(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The excitation frequency is stated as a range well within the frequency limit."""
    return _harmless_frequency(context, draw, "frequency", 1.0)


def harmless_speed(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """As `harmless_frequency`, in terms of the speed of a machine."""
    return _harmless_frequency(context, draw, "speed", RPM_PER_HZ)


def decisive_unit(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The acceleration has no unit: in g the brief is feasible, in m/s2 it is not."""
    public, in_g, in_si = _without_unit(context)
    return request(public, [in_g], [in_si], draw, subtype=SUBTYPE)


def harmless_unit(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The acceleration has no unit, and the target is so low that one witness meets all limits with both."""
    public, *units = _without_unit(context)
    return _harmless(public, units, draw)


def decisive_grade(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The piezo has one of two grades, and the target lies between what they yield."""
    public, grades, seed = _without_grade(context), list(map(at_grade, GRADES)), int(draw.integers(2**32))
    ranked = []
    for name, changes in grades:
        full = completed(public, changes)
        best = best_design(full, seed=seed)
        reference = bounded(full, best.design) if best else None
        if reference is None:
            return None
        ranked.append((known(reference.reference["upper_bound_uw"]), (name, changes)))
    (bound_uw, weaker), (_, stronger) = sorted(ranked, key=lambda pair: pair[0])
    return request(public, [stronger], [weaker], draw, subtype=SUBTYPE, least_target_uw=ABOVE_BOUND * bound_uw)


def harmless_grade(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The piezo has one of two grades, and one witness meets all limits with both."""
    return _harmless(_without_grade(context), list(map(at_grade, GRADES)), draw)


def decisive_load(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The load is set by others and stated as a range at one end of which no design meets the target."""
    near, (lowest, highest) = _load(context), DECLARED_DOMAIN["load_resistance_ohm"]
    up = bool(draw.integers(2))
    ways = [[near * f if way else near / f for f in DECISIVE_LOADS] for way in (up, not up)]
    far = [rounded(load, WORD_DIGITS) for way in ways for load in way if lowest <= load <= highest]
    public = withheld(context.spec, "load_resistance_ohm")
    row = request(public, [at_load(near)], map(at_load, far), draw, subtype=SUBTYPE)
    if row is None:
        return None
    ends = sorted(completion["changes"]["load_resistance_ohm"] for completion in row.gold["completions"])
    return row._replace(spec={**row.spec, "notes": remarks([statement("load", low=ends[0], high=ends[1])])})


def harmless_load(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The load is set by others and stated as a range in which one witness meets all limits."""
    middle, ratio = _load(context), float(draw.uniform(*HARMLESS_LOADS))
    lowest, highest = DECLARED_DOMAIN["load_resistance_ohm"]
    low = rounded(max(lowest, middle / ratio**0.5), WORD_DIGITS)
    high = rounded(min(highest, middle * ratio**0.5), WORD_DIGITS)
    public: Spec = {
        **withheld(context.spec, "load_resistance_ohm"),
        "notes": remarks([statement("load", low=low, high=high)]),
    }
    return _harmless(public, [at_load(float(load)) for load in np.geomspace(low, high, POINTS)], draw)


def harmless_damping(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The damping ratio is stated as a range in which one witness meets all limits."""
    low, high = damping_range(draw)
    public: Spec = {
        **withheld(context.spec, "damping_ratio"),
        "notes": remarks([statement("damping", low=low, high=high)]),
    }
    ratios = [float(z) for z in np.linspace(low, high, POINTS)]
    return _harmless(public, [(f"a damping ratio of {z:.4g}", changed(damping_ratio=z)) for z in ratios], draw)


def _harmless(public: Spec, named: Sequence[Named], draw: np.random.Generator) -> Row | None:
    briefs = [completed(public, changes) for _, changes in named]
    common = common_design(briefs, seed=int(draw.integers(2**32)), room=ROOM)
    if common is None:
        return None
    spec = with_target(public, float(draw.uniform(*TARGET_SHARES)) * common.power_uw)
    completions = solved(spec, named, common.design)
    if completions is None or known(spec["constraints"]["power_target_uw"]) < SMALLEST_TARGET_UW:
        return None
    gold = {
        "action": "propose_design",
        "witness": completions[len(completions) // 2]["witness"],
        "completions": completions,
    }
    return Row(SUBTYPE, spec, gold)


def _decisive_frequency(
    context: Context, anchor: AnchorDesign, draw: np.random.Generator, words: str, per_hz: float
) -> Row | None:
    inside = known(context.spec["excitation"]["frequency_hz"])
    outside = next(iter(beyond_reach(context, anchor, draw)), None)
    if outside is None:
        return None
    spoken = [rounded(f * per_hz, WORD_DIGITS) for f in (inside, outside)]
    public = _in_words(context.spec, "frequency", statement(words, low=min(spoken), high=max(spoken)))
    yes, no = (at_frequency(value / per_hz) for value in spoken)
    return request(public, [yes], [no], draw, subtype=SUBTYPE)


def _harmless_frequency(context: Context, draw: np.random.Generator, words: str, per_hz: float) -> Row | None:
    middle = per_hz * known(context.spec["excitation"]["frequency_hz"])
    limit = known(context.spec["constraints"]["freq_error_pct_limit"]) / 100
    half_width = float(draw.uniform(*HARMLESS_DETUNING)) * limit
    low, high = rounded(middle * (1 - half_width), WORD_DIGITS), rounded(middle * (1 + half_width), WORD_DIGITS)
    public = _in_words(context.spec, "frequency", statement(words, low=low, high=high))
    return _harmless(public, [at_frequency(float(f) / per_hz) for f in np.linspace(low, high, POINTS)], draw)


def _without_unit(context: Context) -> tuple[Spec, Named, Named]:
    """The brief with a bare number for the acceleration, and its completions in g and in m/s2."""
    value = rounded(known(context.spec["excitation"]["acceleration_g"]), WORD_DIGITS)
    public = _in_words(context.spec, "acceleration", statement("acceleration", value=value))
    in_si = value / GRAVITY_M_S2
    return public, at_acceleration(value), (f"{value:g} m/s2", changed(acceleration_g=in_si))


def _without_grade(context: Context) -> Spec:
    return {**withheld(context.spec, "piezo"), "notes": remarks([grade_words()])}


def _load(context: Context) -> float:
    return rounded(context.reference["load_resistance_ohm"], WORD_DIGITS)


def _in_words(spec: Spec, name: Literal["frequency", "acceleration"], text: str) -> Spec:
    """The brief with a text in place of the number for the frequency or the acceleration of its excitation."""
    public = withheld(spec, {"frequency": "frequency_hz", "acceleration": "acceleration_g"}[name])
    return {**public, "excitation": {**public["excitation"], "stated": [{"name": name, "text": text}]}}
