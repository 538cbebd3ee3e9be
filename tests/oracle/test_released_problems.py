"""The reference powers of the authors' bank, held against proofs and searches; labels are held by the audit's tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from cross_check import cross_check, disagreement
from vehbench_hf.paper.release.references import read_references
from vehbench_oracle import (
    VehProblem,
    find_optimum,
    proven_margin,
    verify_certificate,
)

pytestmark = pytest.mark.slow

SAMPLE = 10
"""Every tenth P2 task is looked at."""


def rows_of(release: Path, probe: str) -> list[dict[str, Any]]:
    lines = (release / "data" / "veh" / f"{probe}_tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def problem_of(row: dict[str, Any]) -> VehProblem:
    return VehProblem(
        bounds=row["variable_bounds"],
        constraints={limit["name"]: limit["limit"] for limit in row["constraints"]},
        frequency_hz=row["excitation_context"]["frequency_hz"],
        acceleration_g=row["excitation_context"]["acceleration_g"],
        piezo=row["environment_context"]["piezo_material"],
        substrate=row["environment_context"]["substrate_material"],
    )


def test_a_reference_is_proven_and_beaten_by_neither_the_authors_nor_another_search(release_dir: Path) -> None:
    newer = read_references(release_dir).newer
    rows = rows_of(release_dir, "p2")[::SAMPLE]
    assert len(rows) == 21
    for row in rows:
        problem, name = problem_of(row), row["task_id"]
        found = find_optimum(problem)
        assert found is not None, name
        assert found.power_uw >= newer[name] * (1 - 1e-4), name
        other = cross_check(problem, expected_uw=found.power_uw)
        assert other is not None, name
        assert disagreement(found, other) < 1e-3, name
        margin = proven_margin(problem, found.power_uw, (0.01, 0.02, 0.05))
        assert margin is not None, name
        assert verify_certificate(problem, 1.05 * found.power_uw, margin.certificate.text) > 0
