"""How a P3 history goes astray: a hidden tuned start, and four steps that lead away from it.

| type | the steps |
|---|---|
| unit_flip | length down or substrate thickness up |
| wrong_direction | length or tip mass up |
| verifier_ignored | piezo thickness up or substrate thickness down |
| false_feasibility | a ray in the five other variables, the substrate thickness keeps the tuning |
| topology_trap | length up or down, the substrate thickness keeps the tuning |
| progressive_contamination | substrate, tip mass, piezo, width in turn, all raising the resonance or all lowering it |
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from vehbench_builder.veh.beam import unexcited
from vehbench_builder.veh.numbers import known, rounded
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES
from vehbench_oracle.space import Array, designs_at, places_of
from vehbench_oracle.veh.domain import problem_of_brief

STEPS = 4
STRIDE = 0.06
"""Share of its range by which a variable moves in a step; of a ray the fastest one."""
LONG_STRIDE = 0.12
"""The same where every step moves another variable."""
SHORT_STRIDE = 0.03
"""The same of the length where the substrate follows, which then moves by about twice as much."""
INNER = (0.2, 0.8)
"""Between which shares of every range the start lies, the load in log scale."""
EDGE = 0.01
"""Share of a range that the steps keep from its ends."""
DIGITS = 4
"""Significant digits of the designs of a history: what a person writes down."""
POINTS, TUNED_POINTS = 20_001, 2001
"""Designs looked at along a line, on which a resonance may be narrow, and along one that stays in tune."""
GRID = 33
"""Substrate thicknesses among which a tuned one is interpolated."""
HEADINGS = 16
"""Random rays from one start."""
SUBSTRATE = "substrate_thickness_um"
LENGTH = "beam_length_mm"
_SUBSTRATE = list(VARIABLES).index(SUBSTRATE)


class Trap(NamedTuple):
    """A type with one of its variants: the variables that move with their signs, one of them or one a step."""

    type: str
    moves: tuple[tuple[str, int], ...]


TRAPS: dict[str, tuple[Trap, Trap]] = {
    "unit_flip": (Trap("unit_flip", ((LENGTH, -1),)), Trap("unit_flip", ((SUBSTRATE, +1),))),
    "wrong_direction": (Trap("wrong_direction", ((LENGTH, +1),)), Trap("wrong_direction", (("tip_mass_g", +1),))),
    "false_feasibility": (Trap("false_feasibility", ()), Trap("false_feasibility", ())),
    "topology_trap": (Trap("topology_trap", ((LENGTH, +1),)), Trap("topology_trap", ((LENGTH, -1),))),
    "verifier_ignored": (
        Trap("verifier_ignored", (("piezo_thickness_um", +1),)),
        Trap("verifier_ignored", ((SUBSTRATE, -1),)),
    ),
    "progressive_contamination": (
        Trap(
            "progressive_contamination",
            ((SUBSTRATE, -1), ("tip_mass_g", +1), ("piezo_thickness_um", -1), ("beam_width_mm", -1)),
        ),
        Trap(
            "progressive_contamination",
            ((SUBSTRATE, +1), ("tip_mass_g", -1), ("piezo_thickness_um", +1), ("beam_width_mm", +1)),
        ),
    ),
}
"""The two variants of every type."""


class Walk(NamedTuple):
    """The hidden start, its place in the box, and the steps. `heading` is that of a tuned walk in shares of the box."""

    place: Array
    start: Design
    steps: tuple[Design, ...]
    heading: Array | None


def draw_place(trap: Trap, draw: np.random.Generator) -> Array:
    """A place in the inner part of the box, shape (6,), from which the steps of the trap stay inside the box."""
    low, high = np.full(len(VARIABLES), INNER[0]), np.full(len(VARIABLES), INNER[1])
    reach = {"progressive_contamination": LONG_STRIDE, "topology_trap": SHORT_STRIDE * STEPS}.get(
        trap.type, STRIDE * STEPS
    )
    for name, sign in trap.moves:
        index = list(VARIABLES).index(name)
        if sign > 0:
            high[index] = min(high[index], 1 - EDGE - reach)
        else:
            low[index] = max(low[index], EDGE + reach)
    return draw.uniform(low, high)


def start_at(spec: Spec, place: Array) -> Design:
    """The design at a place of the box as a person writes it down."""
    return _written(designs_at(problem_of_brief(spec), place))


def tuned_to(spec: Spec, start: Design) -> Spec:
    """The brief excited at the resonance of a design, at six digits."""
    frequency = float(unexcited(spec, start).resonant_freq_hz)
    return {**spec, "excitation": {**spec["excitation"], "frequency_hz": rounded(frequency)}}


def walk(spec: Spec, trap: Trap, place: Array, draw: np.random.Generator) -> Walk | None:
    """The steps from a start, in a brief excited at its resonance; None when they leave the box or gain no power."""
    if trap.type == "false_feasibility":
        return _rising(spec, place, draw)
    if trap.type == "topology_trap":
        ((name, sign),) = trap.moves
        heading = np.zeros(len(VARIABLES))
        heading[list(VARIABLES).index(name)] = sign * SHORT_STRIDE
        return _in_tune(spec, place, heading)
    start = start_at(spec, place)
    moves, stride = (trap.moves * STEPS, STRIDE) if len(trap.moves) == 1 else (trap.moves, LONG_STRIDE)
    states = [start]
    for name, sign in moves:
        low, high = problem_of_brief(spec).range_of(name)
        states.append(_written({**states[-1], name: states[-1][name] + sign * stride * (high - low)}))
    return Walk(place, start, tuple(states[1:]), None)


def way_back(spec: Spec, trap: Trap, walked: Walk) -> dict[str, Array]:
    """All designs that reversing the walk may lead to, as a batch.

    The path back over the steps, with and without the start, and straight on to the edge of the box; the range of the
    variable where only one moved; the tuned designs along the heading where there is one.
    """
    back = [*reversed(walked.steps)]
    lines = []
    for designs in (back, [*back, walked.start]):
        corners = onward(spec, designs)
        lines.append(on_path(spec, corners, np.linspace(0, len(corners) - 1, POINTS)))
    if walked.heading is not None:
        first, last = _reach(walked.place, walked.heading)
        line = designs_at(
            problem_of_brief(spec),
            walked.place[:, None] + walked.heading[:, None] * np.linspace(first, last, TUNED_POINTS),
        )
        line[SUBSTRATE] = tuned_substrate_um(spec, line)
        inside = np.isfinite(line[SUBSTRATE])
        lines.append({name: values[inside] for name, values in line.items()})
    elif len(trap.moves) == 1:
        moved = trap.moves[0][0]
        same = {name: np.full(POINTS, value) for name, value in walked.start.items()}
        lines.append({**same, moved: np.linspace(*problem_of_brief(spec).range_of(moved), POINTS)})
    return {name: np.concatenate([line[name] for line in lines]) for name in VARIABLES}


def on_path(spec: Spec, corners: Array, along: Array) -> dict[str, Array]:
    """The designs at positions 0 to n - 1 on the path through n places, shape (n, 6)."""
    places = np.array([np.interp(along, np.arange(len(corners)), column) for column in corners.T])
    return designs_at(problem_of_brief(spec), np.clip(places, 0.0, 1.0))


def onward(spec: Spec, designs: Sequence[Design]) -> Array:
    """The corners of the path through some designs, then straight on to the edge of the box; shape (n + 1, 6)."""
    problem = problem_of_brief(spec)
    places = np.array([places_of(problem, design) for design in designs])
    heading = places[-1] - places[-2]
    moving = heading != 0
    room = np.where(heading > 0, 1 - places[-1], places[-1])[moving] / np.abs(heading[moving])
    return np.vstack([places, places[-1] + heading * max(0.0, float(room.min()))])


def tuned_substrate_um(spec: Spec, designs: Mapping[str, Array]) -> Array:
    """The substrate thickness in um at which each design of a batch resonates at the excitation frequency.

    NaN where no thickness of the box does. The resonance grows with the thickness, nearly as a power of it, so that it
    is interpolated between the thicknesses of a grid in log scale, to about 1e-5.
    """
    wanted = known(spec["excitation"]["frequency_hz"])
    grid = np.geomspace(*problem_of_brief(spec).range_of(SUBSTRATE), GRID)[:, None]
    resonance = unexcited(spec, {**designs, SUBSTRATE: grid}).resonant_freq_hz
    below = (resonance <= wanted).sum(axis=0)
    index = np.clip(below, 1, GRID - 1)[None, :]
    low, high = (np.log(np.take_along_axis(resonance, i, axis=0)[0] / wanted) for i in (index - 1, index))
    share = np.clip(-low / (high - low), 0.0, 1.0)
    thickness = grid[index[0] - 1, 0] ** (1 - share) * grid[index[0], 0] ** share
    return np.where((below > 0) & (below < GRID), thickness, np.nan)


def _rising(spec: Spec, place: Array, draw: np.random.Generator) -> Walk | None:
    """Tuned steps along the first of some random headings on which the power rises from step to step."""
    for _ in range(HEADINGS):
        heading = draw.standard_normal(len(VARIABLES))
        heading[_SUBSTRATE] = 0.0
        walked = _in_tune(spec, place, heading * STRIDE / np.abs(heading).max())
        if walked is not None:
            power = problem_of_brief(spec).respond(_batch([walked.start, *walked.steps])).load_power_uw
            if np.all(np.diff(power) > 0):
                return walked
    return None


def _in_tune(spec: Spec, place: Array, heading: Array) -> Walk | None:
    """Steps along a heading, at each of which the substrate is solved for the excitation frequency."""
    if _reach(place, heading)[1] < STEPS:
        return None
    untuned = [start_at(spec, place + k * heading) for k in range(1, STEPS + 1)]
    thicknesses = tuned_substrate_um(spec, _batch(untuned))
    if not np.all(np.isfinite(thicknesses)):
        return None
    steps = [_written({**design, SUBSTRATE: thickness}) for design, thickness in zip(untuned, thicknesses, strict=True)]
    return Walk(place, start_at(spec, place), tuple(steps), heading)


def _reach(place: Array, heading: Array) -> tuple[float, float]:
    """How many headings it is from a place to the edge of the box, back (negative) and ahead."""
    moving = heading != 0
    ends = np.sort(np.array([-place[moving], 1 - place[moving]]) / heading[moving], axis=0)
    return float(ends[0].max()), float(ends[1].min())


def _written(design: Mapping[str, Array | float]) -> Design:
    """A design at the digits of a history."""
    return {name: rounded(float(np.asarray(design[name])), DIGITS) for name in VARIABLES}


def _batch(designs: Sequence[Design]) -> dict[str, Array]:
    return {name: np.array([design[name] for design in designs]) for name in VARIABLES}
