"""The P2 tasks of the sample: feasible boxes around a device, with a searched reference and a proven bound."""

import numpy as np

from vehbench_builder.devices import Device
from vehbench_builder.reference import Found, best_design
from vehbench_builder.rows import task_of
from vehbench_builder.veh.closed_bounds import power_bound_uw
from vehbench_builder.veh.spec_numbers import brief_around, with_limits
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Reference, Spec, Task

TARGET_SHARE = 0.4
"""Power target over the reference power."""
QUERY_BUDGET = 6


def search_task(
    device: Device, number: int, seed: int, acceleration_g: float, *, half_width: float, detuning: float = 1.0
) -> Task:
    """A search brief whose device itself meets every limit."""
    spec, found = search_brief(device, seed, acceleration_g, half_width=half_width, detuning=detuning)
    if not judge_for(spec, device.design).feasible:
        raise ValueError(f"{device.key} misses its own limits; choose a smaller box or detuning")
    subtype = "resonance_tuned" if detuning == 1 else "detuned"
    gold = {"reference": reference_of(spec, found), "anchor_design": device.design}
    return task_of(device, probe="p2", number=number, subtype=subtype, spec=spec, gold=gold)


def search_brief(
    device: Device, seed: int, acceleration_g: float, *, half_width: float, detuning: float = 1.0
) -> tuple[Spec, Found]:
    """The brief with its power target, and the reference design."""
    spec = brief_around(
        device,
        draw=np.random.default_rng(seed),
        half_width=half_width,
        acceleration_g=acceleration_g,
        detuning=detuning,
    )
    found = best_design(spec, seed=seed)
    spec = with_limits(spec, power_target_uw=TARGET_SHARE * found.power_uw)
    return {**spec, "query_budget": QUERY_BUDGET}, found


def reference_of(spec: Spec, found: Found) -> Reference:
    """The reference as stored; the bound holds for every feasible design of the brief."""
    return {
        "design": found.design,
        "power_uw": found.power_uw,
        "power_uw_older": None,
        "upper_bound_uw": power_bound_uw(spec),
    }
