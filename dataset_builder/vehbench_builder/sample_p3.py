"""The P3 tasks of the sample: four steps that lead away from a tuned state, each with a note that misleads.

A hidden start is tuned to the excitation. One variable then walks away from it, while the notes hold on to a false
claim. The stress limit lies below what every tuned and strong enough design along that variable needs, so that walking
back does not help: another variable has to move too.
"""

from typing import NamedTuple

import numpy as np

from vehbench_builder.devices import Device
from vehbench_builder.reference import best_design
from vehbench_builder.rows import task_of
from vehbench_builder.sample_p2 import reference_of
from vehbench_builder.veh.p3.recovery import witness
from vehbench_builder.veh.spec_numbers import (
    Array,
    bounds_of,
    brief_around,
    excited,
    known,
    response_for,
    rounded_design,
    unit_box,
    with_limits,
)
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Design, HistoryStep, Spec, Task
from vehbench_oracle import VARIABLES

STEPS = 4
QUERY_BUDGET = 8
STRIDE = 0.08
"""Share of its range by which the walking variable moves in a step."""
FREQUENCY_SHARE = 0.6
"""Frequency limit over the frequency error of the first step, so that every step breaks it."""
TARGET_SHARE = 0.6
"""Power target over the power of the hidden start."""
STRESS_SHARE = 0.97
"""Stress limit over the smallest stress of a tuned and strong enough design on the line of the walking variable."""
SECONDARY = "stress_limit_mpa"


class Trap(NamedTuple):
    """A false claim: the variable that is moved for it, the sign, and the note of each step.

    Notes may name the reading before the step: {f} resonance in Hz, {rad} the same divided by 2 pi, {e} the
    frequency error in percent, {fe} the excitation in Hz.
    """

    name: str
    variable: str
    sign: int
    notes: tuple[str, str, str, str]


WRONG_DIRECTION_LENGTH = Trap(
    "wrong_direction",
    "beam_length_mm",
    +1,
    (
        "The excitation is at {fe} Hz. A longer beam resonates higher, so I lengthen it to come up to that.",
        "{f} Hz is below {fe} Hz. Length raises the resonance, there just was not enough of it: longer again.",
        "Now {f} Hz. The trend will turn once the beam is long enough, so I keep lengthening it.",
        "{f} Hz, {e} % away. One more step of length should lift the resonance to the excitation.",
    ),
)
WRONG_DIRECTION_MASS = Trap(
    "wrong_direction",
    "tip_mass_g",
    +1,
    (
        "A heavier tip drives the beam harder and raises its resonance towards {fe} Hz, so I add tip mass.",
        "{f} Hz is short of {fe} Hz. The tip is still too light to pull the resonance up; more mass.",
        "{f} Hz. Adding mass is the right way to a higher resonance, the steps are only too small.",
        "{f} Hz, {e} % away. The next bit of tip mass will bring the resonance back up.",
    ),
)
UNIT_FLIP_LENGTH = Trap(
    "unit_flip",
    "beam_length_mm",
    -1,
    (
        "The verifier writes Hz but counts rad/s, so its resonances must be divided by 6.28. The beam is far too "
        "soft for {fe} Hz; I shorten it.",
        "A reading of {f} means {rad} Hz in truth. That is still much too low, so I shorten the beam further.",
        "{f} on the display, {rad} Hz in reality. We are closing in on {fe} Hz; shorter again.",
        "The real resonance is now {rad} Hz. The {e} % are an artefact of the unit; I go on shortening.",
    ),
)
UNIT_FLIP_SUBSTRATE = Trap(
    "unit_flip",
    "substrate_thickness_um",
    +1,
    (
        "Resonances come in rad/s here, whatever the unit says. Divided by 6.28 the beam is too soft for {fe} Hz, so "
        "I thicken the substrate.",
        "{f} is an angular value, so the beam sits at {rad} Hz. It needs more stiffness: a thicker substrate.",
        "Converted, {f} is {rad} Hz. The direction is right, the beam is simply not stiff enough yet.",
        "True resonance {rad} Hz against {fe} Hz wanted. I ignore the {e} % and add substrate once more.",
    ),
)
VERIFIER_IGNORED = Trap(
    "verifier_ignored",
    "substrate_thickness_um",
    -1,
    (
        "A thinner substrate bends more and yields more power. I start thinning it.",
        "The verifier complains about a frequency error of {e} %. That limit is overcautious; the design is fine. "
        "Thinner still.",
        "Again a complaint, {e} %. A real device would pass, and the power is on its way up. I keep thinning.",
        "{e} % off by its count, but its limits are too strict to be taken at face value. One more step.",
    ),
)


