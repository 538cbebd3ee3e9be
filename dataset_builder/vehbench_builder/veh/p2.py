"""P2, search with a verifier: 52 anchors x 4 subtypes, each a box, an excitation and four limits around an anchor.

| subtype | half width | g | excitation over the anchor's resonance | amplitudes | frequency limit in % | target |
|---|---|---|---|---|---|---|
| paper_like | 0.35 | 0.5 | the paper's, else 0.97 to 1.03 | 1.50 | 5 or 1.20 times the anchor's error | 0.45 |
| resonance_tuned | 0.25 | 1.0 | 1 | 1.25 | 3 | 0.60 |
| power_tight | 0.18 | 0.8 | 1 | 1.20 | 2 | 0.82 |
| boundary_binding | 0.14 | 0.8 | 1.015 | 1.08 | 1.05 times the anchor's error | 0.70 |

Amplitudes are the stress and displacement limits over the anchor's own values, the target is over the anchor's power.
The anchor meets every limit. The reference is the strongest design of the box that meets them, with a certificate that
none is much stronger. Its power decides about the brief: a target outside 5 to 70 % of it makes the brief be drawn
again, and the acceleration is lowered where the limits of the brief would be beyond what a device bears.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from vehbench_builder.build_spec import PUBLISHED, BuildError, BuildSpec
from vehbench_builder.seeds import numbered, rng
from vehbench_builder.veh.anchors import AnchorDesign
from vehbench_builder.veh.beam import resonance_hz
from vehbench_builder.veh.boxes import box_around
from vehbench_builder.veh.certified import Certified, certified, strongest
from vehbench_builder.veh.limits import LARGEST_POWER_UW, SMALLEST_POWER_UW, Factors, credible_acceleration_g, limited
from vehbench_builder.veh.numbers import known, rounded, rounded_design
from vehbench_hf.bank.schema import empty_gold, empty_spec
from vehbench_hf.types import SPLITS, Design, Gold, Spec, Split, Task
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO
from vehbench_oracle.veh.domain import problem_of_brief

QUERY_BUDGET = 6
TARGET_SHARE = (0.05, 0.70)
"""Between which shares of the reference power the target lies."""
LARGEST_FREQ_ERROR_PCT = 40.0
PAPER_RANGE = 0.5
"""The paper's frequency is taken where it is within this share of the anchor's resonance."""
DETUNING = 0.03
"""Else the excitation is drawn within this share of it."""
DRAWS = 20
NARROWER = 0.85
DRAWS_AT_A_WIDTH = 4
"""After so many refused draws the box and the range of the excitation get narrower by that factor."""


class Rule(NamedTuple):
    """How a subtype makes a brief from an anchor; `detuning` None takes the paper's frequency."""

    difficulty: str
    half_width: float
    acceleration_g: float
    detuning: float | None
    factors: Factors


RULES: dict[str, Rule] = {
    "paper_like": Rule("easy", 0.35, 0.5, None, Factors(amplitude=1.50, power=0.45, freq_floor=5.0, freq=1.20)),
    "resonance_tuned": Rule("medium", 0.25, 1.0, 1.0, Factors(1.25, 0.60, 3.0, 1.15)),
    "power_tight": Rule("hard", 0.18, 0.8, 1.0, Factors(1.20, 0.82, 2.0, 1.10)),
    "boundary_binding": Rule("hard", 0.14, 0.8, 1.015, Factors(1.08, 0.70, 1.5, 1.05)),
}


@dataclass(frozen=True)
class Unit:
    """One task to be built; `key` names it in messages and in the random draws."""

    key: str
    task_id: str
    seed: int
    split: Split
    subtype: str
    anchor: AnchorDesign


def units(anchors: Sequence[AnchorDesign], build: BuildSpec, p2: Mapping[str, Task]) -> list[Unit]:
    """The tasks of the bank in the order of their ids; fresh ones from the dev anchors, with the subtypes in turn."""
    work = []
    splits: tuple[Split, ...] = ("train",) if build.fresh else SPLITS
    for split in splits:
        chosen = [a for a in anchors if a.split == ("dev" if build.fresh else split)]
        count = len(RULES) if build.per_anchor is None else build.per_anchor
        items = [(a, i) for a in chosen for i in range(count)]
        for task_id, (anchor, i) in numbered(items, seed=build.seed, probe="p2", split=split):
            subtype = list(RULES)[i % len(RULES)]
            key = f"p2/{split}/{subtype}/{anchor.key}/{i // len(RULES)}"
            work.append(Unit(key, task_id, build.seed, split, subtype, anchor))
    return work


