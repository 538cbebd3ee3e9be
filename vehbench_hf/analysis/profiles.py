"""The five axes of a response-control profile, and a score on each. Paper: appendix F.5, (A-34), (A-35), Table 15.

Every indicator is oriented so that higher is better. The two conventions combine the same indicators differently:

- `released`: the mean of the indicators that a model has, each clipped to [0, 1]. It needs no other model, and gives
  Table 29. Models that lack an indicator are averaged over the rest, so that scores of models with different
  indicators do not compare.
- `defined`: each indicator is min-max scaled over the compared models (A-35), then averaged (A-34). It depends on who
  is compared. An indicator that any of them lacks is left out for all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vehbench_hf.types import PROBES, Convention, Probe

AXES: dict[str, tuple[str, ...]] = {
    "action": (
        "p1.action_alignment",
        "p1.f1",
        "p1.recall_request",
        "p1.recall_infeasible",
        "p1.precision_propose",
        "p1.non_invalid",
    ),
    "edit": (
        "p2.bounded_local_edit",
        "p2.feasibility_preservation",
        "p2.directed_update",
        "p2.final_feasible",
        "p2.non_destructive",
        "p2.protocol_valid",
    ),
    "feedback": (
        "p2.violation_reduction",
        "p2.utility_improvement",
        "p2.auc_budget",
        "p3.violation_reduction",
        "p3.post_feedback_feasible",
    ),
    "state": (
        "p3.escape",
        "p3.replan",
        "p3.escape_quality",
        "p3.non_cascade",
        "p3.non_dead",
        "p3.summary_success_gain",
        "p3.summary_cascade_reduction",
    ),
    "policy": (
        "p4.pairwise",
        "p4.bars",
        "p4.balanced_pairs",
        "p4.exact",
        "p4.top1",
        "p4.non_violation",
        "p4.non_parse",
    ),
}
"""By axis the indicators of Table 15, as probe and part of its score."""

SUMMARY_GAINS = ("p3.summary_success_gain", "p3.summary_cascade_reduction")
"""Indicators that need a second run with a state summary in place of the history; nothing else gives them."""

EPSILON = 1e-12

Indicators = Mapping[str, float | None]
"""Indicators of one model by name, None where undefined."""


@dataclass(frozen=True)
class AxisScore:
    """A score in [0, 1] on one axis, and the indicators behind it; None when there is none."""

    value: float | None
    used: tuple[str, ...]


def indicators(
    parts: Mapping[Probe, Mapping[str, float | None]], *, gains: Mapping[str, float] | None = None
) -> dict[str, float | None]:
    """The indicators of a model from the parts of its probes, all under one convention.

    `gains` are those of `SUMMARY_GAINS`, where the intervention was run. Probes that were not run leave their
    indicators undefined.
    """
    values = {f"{probe}.{part}": value for probe in PROBES for part, value in parts.get(probe, {}).items()}
    values.update(gains or {})
    return {name: values.get(name) for names in AXES.values() for name in names}


def profiles(models: Mapping[str, Indicators], convention: Convention) -> dict[str, dict[str, AxisScore]]:
    """The profile of each model by axis, under one convention. A name that is no indicator raises ValueError."""
    known = {name for names in AXES.values() for name in names}
    strange = sorted({name for indicators in models.values() for name in indicators} - known)
    if strange:
        raise ValueError(f"{', '.join(strange)} is no indicator of Table 15")
    if convention == "released":
        return {m: {axis: released_score(own, names) for axis, names in AXES.items()} for m, own in models.items()}
    by_axis = {axis: defined_scores(models, names) for axis, names in AXES.items()}
    return {model: {axis: by_axis[axis][model] for axis in AXES} for model in models}


def released_score(own: Indicators, names: Sequence[str]) -> AxisScore:
    """The mean of the indicators that are there, each clipped to [0, 1]."""
    values = {name: value for name in names if (value := own.get(name)) is not None}
    clipped = [min(1.0, max(0.0, value)) for value in values.values()]
    return AxisScore(sum(clipped) / len(clipped) if clipped else None, tuple(values))


def defined_scores(models: Mapping[str, Indicators], names: Sequence[str]) -> dict[str, AxisScore]:
    """(A-34) of (A-35): the mean of the indicators that every model has, each scaled over the models.

    An indicator on which all models agree adds 0 to each of them, as (A-35) has it.
    """
    scaled: dict[str, dict[str, float]] = {}
    for name in names:
        column = {model: own.get(name) for model, own in models.items()}
        values = {model: value for model, value in column.items() if value is not None}
        if values and len(values) == len(models):
            low, high = min(values.values()), max(values.values())
            scaled[name] = {model: (value - low) / (high - low + EPSILON) for model, value in values.items()}
    return {
        model: AxisScore(
            sum(column[model] for column in scaled.values()) / len(scaled) if scaled else None, tuple(scaled)
        )
        for model in models
    }
