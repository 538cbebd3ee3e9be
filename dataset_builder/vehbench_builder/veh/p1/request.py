"""P1 briefs that lack what decides them: two admissible completions with opposite verdicts prove it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.numbers import known, rounded
from vehbench_builder.veh.p1.complete_briefs import Row
from vehbench_builder.veh.p1.context import Context, with_target
from vehbench_builder.veh.p1.notes import remarks, statement
from vehbench_builder.veh.p1.resonance import narrow_resonance_range_hz
from vehbench_builder.veh.p1.search import common_design, refutation
from vehbench_hf.types import Changes, Completion, Design, Spec
from vehbench_oracle import DECLARED_DOMAIN, Box
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO
from vehbench_oracle.veh.domain import problem_of_brief

TARGET_SHARES = (0.50, 0.85)
"""Power target over what the witness yields."""
ROOM = 0.04
"""Share of the upper limits that the witness keeps in hand."""
FREQUENCY_REACH = (0.25, 4.0)
"""An admissible excitation frequency over the anchor's resonance."""
BEYOND = (1.08, 1.40)
"""The allowed band of an infeasible frequency lies outside the resonances of the box by such a factor."""
WEAKER = (3.0, 5.0, 10.0, 30.0)
SMALLEST_ACCELERATION_G = 0.01
DAMPING_BELOW, DAMPING_ABOVE = (0.80, 0.92), (1.10, 1.40)
"""Ends of a damping range over the oracle's default."""
DAMPING_DIGITS = 2
LEAST_SLACK = 0.01
"""Share of every limit that a witness keeps in hand under every feasible completion."""

FIELDS: tuple[Literal["frequency_hz", "acceleration_g", "load_resistance_ohm", "piezo"], ...] = (
    "frequency_hz",
    "acceleration_g",
    "load_resistance_ohm",
    "piezo",
)
"""What a brief may be asked about, as `gold` names it."""

Named = tuple[str, Changes]
"""A completion before its verdict is known."""
Maker = Callable[[Context, AnchorDesign, np.random.Generator], Row | None]
"""Makes a brief that withholds something; None when the context does not allow it."""


