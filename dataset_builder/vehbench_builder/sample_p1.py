"""The P1 tasks of the sample: briefs that are solvable, infeasible by proof, or lack what decides them."""

import json

import numpy as np

from vehbench_builder.devices import Device
from vehbench_builder.reference import Found, best_design
from vehbench_builder.rows import task_of
from vehbench_builder.veh.closed_bounds import allowed_range_hz, power_bound_uw, resonance_range_hz
from vehbench_builder.veh.spec_numbers import brief_around, excited, known, with_limits
from vehbench_hf.types import Spec, Task

WITNESS_ROOM = 0.06
"""Share of every upper limit that a witness keeps in hand."""
TARGET_SHARE = 0.6
"""Power target of a solvable brief over the power of its witness."""
EXCESS = 1.3
"""Power target of an infeasible brief over the proven bound."""


def solvable(device: Device, number: int, seed: int, acceleration_g: float) -> Task:
    """A brief with a design that keeps at least 5 % of every limit in hand."""
    spec, witness = _solvable(device, seed, acceleration_g)
    gold = {"action": "propose_design", "witness": witness.design}
    return task_of(device, probe="p1", number=number, subtype="solvable_base", spec=spec, gold=gold)


def infeasible_by_frequency(device: Device, number: int, seed: int, acceleration_g: float) -> Task:
    """A solvable brief whose excitation was moved above every resonance of the box."""
    spec, _ = _solvable(device, seed, acceleration_g)
    spec = _beyond_reach(spec)
    gold = {"action": "declare_infeasible", "certificate": _frequency_certificate(spec)}
    return task_of(device, probe="p1", number=number, subtype="infeasible_structural", spec=spec, gold=gold)


def infeasible_by_power(device: Device, number: int, seed: int, acceleration_g: float) -> Task:
    """A solvable brief whose power target was moved above what any mass and resonance of the box can yield."""
    spec, _ = _solvable(device, seed, acceleration_g)
    bound = power_bound_uw(spec)
    spec = with_limits(spec, power_target_uw=EXCESS * bound)
    target, nearest = known(spec["constraints"]["power_target_uw"]), allowed_range_hz(spec)
    certificate = (
        f"A design that meets the frequency limit resonates at {nearest.low:.6g} Hz or above. At any load its power is "
        "at most m_eff a^2 / (16 zeta w_r). The largest effective mass and the lowest such resonance of the box give "
        f"{bound:.6g} uW, and the target is {target:.6g} uW."
    )
    gold = {"action": "declare_infeasible", "certificate": certificate}
    return task_of(device, probe="p1", number=number, subtype="infeasible_margin", spec=spec, gold=gold)


def without_frequency(device: Device, number: int, seed: int, acceleration_g: float) -> Task:
    """A solvable brief that withholds the excitation frequency, with the two completions that prove it matters."""
    spec, witness = _solvable(device, seed, acceleration_g)
    other = _beyond_reach(spec)
    certificate = (
        f"Completed with frequency_hz = {spec['excitation']['frequency_hz']:.6g} the brief is met by the design "
        f"{json.dumps(witness.design)}. "
        f"Completed with frequency_hz = {other['excitation']['frequency_hz']:.6g} it is infeasible: "
        + _frequency_certificate(other)
    )
    withheld = excited(spec, frequency_hz=None, acceleration_g=acceleration_g)
    gold = {"action": "request_missing_info", "missing_fields": ["frequency_hz"], "certificate": certificate}
    return task_of(device, probe="p1", number=number, subtype="missing_blocker_obvious", spec=withheld, gold=gold)


def _solvable(device: Device, seed: int, acceleration_g: float) -> tuple[Spec, Found]:
    spec = brief_around(
        device, draw=np.random.default_rng(seed), half_width=0.15, acceleration_g=acceleration_g, room=1.3
    )
    witness = best_design(spec, seed=seed, room=WITNESS_ROOM)
    return with_limits(spec, power_target_uw=TARGET_SHARE * witness.power_uw), witness


def _beyond_reach(spec: Spec) -> Spec:
    """The brief with an excitation so high that even the lowest allowed resonance is 20 % out of reach."""
    limit = known(spec["constraints"]["freq_error_pct_limit"])
    frequency = 1.2 * resonance_range_hz(spec).high / (1 - limit / 100)
    return excited(spec, frequency_hz=frequency, acceleration_g=spec["excitation"]["acceleration_g"])


def _frequency_certificate(spec: Spec) -> str:
    reach, allowed = resonance_range_hz(spec), allowed_range_hz(spec)
    return (
        "Stiffness, mass and length at the ends of the bounds put the resonance of every design between "
        f"{reach.low:.6g} and {reach.high:.6g} Hz; "
        f"the frequency limit allows {allowed.low:.6g} to {allowed.high:.6g} Hz."
    )
