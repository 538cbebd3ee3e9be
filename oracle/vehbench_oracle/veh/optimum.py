"""The reference optimizer: multi-start SLSQP for the design with the largest power that meets the upper limits.

It climbs in the logarithms of the five features of `features` and of the width. There the sharp resonance depends on
one coordinate, so that the search does not stall beside it as it does in the six variables, where length, thicknesses
and tip mass all move it. The result is judged by the oracle itself.
"""

from dataclasses import dataclass

import numpy as np

from vehbench_oracle.veh.cantilever import MASS_FACTOR
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.proof.features import (
    DOWN,
    UP,
    Array,
    coupling,
    cube,
    facts_of,
    neutral_axis,
    opened,
    root_box,
    square,
    stiffness,
    tuned,
)
from vehbench_oracle.veh.quantities import LIMITS, UPPER_LIMITS, VARIABLES

STARTS = 16
AGREEMENT = 1e-3
"""Powers that differ by less than this share count as the same optimum."""
ROUNDING, TOLERANCE = 10.0, 1e-7
"""Room tried first: for rounding, in units of the last digit, and for what SLSQP counts as met."""
ATTEMPTS, RETRIED, NEAR_THE_TOP = 16, 4, 1e-4
"""How often the room is doubled, from how many of the starts, until a rounded design is how near the best power."""
NEAR_A_BOUND = 1e-8
"""A value this share of its range from a bound is put on the bound: no tip mass, and not one of 1e-11 g."""
_STEP = 1e-6  # of the central differences


@dataclass(frozen=True)
class Optimum:
    """The strongest design found. `slack` is its smallest slack / limit over the upper limits.

    Of `starts` searches `reached` came within 0.1 % of its power, before it was rounded.
    """

    design: dict[str, float]
    power_uw: float
    slack: float
    starts: int
    reached: int


def find_optimum(
    problem: VehProblem, *, seed: int = 0, starts: int = STARTS, min_slack: float = 1e-6, digits: int = 9
) -> Optimum | None:
    """Maximize the load power within the box and the stress, displacement and frequency limits.

    Each value of the design has `digits` significant digits or lies on a bound of the box, and the oracle finds at
    least `min_slack` of each upper limit left. The power target is not imposed. None when no start leads to such a
    design. Equal arguments give equal results with equal versions of numpy and scipy.
    """
    room = max(ROUNDING * 10.0**-digits, TOLERANCE)
    climb = _Climb(problem, min_slack + room)
    if not np.all(climb.low <= climb.high):
        return None
    points = list(np.random.default_rng(seed).uniform(climb.low, climb.high, (starts, climb.low.size)))
    ends = climb.tops(points)
    if not ends:
        return None
    top = ends[0][0]
    reached = sum(1 for value, _, _ in ends if value > top - AGREEMENT)
    best: Optimum | None = None
    for _ in range(ATTEMPTS):
        for _, point, _ in ends:
            design = rounded(problem, climb.design(point), digits)
            slack, power = smallest_slack(problem, design), float(problem.respond(design).load_power_uw)
            if slack >= min_slack and (best is None or power > best.power_uw):
                best = Optimum(design, power, slack, starts, reached)
        if best is not None and np.log(best.power_uw) >= top - max(NEAR_THE_TOP, 4 * room):
            break
        # Rounding broke a limit at the best ends. SLSQP often fails right beside a limit, so start from afar again.
        points = [start for value, _, start in ends if value > top - AGREEMENT][:RETRIED] or points
        room *= 2
        climb = _Climb(problem, min_slack + room)
        ends = climb.tops(points)
    return best


def smallest_slack(problem: VehProblem, design: dict[str, float]) -> float:
    """The smallest of slack / limit over the upper limits; negative when one is broken."""
    response = problem.respond(design)
    shares = []
    for name in UPPER_LIMITS:
        limit = problem.limit(name)
        shares.append((limit - float(getattr(response, LIMITS[name].metric))) / (limit or 1.0))
    return min(shares)


def rounded(problem: VehProblem, design: dict[str, float], digits: int) -> dict[str, float]:
    """Each value at some significant digits, or on a bound of the box where it is near it or beyond."""
    values = {}
    for name in VARIABLES:
        low, high = problem.range_of(name)
        value, near = design[name], NEAR_A_BOUND * (high - low)
        short = float(f"{value:.{digits}g}")
        values[name] = low if value <= low + near else high if value >= high - near else min(max(short, low), high)
    return values


