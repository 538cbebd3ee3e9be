"""The authors' aggregates by model, in the names of our parts: transcribed, not recomputed.

Two files overlap. `appendix_metrics.json` is what Tables 18 to 21 were made from (the partial P4 run of o4-mini and
the doubled P4 rows of qwen3.6-plus included); `profile_metrics.json` is what profiles, Table 4 and Table 32 were made
from. The first lacks some models, so the second stands in for it.
"""

from collections.abc import Mapping
from typing import Any

from vehbench_hf.analysis.profiles import SUMMARY_GAINS
from vehbench_hf.paper.reproduce.analysis import Analysis
from vehbench_hf.paper.reproduce.cells import CellName, Computed
from vehbench_hf.paper.reproduce.sources import LEADERBOARDS, SOURCES, Source
from vehbench_hf.types import PROBES, SPLITS, Probe

Values = dict[Probe, dict[str, float | None]]
"""Parts by probe."""

OF_PROFILE: dict[Probe, dict[str, str]] = {
    "p1": {
        "acc": "accuracy",
        "f1": "macro_f1",
        "acs": "acs",
        "mds": "mds",
        "ids": "ids",
        "subtype_f1": "subtype_f1",
        "comp": "composite",
        "over_action": "spurious_propose_rate",
    },
    "p2": {
        "p2a": "p2a_first_feasible",
        "p2b": "final_feasible_power_ratio",
        "final_feasible": "final_feasible_rate",
        "cond_ratio": "conditional_feasible_power_ratio",
        "queries": "mean_queries",
        "invalid": "protocol_invalid_rate",
    },
    "p3": {
        "success": "success_rate",
        "recq": "escape_quality",
        "first_feasible": "first_recovery_feasible_rate",
        "escape": "trap_escape_rate",
        "cascade": "constraint_cascade_rate",
        "dead": "dead_budget_rate",
        "replan": "explicit_replan_rate",
        "invalid": "protocol_invalid_rate",
    },
    "p4": {
        "tau": "full_tau",
        "exact": "exact_match_rate",
        "top1": "top1_accuracy",
        "top2": "top2_set_accuracy",
        "pareto": "pareto_tau",
        "bars": "balanced_active_bars",
        "parse": "parse_error_rate",
        "viol": "pareto_violation_rate",
        "dominance_error": "pareto_violation_rate",
        "parse_failure": "parse_error_rate",
    },
}
COMPLEMENTS: dict[Probe, dict[str, str]] = {
    "p1": {"missing_info_miss": "missing_recall"},
    "p2": {"infeasible_closure": "final_feasible_rate", "utility_loss": "conditional_feasible_power_ratio"},
    "p3": {"escape_failure": "trap_escape_rate"},
    "p4": {"policy_mismatch": "all_policy_sensitive_pair_accuracy"},
}
"""Our parts that are one minus a field of `profile_metrics.json`."""

OF_APPENDIX: dict[Probe, dict[str, str]] = {
    "p1": {**OF_PROFILE["p1"]},
    "p2": {
        "p2a": "p2a_first_feasible",
        "p2b": "p2b_headline",
        "final_feasible": "final_feasible_rate",
        "cond_ratio": "conditional_ratio",
        "impr": "improvement_rate",
        "auc": "auc",
        "queries": "mean_queries",
    },
    "p3": {
        "success": "success",
        "recq": "recovery_quality",
        "first_feasible": "first_recovery_feasible",
        "escape": "trap_escape",
        "cascade": "cascade",
        "dead": "dead_budget",
        "replan": "explicit_replan",
    },
    "p4": {
        "tau": "full_tau",
        "exact": "exact",
        "top1": "top1",
        "top2": "top2",
        "pareto": "pareto_tau",
        "bars": "bars",
        "parse": "parse_error",
        "viol": "violation",
    },
}
AXIS_OF = {
    "action": "action_prior",
    "edit": "edit_style",
    "feedback": "feedback_obedience",
    "state": "state_trust",
    "policy": "preference_execution",
}
"""The authors' names of the five axes."""


