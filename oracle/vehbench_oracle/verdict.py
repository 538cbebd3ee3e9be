"""The verdict on a design: metrics, slack to each limit, what is violated and by how much, in every domain alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from vehbench_oracle.checks import finite
from vehbench_oracle.errors import InvalidValueError
from vehbench_oracle.quantities import Box, Limit, Objective, Quantity, Variable


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

    `objective` is the value of the problem's objective. `metrics` maps the names of the problem's metrics to values,
    `slack` those of its limits to signed slacks (negative = violated); both are empty when the formulas cannot be
    evaluated. `total_violation` is the sum of the normalized violations: excess / limit, and excess / range outside
    the box.
    """

    feasible: bool
    objective: float | None
    metrics: dict[str, float]
    slack: dict[str, float]
    violations: tuple[Violation, ...]
    total_violation: float
    message: str


Clause = Callable[[Violation, str, str], str | None]
"""A domain's own words for a violation, given its value and limit as texts; None for the common ones."""


def verdict_on(
    metrics: Mapping[str, float],
    outside: tuple[Violation, ...],
    *,
    limits: Mapping[str, Limit],
    quantities: Mapping[str, Quantity],
    objective: Objective,
    clause: Clause = lambda violation, value, limit: None,
) -> Verdict:
    """The verdict on a design with these metrics, all finite, that breaks the bounds in `outside`."""
    slack = {name: float(limit.slack(metrics[limit.metric])) for name, limit in limits.items()}
    over = tuple(
        Violation(name, metrics[limit.metric], limit.value, limit.unit, float(limit.share(-slack[name])))
        for name, limit in limits.items()
        if not slack[name] >= 0
    )
    violations = over + outside
    value = metrics[objective.metric]
    message = f"Feasible: all limits are met, {objective.name} {value:.4g} {objective.unit}."
    if violations:
        clauses = [_clause(violation, limits, quantities, clause) for violation in violations]
        message = "Not feasible: " + "; ".join(clauses) + "."
    total = float(sum(v.normalized for v in violations))
    return Verdict(not violations, value, dict(metrics), slack, violations, total, message)


def unevaluable(violations: tuple[Violation, ...], why: str) -> Verdict:
    """The verdict on a design for which the formulas give no number: infeasible, without metrics."""
    total = float(sum(v.normalized for v in violations))
    return Verdict(False, None, {}, {}, violations, total, f"Not feasible: {why}.")


def evaluable(metrics: Mapping[str, float]) -> bool:
    """Whether all metrics are finite."""
    return all(np.isfinite(value) for value in metrics.values())


def box_violations(
    variables: Mapping[str, Variable], design: Mapping[str, float], bounds: Mapping[str, Box | None]
) -> tuple[Violation, ...]:
    """The variables of `design` outside their bounds; variables without bounds are free.

    Raises MissingVariableError for an absent variable, InvalidValueError for a value or bound that is not a
    finite number and for bounds in the wrong order.
    """
    violations = []
    for name, variable in variables.items():
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
        violations.append(Violation(name, value, limit, variable.unit, abs(value - limit) / span))
    return tuple(violations)


def _clause(violation: Violation, limits: Mapping[str, Limit], quantities: Mapping[str, Quantity], own: Clause) -> str:
    value, bound = _told_apart(violation.value, violation.limit)
    text = own(violation, value, bound)
    if text is not None:
        return text
    limit = limits.get(violation.name)
    if limit is None:
        side = "below its minimum" if violation.value < violation.limit else "above its maximum"
        return f"{violation.name} {value} is {side} {bound} {violation.unit}"
    meaning = f"{quantities[limit.metric].meaning} {value} {limit.unit}"
    if limit.kind == "target":
        return f"{meaning} is off the target of {bound} {limit.unit} by more than {limit.tolerance:.4g} {limit.unit}"
    word = "is above the limit of" if limit.kind == "upper" else "is below the target of"
    return f"{meaning} {word} {bound} {limit.unit}"


def _told_apart(value: float, limit: float) -> tuple[str, str]:
    """Both numbers at four digits, or at as many as it takes to see that they differ."""
    for digits in range(4, 18):
        texts = f"{value:.{digits}g}", f"{limit:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts
