"""P1 briefs that withhold nothing: solvable with a witness, or infeasible with a certificate."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from vehbench_builder.veh.numbers import rounded
from vehbench_builder.veh.p1.context import Context, with_target
from vehbench_builder.veh.p1.notes import Preference
from vehbench_builder.veh.p1.resonance import narrow_resonance_range_hz
from vehbench_builder.veh.p1.search import best_design, bounded, is_out_of_reach, refutation
from vehbench_hf.types import Design, Spec
from vehbench_oracle import Box
from vehbench_oracle.veh.domain import problem_of_brief

TARGET_SHARES = {
    "solvable_base": (0.40, 0.60),
    "solvable_boundary": (0.75, 0.88),
    "solvable_red_herring": (0.75, 0.88),
    "missing_nonblocker": (0.40, 0.60),
}
"""Power target over the largest power found; in red herrings over the largest that grants the preference."""
LEAST_SLACK = {
    "solvable_base": 0.05,
    "solvable_boundary": 0.02,
    "solvable_red_herring": 0.02,
    "missing_nonblocker": 0.05,
}
"""Share of every limit that the witness keeps in hand."""
ROOMS = (0.06, 0.04, 0.02)
"""Shares of the upper limits with which a witness is looked for, in turn."""
LEAST_PREFERRED = 0.1
"""A preference that leaves less than this share of the power is too odd to be stated."""
FREQUENCIES_HZ = (2.0, 2000.0)
"""What a brief may ask for."""

MARGINS = {"tight": (0.25, 0.40), "moderate": (0.50, 0.90), "obvious": (1.50, 3.00)}
"""Power target of an infeasible brief above the proven bound."""
GAPS = {"near": (1.15, 2.0), "far": (2.0, 6.0)}
"""Excitation frequency over the fastest resonance of the box, or the slowest over it; drawn in log scale."""


class Row(NamedTuple):
    """A brief without its id, and what is known about it; `gold` fills the fields it has."""

    subtype: str
    spec: Spec
    gold: Mapping[str, Any]


def solvable(
    context: Context, subtype: str, draw: np.random.Generator, *, wish: Preference | None = None
) -> Row | None:
    """A brief with a witness, which grants the wish where there is one; None when the search finds none.

    The certificate is about the reference: no design exceeds its upper bound.
    """
    bounds = wish.bounds if wish else {}
    seed = int(draw.integers(2**32))
    strongest = best_design(context.spec, seed=seed, bounds=bounds) if bounds else None
    power = strongest.power_uw if strongest else context.power_uw
    if bounds and (strongest is None or power < LEAST_PREFERRED * context.power_uw):
        return None
    spec = with_target(context.spec, float(draw.uniform(*TARGET_SHARES[subtype])) * power)
    witness = _witness(spec, LEAST_SLACK[subtype], seed, bounds)
    reference = bounded(context.spec, context.reference)
    if witness is None or reference is None:
        return None
    gold = {
        "action": "propose_design",
        "witness": witness,
        "certificate": reference.certificate,
        "reference": reference.reference,
    }
    return Row(subtype, spec, gold)


def infeasible_margin(context: Context, tier: str, draw: np.random.Generator) -> Row | None:
    """The context with a power target beyond what any design of the box can yield; the certificate is for the bound."""
    proof = bounded(context.spec, context.reference)
    bound = None if proof is None else proof.reference["upper_bound_uw"]
    if proof is None or bound is None:
        return None
    spec = with_target(context.spec, (1 + float(draw.uniform(*MARGINS[tier]))) * bound)
    gold = {"action": "declare_infeasible", "certificate": proof.certificate, "reference": proof.reference}
    return Row("infeasible_margin", spec, gold)


def infeasible_structural(solvable_spec: Spec, tier: str, upward: bool, draw: np.random.Generator) -> Row | None:
    """A solvable brief whose excitation is moved beyond the fastest (upward) or the slowest resonance of its box.

    The other direction is taken where this one leads out of `FREQUENCIES_HZ`.
    """
    reach = narrow_resonance_range_hz(solvable_spec)
    gap = float(np.exp(draw.uniform(*np.log(GAPS[tier]))))
    ways = {True: rounded(reach.high * gap), False: rounded(reach.low / gap)}
    inside = [up for up in (upward, not upward) if FREQUENCIES_HZ[0] <= ways[up] <= FREQUENCIES_HZ[1]]
    if not inside:
        return None
    spec: Spec = {
        **solvable_spec,
        "excitation": {**solvable_spec["excitation"], "frequency_hz": ways[inside[0]]},
    }
    proof = refutation(spec) if is_out_of_reach(spec) else None
    gold = {"action": "declare_infeasible", "certificate": proof}
    return Row("infeasible_structural", spec, gold) if proof else None


def _witness(spec: Spec, least: float, seed: int, bounds: Mapping[str, Box]) -> Design | None:
    """A design that keeps at least the share `least` of every limit in hand and lies in the narrower bounds."""
    for room in ROOMS:
        candidate = best_design(spec, seed=seed, room=room, bounds=bounds)
        if candidate is not None and problem_of_brief(spec).least_slack(candidate.design) >= least:
            return candidate.design
    return None
