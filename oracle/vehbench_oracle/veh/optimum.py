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
    facts_under,
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
        self.facts = facts_under(problem)
        first = self.facts[0]
        low, high = root_box(first)
        error = problem.limit("freq_error_pct_limit") / 100 * (1 - room)
        for f in self.facts:
            faster = f.w / first.w
            low[3], high[3] = max(low[3], (1 - error) * faster), min(high[3], (1 + error) * faster)
        with np.errstate(all="ignore"):
            self.low, self.high = np.log(np.append(low, first.width[0])), np.log(np.append(high, first.width[1]))
        self.kept = np.log1p(-room)
        self._ranges = {name: problem.range_of(name) for name in VARIABLES}

    def evaluate(self, points: Array) -> tuple[Array, Array]:
        """ln of the powers in uW, shape (c, n), and what must not be negative, shape (2 c + 4, n), at points (6, n).

        c is the number of stated excitations. The resonance and the load of a point are those of the first one.
        """
        first = self.facts[0]
        length, h_s, h_p, rho, tau, width = np.exp(points)
        t = h_p / h_s
        mass, beam, load = self._mass_and_load(length, h_s, h_p, rho, tau, width)
        g = coupling(first, t)
        powers, margins = [], []
        for f in self.facts:
            faster = f.w / first.w
            rho_f, tau_f = rho / faster, tau * faster
            x = square(rho_f) * g * tuned(tau_f)
            response = square(square(rho_f) * (1 + g * opened(tau_f)) - 1) + square(2 * f.zeta * rho_f + x)
            log_tip = np.log(f.a / f.w**2) - np.log(response) / 2
            log_stress = np.log(3 * f.e_s * h_s * neutral_axis(f, t) / square(length)) + log_tip
            powers.append(np.log(1e6 * width * mass * f.a**2 / (2 * f.w) * x / response))
            margins += [
                np.log(f.displacement) + self.kept - log_tip,
                np.log(f.stress) + self.kept - log_stress,
            ]
        margins += [
            (mass - beam - first.tip_mass[0] * UP / width) / mass,
            (beam + first.tip_mass[1] * DOWN / width - mass) / mass,
            np.log(load / (first.load[0] * UP)),
            np.log(first.load[1] * DOWN / load),
        ]
        return np.array(powers), np.array(margins)

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
        """ln of the least power and the point where SLSQP ends; -inf when that breaks a limit.

        The least of several powers has a kink. So SLSQP then climbs in one more coordinate, a level that no power may
        fall below.
        """
        from scipy.optimize import minimize

        n, several = start.size, len(self.facts) > 1
        shifts = _STEP * np.hstack([np.zeros((n, 1)), np.eye(n), -np.eye(n)])
        seen: dict[bytes, tuple[float, Array, Array, Array]] = {}

        def at(point: Array) -> tuple[float, Array, Array, Array]:
            key = point.tobytes()
            if key not in seen:
                powers, margins = self.evaluate(point[:n, np.newaxis] + shifts)
                kept = np.vstack([margins, powers]) if several else margins
                slope = (kept[:, 1 : n + 1] - kept[:, n + 1 :]) / (2 * _STEP)
                value, rise = powers[0, 0], (powers[0, n + 1 :] - powers[0, 1 : n + 1]) / (2 * _STEP)
                kept = kept[:, 0]
                if several:
                    level = np.append(np.zeros(len(margins)), np.ones(len(powers)))
                    value, rise = point[n], np.append(np.zeros(n), -1.0)
                    kept, slope = kept - level * point[n], np.column_stack([slope, -level])
                seen.clear()
                seen[key] = -float(value), rise, kept, slope
            return seen[key]

        begin = np.clip(start, self.low, self.high)
        bounds: list[tuple[float | None, float | None]] = list(zip(self.low, self.high, strict=True))
        with np.errstate(all="ignore"):
            if several:
                begin = np.append(begin, self.evaluate(begin[:, np.newaxis])[0].min())
                bounds.append((None, None))
            end = minimize(
                lambda point: at(point)[0],
                begin,
                jac=lambda point: at(point)[1],
                method="SLSQP",
                bounds=bounds,
                constraints=[{"type": "ineq", "fun": lambda point: at(point)[2], "jac": lambda point: at(point)[3]}],
                options={"ftol": 1e-11, "maxiter": 100},
            )
            point = np.clip(end.x[:n], self.low, self.high)
            powers, margins = self.evaluate(point[:, np.newaxis])
        least = float(powers.min())
        good = np.isfinite(least) and bool(np.all(margins > -1e-6))
        return (least if good else -np.inf), point

    def _mass_and_load(
        self, length: Array, h_s: Array, h_p: Array, rho: Array, tau: Array, width: Array
    ) -> tuple[Array, Array, Array]:
        """Moving mass and moving beam mass, both per width, and the load in ohm."""
        f = self.facts[0]
        mass = 3 * stiffness(f, h_s, h_p) / (cube(length) * square(rho * f.w))
        beam = MASS_FACTOR * (f.rho_s * h_s + f.rho_p * h_p) * length
        return mass, beam, tau * h_p / (f.w * f.permittivity * length * width)