def no_frequency(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The excitation frequency is not stated."""
    public = withheld(context.spec, "frequency_hz")
    inside = known(context.spec["excitation"]["frequency_hz"])
    return request(public, [at_frequency(inside)], map(at_frequency, beyond_reach(context, anchor, draw)), draw)


def no_frequency_nor_damping(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The excitation frequency is not stated, and the damping ratio is a range, which has no influence.

    One witness solves the feasible completion at both ends of the range, and the other completion misses the
    resonances of the box at any damping.
    """
    low, high = damping_range(draw)
    public: Spec = {
        **withheld(context.spec, "frequency_hz", "damping_ratio"),
        "notes": remarks([statement("damping", low=low, high=high)]),
    }

    def at(frequency_hz: float, damping: float) -> Named:
        name = f"{frequency_hz:g} Hz and a damping ratio of {damping:g}"
        return name, changed(frequency_hz=frequency_hz, damping_ratio=damping)

    inside = known(context.spec["excitation"]["frequency_hz"])
    outside = [at(frequency, low) for frequency in beyond_reach(context, anchor, draw)]
    return request(public, [at(inside, low), at(inside, high)], outside, draw)


def no_acceleration(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The acceleration is not stated."""
    own = known(context.spec["excitation"]["acceleration_g"])
    weaker = [max(rounded(own / factor), SMALLEST_ACCELERATION_G) for factor in WEAKER]
    return request(
        withheld(context.spec, "acceleration_g"),
        [at_acceleration(own)],
        [at_acceleration(a) for a in weaker if a < own],
        draw,
    )


def no_load(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> Row | None:
    """The load is set by others and not stated."""
    extremes = draw.permutation(DECLARED_DOMAIN["load_resistance_ohm"]).tolist()
    public: Spec = {**withheld(context.spec, "load_resistance_ohm"), "notes": remarks([statement("open_load")])}
    near = context.reference["load_resistance_ohm"]
    return request(public, [at_load(near)], map(at_load, extremes), draw)


def request(
    public: Spec,
    feasible: Sequence[Named],
    infeasible: Iterable[Named],
    draw: np.random.Generator,
    *,
    subtype: str = "missing_blocker_obvious",
    least_target_uw: float = 0.0,
) -> Row | None:
    """A brief that one witness solves under all `feasible` completions and none under the first provable other one.

    The target is a share of what the witness yields, and not less than `least_target_uw`. The missing fields are what
    the two kinds of completions state differently. None when the search finds no witness, or nothing is proven.
    """
    briefs = [completed(public, changes) for _, changes in feasible]
    common = common_design(briefs, seed=int(draw.integers(2**32)), room=ROOM)
    if common is None or least_target_uw > TARGET_SHARES[1] * common.power_uw:
        return None
    lowest = max(TARGET_SHARES[0], least_target_uw / common.power_uw)
    spec = with_target(public, float(draw.uniform(lowest, TARGET_SHARES[1])) * common.power_uw)
    witnessed = solved(spec, feasible, common.design)
    other = next(filter(None, (refuted(spec, name, changes) for name, changes in infeasible)), None)
    if witnessed is None or other is None:
        return None
    pairs = [(completion["changes"], other["changes"]) for completion in witnessed]
    missing = [name for name in FIELDS if all(changes[name] != opposite[name] for changes, opposite in pairs)]
    gold = {"action": "request_missing_info", "missing_fields": missing, "completions": [*witnessed, other]}
    return Row(subtype, spec, gold)


def changed(**known: float | str) -> Changes:
    """`Changes` with null for everything that is not given."""
    return cast(Changes, dict.fromkeys(Changes.__annotations__) | known)


def withheld(spec: Spec, *names: str) -> Spec:
    """The brief without some of frequency_hz, acceleration_g, load_resistance_ohm, piezo, damping_ratio."""
    return _with(spec, dict.fromkeys(names))


def completed(spec: Spec, changes: Changes) -> Spec:
    """The brief with what a completion states; a load is given by bounds that coincide."""
    load = changes["load_resistance_ohm"]
    known = {name: value for name, value in changes.items() if value is not None}
    return _with(spec, known if load is None else {**known, "load_resistance_ohm": Box(min=load, max=load)})


def _with(spec: Spec, values: Mapping[str, Any]) -> Spec:
    """The brief with other values of some of its fields, wherever in it they stand."""
    parts = {part: dict(spec[part]) for part in ("variable_bounds", "excitation", "materials")}
    for fields in parts.values():
        fields.update({name: value for name, value in values.items() if name in fields})
    return cast(Spec, {**spec, **parts})


def solved(spec: Spec, named: Sequence[tuple[str, Changes]], witness: Design) -> list[Completion] | None:
    """The completions, when one witness solves them all, else None.

    Where a completion fixes the load, that load takes the place of the witness's own.
    """
    completions: list[Completion] = []
    for name, changes in named:
        load = changes["load_resistance_ohm"]
        design = witness if load is None else {**witness, "load_resistance_ohm": load}
        if problem_of_brief(completed(spec, changes)).least_slack(design) < LEAST_SLACK:
            return None
        completions.append({"name": name, "changes": changes, "feasible": True, "witness": design, "certificate": None})
    return completions


def refuted(spec: Spec, name: str, changes: Changes) -> Completion | None:
    """A completion under which no design meets the brief, nor a somewhat lower target; None without a proof."""
    proof = refutation(completed(spec, changes))
    if proof is None:
        return None
    return {"name": name, "changes": changes, "feasible": False, "witness": None, "certificate": proof}


def beyond_reach(context: Context, anchor: AnchorDesign, draw: np.random.Generator) -> list[float]:
    """Admissible frequencies in Hz beyond the resonances of the box, on one side and on the other, in random order."""
    reach = narrow_resonance_range_hz(context.spec)
    width = known(context.spec["constraints"]["freq_error_pct_limit"]) / 100
    factor = float(draw.uniform(*BEYOND))
    sides = [rounded(reach.high * factor / (1 - width), 4), rounded(reach.low / factor / (1 + width), 4)]
    low, high = (share * anchor.resonance_hz for share in FREQUENCY_REACH)
    return [sides[i] for i in draw.permutation(2) if low <= sides[i] <= high]


def damping_range(draw: np.random.Generator) -> tuple[float, float]:
    """Two damping ratios, below and above the oracle's default."""
    low, high = (DEFAULT_DAMPING_RATIO * float(draw.uniform(*ends)) for ends in (DAMPING_BELOW, DAMPING_ABOVE))
    return rounded(low, DAMPING_DIGITS), rounded(high, DAMPING_DIGITS)


def at_frequency(frequency_hz: float) -> Named:
    """The completion with an excitation frequency."""
    return f"{frequency_hz:g} Hz", changed(frequency_hz=frequency_hz)


def at_acceleration(acceleration_g: float) -> Named:
    """The completion with an acceleration."""
    return f"{acceleration_g:g} g", changed(acceleration_g=acceleration_g)


def at_load(load_ohm: float) -> Named:
    """The completion with a fixed load."""
    return f"a load of {load_ohm:g} ohm", changed(load_resistance_ohm=load_ohm)


def at_grade(piezo: str) -> Named:
    """The completion with a piezoelectric material."""
    return piezo, changed(piezo=piezo)
