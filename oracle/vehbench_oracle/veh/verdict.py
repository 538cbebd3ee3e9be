"""Limits, slacks, feasibility and the verdict on a harvester: (A-21) and (A-22), and the box of the task."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle.checks import finite
from vehbench_oracle.errors import MissingVariableError
from vehbench_oracle.quantities import Box, Limit
from vehbench_oracle.veh.cantilever import Response
from vehbench_oracle.veh.conditions import Condition, respond_under
from vehbench_oracle.veh.materials import Piezo, Substrate
from vehbench_oracle.veh.quantities import LIMITS, METRICS, OBJECTIVE, VARIABLES
from vehbench_oracle.verdict import Verdict, Violation, box_violations, evaluable, unevaluable, verdict_on


def limits_with(values: Mapping[str, float | None]) -> dict[str, Limit]:
    """The four limits with the values of a brief; an absent or null value is the paper's default.

    Raises InvalidValueError for a value that is no finite number.
    """
    return {
        name: limit if (value := values.get(name)) is None else limit._replace(value=finite(name, value))
        for name, limit in LIMITS.items()
    }


def slacks(response: Response, limits: Mapping[str, float | None]) -> dict[str, NDArray[np.float64]]:
    """Signed slacks of (A-21), unrounded, for a design or a batch; a null limit is the paper's default."""
    return {name: limit.slack(getattr(response, limit.metric)) for name, limit in limits_with(limits).items()}


def feasible(slack: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    """(A-22): all four slacks at least zero, boundary included; NaN is never feasible. Ignores the box."""
    met = [np.asarray(slack[name]) >= 0 for name in LIMITS]
    return np.asarray(np.logical_and.reduce(met), dtype=np.bool_)


def judge(
    design: Mapping[str, float],
    *,
    limits: Mapping[str, float | None],
    frequency_hz: float | None,
    acceleration_g: float | None,
    bounds: Mapping[str, Box | None] | None = None,
    piezo: str | Piezo = "PZT-5A",
    substrate: str | Substrate = "stainless_steel",
    damping_ratio: float | None = None,
    conditions: Sequence[Condition] = (),
) -> Verdict:
    """Judge one design against limits (`quantities.LIMITS`) and, where given, the box of the task.

    `conditions` are further stated excitations: the limits must hold under all of them, and the metrics are the worst
    ones. A design outside the box is evaluated where it lies and is infeasible. Raises what `respond` raises, and
    InvalidValueError for a limit or bound that is not a finite number.
    """
    if frequency_hz is None or acceleration_g is None:
        name = "frequency_hz" if frequency_hz is None else "acceleration_g"
        raise MissingVariableError(name, f"{name} is missing, so that no verdict is possible")
    stated = (Condition(frequency_hz, acceleration_g), *conditions)
    outside = box_violations(VARIABLES, design, bounds or {})
    response = respond_under(stated, design, piezo=piezo, substrate=substrate, damping_ratio=damping_ratio)
    metrics = {name: float(getattr(response, name)) for name in METRICS}
    if not evaluable(metrics):
        return unevaluable(outside, "the design is so extreme that the beam model overflows")

    def clause(violation: Violation, value: str, limit: str) -> str | None:
        if violation.name != "freq_error_pct_limit":
            return None
        resonance_hz = metrics["resonant_freq_hz"]
        excitation_hz = max((c.frequency_hz for c in stated), key=lambda hz: abs(resonance_hz - hz) / hz)
        side = "above" if resonance_hz > excitation_hz else "below"
        return (
            f"resonance {resonance_hz:.4g} Hz lies {value} % {side} the excitation at "
            f"{excitation_hz:.4g} Hz (at most {limit} % allowed)"
        )

    return verdict_on(
        metrics, outside, limits=limits_with(limits), quantities=METRICS, objective=OBJECTIVE, clause=clause
    )
