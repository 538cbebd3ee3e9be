"""The authors' own aggregates hold six decimals where the tables print three: error families and diagnostics too."""

import json
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.paper.release.logs import ReleasedRun
from vehbench_hf.paper.reproduce import Inputs, Reproduction
from vehbench_hf.paper.reproduce.aggregates import COMPLEMENT
from vehbench_hf.paper.reproduce.sources import PROFILE_FIELDS
from vehbench_hf.scoring import Row, score_parts
from vehbench_hf.types import PROBES, Probe, Task

SAME: dict[Probe, dict[str, str]] = {
    "p1": {
        **PROFILE_FIELDS["p1"],
        "recall_propose": "propose_recall",
        "recall_infeasible": "infeasible_recall",
        "recall_request": "missing_recall",
    },
    "p2": {**PROFILE_FIELDS["p2"], "directed_update": "directed_repair_rate"},
    "p3": {part: name for part, name in PROFILE_FIELDS["p3"].items() if part != "invalid"},
    "p4": {**PROFILE_FIELDS["p4"], "pair_accuracy": "all_policy_sensitive_pair_accuracy"},
}
OTHER_RUN = {("o4-mini", "p4")}
"""The aggregate is of a complete run of 159 pools whose rows are not released."""


@pytest.fixture(scope="module")
def tasks(inputs: Inputs) -> dict[str, Task]:
    return {task.task_id: task for task in inputs.tasks}


@pytest.fixture(scope="module")
def runs(inputs: Inputs) -> dict[str, ReleasedRun]:
    return {run.label: run for run in inputs.runs}


@pytest.fixture(scope="module")
def aggregates(release_dir: Path, reference_dir: Path) -> dict[str, dict[str, Any]]:
    """Stage metrics by printed model."""
    models = json.loads((release_dir / "results/analysis/profile_metrics.json").read_text(encoding="utf-8"))["models"]
    keys = json.loads((reference_dir / "log_map.json").read_text(encoding="utf-8"))["profile_json_keys"]
    return {model: models[key]["stage_metrics"] for model, key in keys.items()}


@pytest.mark.parametrize("probe", PROBES)
def test_every_number_is_the_authors_aggregate(
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
            value = theirs[name.removeprefix(COMPLEMENT)]
            expected = 1 - value if name.startswith(COMPLEMENT) else value
            assert parts[ours].value == pytest.approx(expected, abs=5.1e-7), (model, ours)
        if probe == "p1":
            refusals = theirs["spurious_request_rate"] + theirs["spurious_infeasible_rate"]
            assert parts["over_refusal"].value == pytest.approx(min(1.0, refusals), abs=2e-6), model
