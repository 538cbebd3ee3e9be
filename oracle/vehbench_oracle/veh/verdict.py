"""Limits, slacks, feasibility and the verdict on a design: (A-21) and (A-22), and the box of the task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from vehbench_oracle.checks import finite
from vehbench_oracle.errors import InvalidValueError, MissingVariableError
from vehbench_oracle.veh.cantilever import Response, respond
from vehbench_oracle.veh.quantities import LIMITS, METRICS, VARIABLES


class Box(TypedDict):
    """Inclusive range of one design variable, in the variable's unit."""

    min: float
    max: float


@dataclass(frozen=True)
class Violation:
    """One broken limit: `value` against `limit` in `unit`.

    `normalized` is excess / |limit|, or excess / range for a bound.
    """

    name: str
    value: float
    limit: float
    unit: str
    normalized: float


@dataclass(frozen=True)
class Verdict:
    """The oracle's judgement of one design.

    `objective` is the load power in uW. `metrics` maps the names of `quantities.METRICS` to values, `slack`
    the names of `quantities.LIMITS` to signed slacks (negative = violated); both are empty when the formulas
    cannot be evaluated. `total_violation` is the sum of the normalized violations: excess / limit, and
    excess / range outside the box.
    """

    feasible: bool
    objective: float | None
    metrics: dict[str, float]
    slack: dict[str, float]
    violations: tuple[Violation, ...]
    total_violation: float
    message: str


def slacks(response: Response, limits: Mapping[str, float | None]) -> dict[str, NDArray[np.float64]]:
    """Signed slacks of (A-21), unrounded, for a design or a batch; a null limit is the paper's default."""
    found = {}
    for name, kind in LIMITS.items():
        limit = _limit(name, limits)
        value = getattr(response, kind.metric)
        found[name] = limit - value if kind.upper else value - limit
    return found


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
    piezo: str = "PZT-5A",
    substrate: str = "stainless_steel",
    damping_ratio: float | None = None,
) -> Verdict:
    """Judge one design against limits (`quantities.LIMITS`) and, where given, the box of the task.

    A design outside the box is evaluated where it lies and is infeasible. Raises what `respond` raises, and
    InvalidValueError for a limit or bound that is not a finite number.
    """
    if frequency_hz is None or acceleration_g is None:
        name = "frequency_hz" if frequency_hz is None else "acceleration_g"
        raise MissingVariableError(name, f"{name} is missing, so that no verdict is possible")
    outside = box_violations(design, bounds or {})
    response = respond(
        design,
        frequency_hz=frequency_hz,
        acceleration_g=acceleration_g,
        piezo=piezo,
        substrate=substrate,
        damping_ratio=damping_ratio,
    )
    metrics = {name: float(getattr(response, name)) for name in METRICS}
    if not all(np.isfinite(value) for value in metrics.values()):
        return unevaluable(outside, "the design is so extreme that the beam model overflows")
    slack = {name: float(value) for name, value in slacks(response, limits).items()}
    over = tuple(_limit_violation(name, metrics, limits) for name, value in slack.items() if not value >= 0)
    violations = over + outside
    return Verdict(
        feasible=not violations,
        objective=metrics["load_power_uw"],
        metrics=metrics,
        slack=slack,
        violations=violations,
        total_violation=float(sum(v.normalized for v in violations)),
        message=_sentence(metrics, violations, frequency_hz),
    )


def box_violations(design: Mapping[str, float], bounds: Mapping[str, Box | None]) -> tuple[Violation, ...]:
    """The variables of `design` outside their bounds; variables without bounds are free.

    Raises MissingVariableError for an absent variable, InvalidValueError for a value or bound that is not a
    finite number and for bounds in the wrong order.
    """
    found = []
    for name, variable in VARIABLES.items():
        box, value = bounds.get(name), finite(name, design.get(name))
        if box is None:
            continue
        low, high = finite(f"minimum of {name}", box["min"]), finite(f"maximum of {name}", box["max"])
        if low > high:
            raise InvalidValueError(name, f"{name}: the minimum {low!r} is above the maximum {high!r}")
        if low <= value <= high:
            continue
        limit = low if value < low else high
        span = high - low or abs(limit) or 1.0
        found.append(Violation(name, value, limit, variable.unit, abs(value - limit) / span))
    return tuple(found)


def unevaluable(violations: tuple[Violation, ...], why: str) -> Verdict:
    """The verdict on a design for which the formulas give no number: infeasible, without metrics."""
    total = float(sum(v.normalized for v in violations))
    return Verdict(False, None, {}, {}, violations, total, f"Not feasible: {why}.")


def _limit(name: str, limits: Mapping[str, float | None]) -> float:
    value = limits.get(name)
    return LIMITS[name].default if value is None else finite(name, value)


def _limit_violation(name: str, metrics: Mapping[str, float], limits: Mapping[str, float | None]) -> Violation:
    kind, limit = LIMITS[name], _limit(name, limits)
    value = metrics[kind.metric]
    excess = value - limit if kind.upper else limit - value
    return Violation(name, value, limit, kind.unit, excess / (abs(limit) or 1.0))


def _sentence(metrics: Mapping[str, float], violations: tuple[Violation, ...], frequency_hz: float) -> str:
    if not violations:
        return f"Feasible: all limits are met, load power {metrics['load_power_uw']:.4g} uW."
    return "Not feasible: " + "; ".join(_clause(v, metrics, frequency_hz) for v in violations) + "."


def _clause(v: Violation, metrics: Mapping[str, float], frequency_hz: float) -> str:
    value, limit = _told_apart(v.value, v.limit)
    if v.name == "freq_error_pct_limit":
        side = "above" if metrics["resonant_freq_hz"] > frequency_hz else "below"
        return (
            f"resonance {metrics['resonant_freq_hz']:.4g} Hz lies {value} % {side} the excitation at "
            f"{frequency_hz:.4g} Hz (at most {limit} % allowed)"
        )
    if v.name in LIMITS:
        word = "is above the limit of" if LIMITS[v.name].upper else "is below the target of"
        return f"{METRICS[LIMITS[v.name].metric].meaning} {value} {v.unit} {word} {limit} {v.unit}"
    side = "below its minimum" if v.value < v.limit else "above its maximum"
    return f"{v.name} {value} is {side} {limit} {v.unit}"


def _told_apart(value: float, limit: float) -> tuple[str, str]:
    """Both numbers at four digits, or at as many as it takes to see that they differ."""
    for digits in range(4, 18):
        texts = f"{value:.{digits}g}", f"{limit:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts
