"""What the P1 construction asks of optimizer and certificates, and a search for one design under several briefs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from vehbench_builder.build_spec import BuildError
from vehbench_builder.veh.certified import Certified, certified
from vehbench_builder.veh.numbers import DIGITS, known, rounded_design
from vehbench_hf.types import Design, Spec
from vehbench_oracle import VARIABLES, Box
from vehbench_oracle.space import Array, designs_at
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.optimum import find_optimum
from vehbench_oracle.veh.proof.certify import certify

ROOM = 2e-5
"""Share of the limits that a reference keeps in hand: more than the rounding of a limit to six digits takes away."""
TARGET_MARGIN = 1.05
"""A brief counts as infeasible when this much less power than its target is out of reach as well."""
FREQUENCY_MARGIN = 1.05
"""A brief counts as out of reach when resonances that miss the allowed band by this factor are out of reach as well."""
SOME_POWER_UW = 1e-9

SAMPLE, WALKS, STEPS = 4096, 40, 128
"""Random points, widths of the walk, and steps of each width in `common_design`."""


class Rated(NamedTuple):
    """A design at six digits, and its power; of several briefs the smallest."""

    design: Design
    power_uw: float


def best_design(spec: Spec, *, seed: int, room: float = ROOM, bounds: Mapping[str, Box] | None = None) -> Rated | None:
    """The strongest design found that keeps the share `room` of every upper limit, in narrower bounds where given."""
    narrowed: Spec = {**spec, "variable_bounds": {**spec["variable_bounds"], **(bounds or {})}}
    optimum = find_optimum(problem_of_brief(narrowed), seed=seed, digits=DIGITS, min_slack=room)
    return None if optimum is None else Rated(optimum.design, optimum.power_uw)


def bounded(spec: Spec, design: Design) -> Certified | None:
    """The design as a reference with a proven bound on the power of all designs; None without a proof."""
    try:
        return certified(spec, design)
    except BuildError:
        return None


def refutation(spec: Spec) -> str | None:
    """The certificate that no design meets the brief, nor one whose target is lower by `TARGET_MARGIN`; else None."""
    proof = certify(problem_of_brief(spec), known(spec["constraints"]["power_target_uw"]) / TARGET_MARGIN)
    return None if proof is None else proof.text


def is_out_of_reach(spec: Spec) -> bool:
    """Whether it is proven that all resonances of the box miss the allowed band by `FREQUENCY_MARGIN` or more."""
    limit = known(spec["constraints"]["freq_error_pct_limit"])
    # On the lower side of the band this is even more than the margin.
    wider = 100 * (FREQUENCY_MARGIN * (1 + limit / 100) - 1)
    return certify(problem_of_brief(_without_amplitude_limits(spec, wider)), SOME_POWER_UW) is not None


def common_design(briefs: Sequence[Spec], *, seed: int, room: float) -> Rated | None:
    """One design that keeps the upper limits of all briefs with `room` to spare, and its smallest power among them.

    The briefs may differ in excitation, materials and damping, and in a fixed load, which then replaces that of the
    design. Random points and a narrowing random walk: the result is good and need not be the best. None when no such
    design is met.
    """
    draw = np.random.default_rng(seed)

    def merit(u: Array) -> Array:
        powers, excesses = zip(*(_power_and_excess(spec, u, room) for spec in briefs), strict=True)
        excess = np.max(excesses, axis=0)
        return np.asarray(np.where(excess > 0, -1e3 - excess, np.log(np.min(powers, axis=0))))

    best, value = np.full((len(VARIABLES), 1), 0.5), -np.inf
    steps = [draw.random((len(VARIABLES), SAMPLE)) - 0.5]
    steps += [width * draw.standard_normal((len(VARIABLES), STEPS)) for width in np.geomspace(0.3, 1e-3, WALKS)]
    for step in steps:
        points = np.clip(best + step, 0.0, 1.0)
        values = merit(points)
        if values.max() > value:
            best, value = points[:, [int(values.argmax())]], float(values.max())
    design = rounded_design(designs_at(problem_of_brief(briefs[0]), best[:, 0]))
    return Rated(design, float(np.exp(value))) if value > -1e3 else None


def _power_and_excess(spec: Spec, u: Array, room: float) -> tuple[Array, Array]:
    """Power in uW of points of the unit box, and by what share of a limit the worst one is exceeded."""
    problem = problem_of_brief(spec)
    response = problem.respond(designs_at(problem, u))
    shares = [getattr(response, limit.metric) / limit.value for limit in problem.limits.values() if limit.upper]
    return response.load_power_uw, np.maximum(0.0, np.max(shares, axis=0) - (1 - room))


def _without_amplitude_limits(spec: Spec, freq_error_pct_limit: float) -> Spec:
    huge = {"stress_limit_mpa": 1e12, "disp_limit_mm": 1e12, "freq_error_pct_limit": freq_error_pct_limit}
    return {**spec, "constraints": {**spec["constraints"], **huge}}