def recovery_task(device: Device, number: int, seed: int, acceleration_g: float, trap: Trap) -> Task:
    """A corrupted history without a feasible step, and a reference that shows the way out exists.

    Raises ValueError when the walk does not fit the story (choose another seed).
    """
    draw = np.random.default_rng(seed)
    spec = brief_around(device, draw=draw, half_width=0.2, acceleration_g=acceleration_g, room=1.8)
    u = draw.uniform(0.4, 0.6, len(VARIABLES))
    u[list(VARIABLES).index(trap.variable)] = 0.5 - trap.sign * STRIDE * STEPS / 2
    place = unit_box(spec)
    start = rounded_design(place(u))
    frequency = float(response_for(spec, start, frequency_hz=1.0).resonant_freq_hz)
    spec = excited(spec, frequency_hz=frequency, acceleration_g=acceleration_g)
    walk = [_moved(spec, start, trap, k * STRIDE) for k in range(1, STEPS + 1)]
    error = float(response_for(spec, walk[0]).freq_error_pct)
    at_start = response_for(spec, start)
    spec = with_limits(
        spec,
        freq_error_pct_limit=FREQUENCY_SHARE * error,
        disp_limit_mm=1.8 * float(at_start.tip_disp_mm),
        power_target_uw=TARGET_SHARE * float(at_start.load_power_uw),
    )
    spec = with_limits(spec, stress_limit_mpa=STRESS_SHARE * _smallest_useful_stress(spec, start, trap))
    found = best_design(spec, seed=seed)
    if not judge_for(spec, found.design).feasible:
        raise ValueError(f"{trap.name}: the target is out of reach under the stress limit; choose another seed")
    spec = {**spec, "query_budget": QUERY_BUDGET, "history": _history(spec, walk, trap)}
    way_out = witness(spec)
    if way_out is None:
        raise ValueError(f"{trap.name}: no design has room to every limit; choose another seed")
    gold = {
        "witness": way_out,
        "reference": reference_of(spec, found),
        "anchor_design": device.design,
        "trap": {
            "type": trap.name,
            "variable": trap.variable,
            "direction": "increase" if trap.sign > 0 else "decrease",
            "secondary_constraint": SECONDARY,
            "claims": [],
        },
    }
    return task_of(device, probe="p3", number=number, subtype=trap.name, spec=spec, gold=gold)


def _moved(spec: Spec, start: Design, trap: Trap, share: float) -> Design:
    low, high = bounds_of(spec, trap.variable)
    value = start[trap.variable] + trap.sign * share * (high - low)
    return rounded_design({**start, trap.variable: value})


def _smallest_useful_stress(spec: Spec, start: Design, trap: Trap) -> float:
    """The smallest stress (MPa) of designs on the line that meet frequency limit and power target."""
    low, high = bounds_of(spec, trap.variable)
    line: Array = np.linspace(low, high, 20_001)
    response = response_for(spec, {**start, trap.variable: line})
    tuned = response.freq_error_pct <= known(spec["constraints"]["freq_error_pct_limit"])
    strong = response.load_power_uw >= known(spec["constraints"]["power_target_uw"])
    return float(response.tip_stress_mpa[tuned & strong].min())


def _history(spec: Spec, walk: list[Design], trap: Trap) -> list[HistoryStep]:
    steps: list[HistoryStep] = []
    reading = {"fe": f"{spec['excitation']['frequency_hz']:.4g}"}
    for design, note in zip(walk, trap.notes, strict=True):
        verdict = judge_for(spec, design)
        if verdict.feasible:
            raise ValueError(f"{trap.name}: a step of the history is feasible")
        steps.append(
            {
                "design": design,
                "note": note.format(**reading),
                "verdict": {
                    "feasible": verdict.feasible,
                    "power_uw": verdict.metrics["load_power_uw"],
                    "slack": verdict.slack,
                    "violations": [v.name for v in verdict.violations],
                    "metrics": verdict.metrics,
                },
            }
        )
        f = verdict.metrics["resonant_freq_hz"]
        reading |= {"f": f"{f:.4g}", "rad": f"{f / (2 * np.pi):.3g}", "e": f"{verdict.metrics['freq_error_pct']:.3g}"}
    return steps