def model_keys(analysis: Analysis) -> list[str]:
    """The keys under which the aggregates list models."""
    return list(analysis.of("profile_metrics", "models"))


def profile_parts(analysis: Analysis, key: str) -> Values:
    """Parts from `profile_metrics.json`, as far as it has them."""
    found: Values = {}
    for probe in PROBES:
        stage = analysis.of("profile_metrics", "models", key, "stage_metrics", probe)
        if not stage.get("available"):
            continue
        parts = {part: _number(stage, name) for part, name in OF_PROFILE[probe].items()}
        for part, name in COMPLEMENTS[probe].items():
            value = _number(stage, name)
            parts[part] = None if value is None else 1.0 - value
        found[probe] = parts | _combined(probe, stage)
    return found


def profile_rows(analysis: Analysis, key: str, probe: Probe) -> int | None:
    """How many tasks the profile of a model counts at a probe."""
    rows = _number(analysis.of("profile_metrics", "models", key, "stage_metrics", probe), "n")
    return None if rows is None else int(rows)


def appendix_parts(analysis: Analysis, key: str) -> Values:
    """Parts from `appendix_metrics.json`, which lists fewer models."""
    return {
        probe: {part: _number(overall, name) for part, name in OF_APPENDIX[probe].items()}
        for probe in PROBES
        if (overall := analysis.of("appendix_metrics", f"{probe}_overall", key))
    }


def summary_gains(analysis: Analysis, key: str) -> dict[str, float]:
    """The effects of the state-summary intervention on a model; empty where it was not run."""
    effects = analysis.of("interventions", "effects", key, "summary_effect")
    success, cascade = _number(effects, "p3_success_delta"), _number(effects, "constraint_cascade_rate_delta")
    return {} if success is None or cascade is None else dict(zip(SUMMARY_GAINS, (success, -cascade), strict=True))


def model_cells(analysis: Analysis, key: str) -> dict[CellName, Computed]:
    """The cells of `SOURCES` and Table 29 that the aggregates hold of one model."""
    profile, appendix = profile_parts(analysis, key), appendix_parts(analysis, key)
    cells = {}
    for table, columns in SOURCES.items():
        for column, source in columns.items():
            use = {**profile, **appendix} if table in LEADERBOARDS else profile
            cells[CellName(table, column)] = _cell(use, source)
    for axis, name in AXIS_OF.items():
        score = _number(analysis.of("profile_metrics", "models", key, "dimension_scores", name), "score")
        cells[CellName("29", axis)] = Computed(score, None if score is not None else "the aggregates hold no score")
    return cells | {CellName("4", "state_reset"): cells[CellName("29", "state")]}


def _cell(values: Values, source: Source) -> Computed:
    if source.splits != SPLITS:
        return Computed(None, "the aggregates hold no split")
    value = values.get(source.probe, {}).get(source.part)
    return Computed(value, None if value is not None else "the aggregates do not hold this number")


def _combined(probe: Probe, stage: Mapping[str, Any]) -> dict[str, float | None]:
    """Parts that are made of two fields, as appendix H.1 says."""
    if probe == "p1":
        refusals = [_number(stage, name) for name in ("spurious_request_rate", "spurious_infeasible_rate")]
        return {"over_refusal": min(1.0, sum(r for r in refusals if r is not None)) if None not in refusals else None}
    if probe == "p2":
        destructive = _number(stage, "destructive_edit_rate")
        return {"destructive": 0.0 if destructive is None else destructive}  # as the authors print it
    if probe == "p3":
        success, escape = _number(stage, "success_rate"), _number(stage, "trap_escape_rate")
        if success is None or escape is None:
            return {"post_escape_failure": None}
        return {"post_escape_failure": min(1.0, max(0.0, 1.0 - success / max(escape, 1e-12)))}
    return {}


def _number(of: Mapping[str, Any], name: str) -> float | None:
    value = of.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
