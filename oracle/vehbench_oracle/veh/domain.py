"""The domain `veh`: unimorph cantilever harvesters with one piezoelectric layer and a resistive load."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from vehbench_oracle.domain import Domain, OwnColumns, Stated
from vehbench_oracle.veh.fingerprint import oracle_fingerprint
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.quantities import LIMITS, METRICS, VARIABLES


class Excitation(TypedDict):
    """Base excitation: frequency in Hz, peak acceleration in g, null when withheld; `stated` is given in words."""

    frequency_hz: float | None
    acceleration_g: float | None
    stated: list[Stated]


class Materials(TypedDict):
    """Layer materials by name and the mechanical damping ratio; a null ratio means the oracle's default of 0.01."""

    piezo: str | None
    substrate: str | None
    damping_ratio: float | None


class BriefColumns(TypedDict, total=False):
    """What a harvester brief states besides bounds and limits."""

    excitation: Excitation
    materials: Materials


class VerdictColumns(TypedDict, total=False):
    """The load power of a history step."""

    power_uw: float


class ReferenceColumns(TypedDict, total=False):
    """The load power of a reference design and its bound; each may be unknown. `power_uw_older` is bank v1 only."""

    power_uw: float | None
    power_uw_older: float | None
    upper_bound_uw: float | None


class Changes(TypedDict, total=False):
    """What a completion of a P1 brief fills in; null leaves the brief as it is."""

    frequency_hz: float | None
    acceleration_g: float | None
    load_resistance_ohm: float | None
    piezo: str | None
    damping_ratio: float | None


_HISTORY, _CHANGES, _REFERENCE = "spec.history.verdict", "gold.completions.changes", "gold.reference"
_MEANINGS = {
    "spec.excitation": "harmonic acceleration of the base",
    "spec.excitation.frequency_hz": "frequency (Hz)",
    "spec.excitation.acceleration_g": "peak acceleration (g, 9.80665 m/s2)",
    "spec.excitation.stated": "what the brief says about the excitation in words instead of numbers",
    "spec.excitation.stated.name": "what the words are about",
    "spec.excitation.stated.text": "the words",
    "spec.materials": "materials by name, constants as in the oracle",
    "spec.materials.piezo": "piezoelectric layer",
    "spec.materials.substrate": "substrate layer",
    "spec.materials.damping_ratio": "mechanical damping ratio (1)",
    f"{_HISTORY}.power_uw": "average power in the load (uW)",
    f"{_CHANGES}.frequency_hz": "frequency (Hz)",
    f"{_CHANGES}.acceleration_g": "peak acceleration (g, 9.80665 m/s2)",
    f"{_CHANGES}.piezo": "piezoelectric layer",
    f"{_CHANGES}.damping_ratio": "mechanical damping ratio (1)",
    f"{_REFERENCE}.power_uw": "its power (uW)",
    f"{_REFERENCE}.power_uw_older": "bank v1: an older reference power from the authors' logs (uW), else null",
    f"{_REFERENCE}.upper_bound_uw": "power that no feasible design exceeds (uW), where one is proven",
}

_EXAMPLE = {
    "variable_bounds": {
        "beam_length_mm": {"min": 20.0, "max": 40.0},
        "beam_width_mm": {"min": 6.0, "max": 12.0},
        "substrate_thickness_um": {"min": 250.0, "max": 500.0},
        "piezo_thickness_um": {"min": 100.0, "max": 200.0},
        "tip_mass_g": {"min": 1.0, "max": 2.0},
        "load_resistance_ohm": {"min": 5e4, "max": 1e5},
    },
    "constraints": {
        "stress_limit_mpa": 0.1,
        "disp_limit_mm": 0.001,
        "freq_error_pct_limit": 5.0,
        "power_target_uw": 1e5,
    },
    "excitation": {"frequency_hz": 60.0, "acceleration_g": 0.5, "stated": [{"name": "a", "text": "b"}]},
    "materials": {"piezo": "PZT-5A", "substrate": "brass", "damping_ratio": 0.01},
}
"""A brief whose limits every design breaks, so that a verdict has a word on each of them."""


def problem_of_brief(brief: Mapping[str, Any]) -> VehProblem:
    """The problem of a brief, from the `spec` of a row: the one way from a row to the oracle."""
    excitation: Excitation = brief["excitation"]
    materials: Materials = brief["materials"]
    return VehProblem(
        bounds=brief["variable_bounds"],
        constraints=brief["constraints"],
        frequency_hz=excitation["frequency_hz"],
        acceleration_g=excitation["acceleration_g"],
        piezo=materials["piezo"],
        substrate=materials["substrate"],
        damping_ratio=materials["damping_ratio"],
        stated=excitation["stated"],
    )


DOMAIN = Domain(
    name="veh",
    about="a vibration energy harvester",
    about_many="vibration energy harvesters",
    device=(Path(__file__).parent / "device.md.j2").read_text(encoding="utf-8"),
    variables=VARIABLES,
    metrics=METRICS,
    limits=LIMITS,
    columns=OwnColumns(BriefColumns, VerdictColumns, ReferenceColumns, Changes),
    meanings=_MEANINGS,
    examples=(_EXAMPLE,),
    problem=problem_of_brief,
    fingerprint=oracle_fingerprint,
)