def build_unit(unit: Unit) -> list[Task]:
    """The task of a unit.

    A brief whose reference is not proven is drawn again like any other that breaks a rule of this module. Raises
    BuildError when no draw is left.
    """
    draw = rng(unit.seed, unit.key)
    anchor_design, factors = rounded_design(unit.anchor.design), RULES[unit.subtype].factors
    refusals = []
    for attempt in range(DRAWS):
        draft = _draft(unit, anchor_design, attempt, draw)
        reference = strongest(draft)
        if reference is None:
            refusals.append("no design meets the limits")
            continue
        # The model is linear in the acceleration, so that the strongest design stays the strongest.
        acceleration = credible_acceleration_g(draft, anchor_design, factors, reference)
        spec = limited(_shaken(draft, acceleration), anchor_design, factors)
        refusal = _refusal(spec, anchor_design, reference)
        if refusal is None:
            try:
                return [_task(unit, spec, anchor_design, certified(spec, reference))]
            except BuildError as unproven:
                refusal = str(unproven)
        refusals.append(refusal)
    raise BuildError(f"{unit.key}: none of {DRAWS} draws gave a brief; {'; '.join(refusals)}")


def _draft(unit: Unit, design: Design, attempt: int, draw: np.random.Generator) -> Spec:
    """A brief at the subtype's own acceleration."""
    rule, anchor = RULES[unit.subtype], unit.anchor
    narrower = NARROWER ** (attempt // DRAWS_AT_A_WIDTH)
    own = resonance_hz(design, anchor.piezo, anchor.substrate)
    detuning = 1 + DETUNING * narrower * float(draw.uniform(-1, 1))
    box = box_around(
        design,
        piezo=anchor.piezo,
        substrate=anchor.substrate,
        half_width=rule.half_width * narrower,
        draw=draw,
    )
    spec = empty_spec()
    spec["variable_bounds"] = {**box}
    spec["materials"] = {
        "piezo": anchor.piezo,
        "substrate": anchor.substrate,
        "damping_ratio": DEFAULT_DAMPING_RATIO if anchor.damping_ratio is None else anchor.damping_ratio,
    }
    if rule.detuning is not None:
        detuning = rule.detuning
    elif attempt == 0:
        detuning = _detuning_of_the_paper(anchor, own) or detuning
    spec["excitation"]["frequency_hz"] = rounded(detuning * own)
    spec["excitation"]["acceleration_g"] = rule.acceleration_g
    spec["query_budget"] = QUERY_BUDGET
    return limited(spec, design, rule.factors)


def _detuning_of_the_paper(anchor: AnchorDesign, resonance: float) -> float | None:
    """The paper's frequency over the anchor's resonance, None where it is unknown or too far away.

    Of a device that was scaled into the domain the frequency is scaled alike.
    """
    if anchor.paper_frequency_hz is None:
        return None
    detuning = anchor.paper_frequency_hz / anchor.kappa / resonance
    return detuning if abs(detuning - 1) <= PAPER_RANGE else None


def _shaken(spec: Spec, acceleration_g: float) -> Spec:
    return {**spec, "excitation": {**spec["excitation"], "acceleration_g": acceleration_g}}


def _refusal(spec: Spec, anchor_design: Design, reference: Design) -> str | None:
    """Why a brief is not used, None when it is."""
    limits = spec["constraints"]
    eta = known(limits["freq_error_pct_limit"])
    if eta > LARGEST_FREQ_ERROR_PCT:
        return f"frequency limit of {eta:.3g} %"
    for name, design in (("anchor", anchor_design), ("reference", reference)):
        verdict = problem_of_brief(spec).judge(design)
        if not verdict.feasible:
            return f"{name}: {verdict.message}"
    power = float(problem_of_brief(spec).respond(reference).load_power_uw)
    share = known(limits["power_target_uw"]) / power
    if not TARGET_SHARE[0] <= share <= TARGET_SHARE[1]:
        return f"target of {100 * share:.3g} % of the reference"
    if not SMALLEST_POWER_UW <= power <= LARGEST_POWER_UW:
        return f"reference of {power:.3g} uW"
    return None


def _task(unit: Unit, spec: Spec, anchor_design: Design, proof: Certified) -> Task:
    gold = {"reference": proof.reference, "anchor_design": anchor_design, "certificate": proof.certificate}
    return Task(
        task_id=unit.task_id,
        probe="p2",
        split=unit.split,
        subtype=unit.subtype,
        difficulty=RULES[unit.subtype].difficulty,
        source_group="out-of-domain kept" if unit.split == "test_ood" else "oracle-domain",
        anchor=unit.anchor.anchor,
        bank_version=PUBLISHED,
        spec=spec,
        gold=cast(Gold, {**empty_gold(), **gold}),
    )
