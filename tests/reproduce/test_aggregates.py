"""The authors' own aggregates hold six decimals where the tables print three: error families and diagnostics too."""

import json
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.release.logs import ReleasedRun, find_runs
from vehbench_hf.release.references import read_references
from vehbench_hf.release.tasks import read_tasks
from vehbench_hf.reproduce import Reproduction
from vehbench_hf.scoring import Row, score_parts
from vehbench_hf.types import PROBES, Probe, Task

SAME: dict[Probe, dict[str, str]] = {
    "p1": {
        "acc": "accuracy",
        "f1": "macro_f1",
        "acs": "acs",
        "mds": "mds",
        "ids": "ids",
        "subtype_f1": "subtype_f1",
        "comp": "composite",
        "recall_propose": "propose_recall",
        "recall_infeasible": "infeasible_recall",
        "recall_request": "missing_recall",
        "over_action": "spurious_propose_rate",
    },
    "p2": {
        "p2a": "p2a_first_feasible",
        "p2b": "final_feasible_power_ratio",
        "cond_ratio": "conditional_feasible_power_ratio",
        "final_feasible": "final_feasible_rate",
        "queries": "mean_queries",
        "invalid": "protocol_invalid_rate",
        "directed_update": "directed_repair_rate",
    },
    "p3": {
        "success": "success_rate",
        "recq": "escape_quality",
        "first_feasible": "first_recovery_feasible_rate",
        "escape": "trap_escape_rate",
        "cascade": "constraint_cascade_rate",
        "dead": "dead_budget_rate",
        "replan": "explicit_replan_rate",
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
        "pair_accuracy": "all_policy_sensitive_pair_accuracy",
    },
}
OTHER_RUN = {("o4-mini", "p4")}
"""The aggregate is of a complete run of 159 pools whose rows are not released."""


@pytest.fixture(scope="module")
def tasks(release_dir: Path) -> dict[str, Task]:
    return {task.task_id: task for task in read_tasks(release_dir, read_references(release_dir))}


@pytest.fixture(scope="module")
def runs(release_dir: Path, tasks: dict[str, Task]) -> dict[str, ReleasedRun]:
    return {run.label: run for run in find_runs(release_dir, tasks.values())}


@pytest.fixture(scope="module")
def aggregates(release_dir: Path, reference_dir: Path) -> dict[str, dict[str, Any]]:
    """Stage metrics by printed model."""
    models = json.loads((release_dir / "results/analysis/profile_metrics.json").read_text(encoding="utf-8"))["models"]
    keys = json.loads((reference_dir / "log_map.json").read_text(encoding="utf-8"))["profile_json_keys"]
    return {model: models[key]["stage_metrics"] for model, key in keys.items()}


@pytest.mark.parametrize("probe", PROBES)
def test_a_number_differs_from_the_authors_aggregate(
    found: Reproduction,
    runs: dict[str, ReleasedRun],
    tasks: dict[str, Task],
    aggregates: dict[str, dict[str, Any]],
    probe: Probe,
) -> None:
    for model, fit in found.matched.items():
        if (model, probe) in OTHER_RUN:
            continue
        rows = [Row(tasks[task_id], record) for task_id, record in runs[fit.label].merged(probe).items()]
        parts = score_parts(probe, rows, "released")
        theirs = aggregates[model][probe]
        assert len(rows) == theirs["n"]
        for ours, name in SAME[probe].items():
            assert parts[ours].value == pytest.approx(theirs[name], abs=5.1e-7), (model, ours)
        if probe == "p1":
            refusals = theirs["spurious_request_rate"] + theirs["spurious_infeasible_rate"]
            assert parts["over_refusal"].value == pytest.approx(min(1.0, refusals), abs=2e-6), model
