"""What the card and the datasheet say about harvesters: devices, the oracle's simplifications, references.

The texts hold no number of their own. None means that a figure has no value for this bank; the texts then say so.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from statistics import median
from typing import Any

from scipy.optimize import brentq

from vehbench_builder.veh.anchors import load_anchors, read_provenance
from vehbench_builder.veh.oracle_against_papers import (
    Agreement,
    frequency_agreement,
    loads_far_from_optimum,
    paper_powers_uw,
    power_agreement,
)
from vehbench_hf.types import Design, Task
from vehbench_oracle.veh.cantilever import DEFAULT_DAMPING_RATIO, MASS_FACTOR, VACUUM_PERMITTIVITY_F_M
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.materials import PIEZO, SUBSTRATE

FAR = 10
"""A load is far from the optimum, and a power far from the paper's, beyond this factor."""
NEAR = 2
"""A frequency agrees with the paper's within this factor."""
EDGE = 1e-9
"""A bound is a reference times, say, 1.01 in floating point, and may come out a last digit above that."""
ACTIVE = 0.01
"""A limit counts as active where less than this share of it is left."""


def figures(tasks: Sequence[Task]) -> dict[str, Any]:
    """The figures under the names that the texts use; `tasks` are those of a bank."""
    return {
        "anchors_made": figures_of_anchors(),
        "oracle": figures_of_oracle(),
        "excitation": _spread(_known(task.spec["excitation"]["acceleration_g"] for task in tasks)),
        "damping": sorted({task.spec["materials"]["damping_ratio"] or DEFAULT_DAMPING_RATIO for task in tasks}),
        "frequency_limit": _spread(_known(task.spec["constraints"]["freq_error_pct_limit"] for task in tasks)),
        "references": _references([task for task in tasks if task.probe in ("p2", "p3")]),
    }


@cache
def figures_of_anchors() -> dict[str, Any]:
    """What the anchors of bank v2 are made of, and how they compare with their papers."""
    anchors, provenance = load_anchors(), read_provenance()
    fitted = {r["key"] for r in provenance if r["status"] == "completed" and "reported resonance" in r["rule"]}
    substitutes = [r for r in provenance if r["status"] in ("nearest", "completed")]
    return {
        "total": len(anchors),
        "outside": sum(not anchor.inside_domain for anchor in anchors),
        "scaled": sum(anchor.kappa != 1 for anchor in anchors),
        "weak": sum(anchor.documentation == "weak" for anchor in anchors),
        "geometry_only": sum(anchor.device_class.startswith("B") for anchor in anchors),
        "substrates": sum(r["field"] == "substrate_material" for r in substitutes),
        "piezos": sum(r["field"] == "piezo_material" for r in substitutes),
        "masses": sum(r["field"] == "tip_mass_g" for r in substitutes),
        "loads": sum(r["field"] == "load_resistance_ohm" for r in substitutes),
        "fitted": len(fitted),
        "bimorphs": sum("equal bending stiffness" in r["rule"] for r in provenance),
        "far": FAR,
        "near": NEAR,
        "far_loads": len(loads_far_from_optimum(anchors, FAR)),
        "frequency": _agreement(frequency_agreement(anchors, fitted), NEAR),
        "power": _agreement(power_agreement(anchors, paper_powers_uw()), FAR),
        "materials": (len(PIEZO), len(SUBSTRATE)),
    }


@cache
def figures_of_oracle() -> dict[str, Any]:
    """How large the simplifications of the oracle are."""
    drops = [p.d31**2 * p.youngs_modulus / (p.relative_permittivity * VACUUM_PERMITTIVITY_F_M) for p in PIEZO.values()]
    return {
        "mass_factor": MASS_FACTOR,
        "forcing": forcing_of_a_bare_beam(),
        "permittivity_least": min(drops),
        "permittivity_largest": max(drops),
        "damping": DEFAULT_DAMPING_RATIO,
        "quality": 1 / (2 * DEFAULT_DAMPING_RATIO),
        "half_bandwidth_pct": 100 * DEFAULT_DAMPING_RATIO,
    }


def forcing_of_a_bare_beam() -> float:
    """How much harder base motion drives the first mode of a beam without tip mass than the oracle's lumped mass.

    The distributed beam: tip value times integral over square integral of the clamped-free mode shape, which is
    4 sigma / lambda. The lumped mass is driven with 1. Erturk and Inman (2008), doi:10.1115/1.2890402.
    """
    root = brentq(lambda x: math.cos(x) * math.cosh(x) + 1, 1.5, 2.5, xtol=1e-14)
    sigma = (math.sinh(root) - math.sin(root)) / (math.cosh(root) + math.cos(root))
    return float(4 * sigma / root)


def _references(tasks: Sequence[Task]) -> dict[str, Any]:
    """How far the references lie below what is proven to be out of reach, and how often the frequency limit binds."""
    powers: list[float] = []
    gaps: list[float] = []
    targets: list[float] = []
    binding: list[bool] = []
    for task in tasks:
        reference, target = task.gold["reference"], task.spec["constraints"]["power_target_uw"]
        if reference is None or not (power := reference["power_uw"]):
            continue
        powers.append(power)
        if bound := reference["upper_bound_uw"]:
            gaps.append(bound / power - 1)
        if target is not None:
            targets.append(target / power)
        if reference["design"] is not None:
            binding.append(_frequency_binds(task, reference["design"]))
    return {
        "tasks": len(tasks),
        "known": len(powers),
        "bounded": len(gaps),
        "within": {percent: sum(gap <= percent / 100 + EDGE for gap in gaps) for percent in (1, 2, 5)},
        "worst": max(gaps, default=None),
        "power": _spread(powers),
        "target": _spread(targets),
        "judged": len(binding),
        "frequency_binds": sum(binding),
    }


def _frequency_binds(task: Task, design: Design) -> bool:
    limit = task.problem.limits["freq_error_pct_limit"]
    return problem_of_brief(task.spec).judge(design).slack[limit.name] < ACTIVE * limit.value


def _agreement(agreement: Agreement, factor: float) -> dict[str, Any]:
    return {"rows": len(agreement.ratios), "within": agreement.within(factor), "median": agreement.median}


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    """Least, middle and largest; None without values."""
    return {"least": min(values), "median": median(values), "largest": max(values)} if values else None