class _Climb:
    """The problem in logarithms of L, h_s, h_p, rho, tau and b, with a share `room` of each upper limit kept."""

    def __init__(self, problem: VehProblem, room: float) -> None:
        self.facts = f = facts_of(problem)
        low, high = root_box(f)
        error = problem.limit("freq_error_pct_limit") / 100 * (1 - room)
        low[3], high[3] = max(low[3], 1 - error), min(high[3], 1 + error)
        with np.errstate(all="ignore"):
            self.low, self.high = np.log(np.append(low, f.width[0])), np.log(np.append(high, f.width[1]))
        self.kept = np.log1p(-room)
        self._ranges = {name: problem.range_of(name) for name in VARIABLES}

    def evaluate(self, points: Array) -> tuple[Array, Array]:
        """ln of the power in uW, shape (n,), and what must not be negative, shape (6, n), at points of shape (6, n)."""
        f = self.facts
        length, h_s, h_p, rho, tau, width = np.exp(points)
        t = h_p / h_s
        mass, beam, load = self._mass_and_load(length, h_s, h_p, rho, tau, width)
        g = coupling(f, t)
        x = square(rho) * g * tuned(tau)
        response = square(square(rho) * (1 + g * opened(tau)) - 1) + square(2 * f.zeta * rho + x)
        log_tip = np.log(f.a / f.w**2) - np.log(response) / 2
        log_stress = np.log(3 * f.e_s * h_s * neutral_axis(f, t) / square(length)) + log_tip
        margins = [
            np.log(f.displacement) + self.kept - log_tip,
            np.log(f.stress) + self.kept - log_stress,
            (mass - beam - f.tip_mass[0] * UP / width) / mass,
            (beam + f.tip_mass[1] * DOWN / width - mass) / mass,
            np.log(load / (f.load[0] * UP)),
            np.log(f.load[1] * DOWN / load),
        ]
        return np.log(1e6 * width * mass * f.a**2 / (2 * f.w) * x / response), np.array(margins)

    def design(self, point: Array) -> dict[str, float]:
        """The design at one point, in the units of tasks, moved into the box where it is off by rounding."""
        length, h_s, h_p, _, _, width = values = np.exp(point)
        mass, beam, load = self._mass_and_load(*values)
        raw = (1e3 * length, 1e3 * width, 1e6 * h_s, 1e6 * h_p, 1e3 * width * (mass - beam), load)
        inside = {}
        for (name, (low, high)), value in zip(self._ranges.items(), raw, strict=True):
            inside[name] = min(max(float(value), low), high)
        return inside

    def tops(self, starts: list[Array]) -> list[tuple[float, Array, Array]]:
        """The searches that break no limit, the strongest first: ln of the power, where they end, where they began."""
        climbs = [(*self.top(start), start) for start in starts]
        return sorted((climb for climb in climbs if np.isfinite(climb[0])), key=lambda climb: -climb[0])

    def top(self, start: Array) -> tuple[float, Array]:
        """ln of the power and the point where SLSQP ends; -inf when that breaks a limit."""
        from scipy.optimize import minimize

        n = start.size
        shifts = _STEP * np.hstack([np.zeros((n, 1)), np.eye(n), -np.eye(n)])
        seen: dict[bytes, tuple[float, Array, Array, Array]] = {}

        def at(point: Array) -> tuple[float, Array, Array, Array]:
            key = point.tobytes()
            if key not in seen:
                value, margins = self.evaluate(point[:, np.newaxis] + shifts)
                seen.clear()
                seen[key] = (
                    -float(value[0]),
                    (value[n + 1 :] - value[1 : n + 1]) / (2 * _STEP),
                    margins[:, 0],
                    (margins[:, 1 : n + 1] - margins[:, n + 1 :]) / (2 * _STEP),
                )
            return seen[key]

        with np.errstate(all="ignore"):
            end = minimize(
                lambda point: at(point)[0],
                np.clip(start, self.low, self.high),
                jac=lambda point: at(point)[1],
                method="SLSQP",
                bounds=list(zip(self.low, self.high, strict=True)),
                constraints=[{"type": "ineq", "fun": lambda point: at(point)[2], "jac": lambda point: at(point)[3]}],
                options={"ftol": 1e-11, "maxiter": 100},
            )
            point = np.clip(end.x, self.low, self.high)
            value, margins = self.evaluate(point[:, np.newaxis])
        good = np.isfinite(value[0]) and bool(np.all(margins > -1e-6))
        return (float(value[0]) if good else -np.inf), point

    def _mass_and_load(
        self, length: Array, h_s: Array, h_p: Array, rho: Array, tau: Array, width: Array
    ) -> tuple[Array, Array, Array]:
        """Moving mass and moving beam mass, both per width, and the load in ohm."""
        f = self.facts
        mass = 3 * stiffness(f, h_s, h_p) / (cube(length) * square(rho * f.w))
        beam = MASS_FACTOR * (f.rho_s * h_s + f.rho_p * h_p) * length
        return mass, beam, tau * h_p / (f.w * f.permittivity * length * width)
