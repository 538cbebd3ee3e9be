"""What the authors' bank says about feasibility and reference powers, held against proofs and searches."""

import json
from pathlib import Path
from typing import Any

import pytest

from cross_check import cross_check, disagreement
from vehbench_hf.paper.release.references import read_references
from vehbench_oracle import (
    VehProblem,
    certify,
    find_optimum,
    proven_margin,
    verify_certificate,
)

pytestmark = pytest.mark.slow

MISLABELLED = (
    "p1v3::dev::solvable_red_herring::0001::s42",
    "p1v3::dev::missing_blocker_ambiguous::0007::s42",
    "p1v3::dev::missing_blocker_ambiguous::0008::s42",
    "p1v3::test_id::missing_blocker_ambiguous::0008::s137",
)
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


def refuted(problem: VehProblem) -> bool:
    target = problem.limit("power_target_uw")
    proof = certify(problem, target)
    return proof is not None and verify_certificate(problem, target, proof.text) > 0


def test_every_infeasible_brief_has_a_proof(release_dir: Path) -> None:
    infeasible = [r for r in rows_of(release_dir, "p1") if r["gold_label"]["action_type"] == "declare_infeasible"]
    assert len(infeasible) == 60
    assert [row["task_id"] for row in infeasible if not refuted(problem_of(row))] == []


def test_the_known_mislabelled_briefs_are_refuted(release_dir: Path) -> None:
    rows = {row["task_id"]: row for row in rows_of(release_dir, "p1")}
    for task_id in MISLABELLED:
        assert rows[task_id]["gold_label"]["action_type"] == "propose_design"
        assert refuted(problem_of(rows[task_id])), task_id


def test_every_solvable_brief_has_a_design(release_dir: Path) -> None:
    for row in rows_of(release_dir, "p1"):
        if row["p1_subtype"].startswith("solvable") and row["task_id"] not in MISLABELLED:
            problem = problem_of(row)
            found = find_optimum(problem, min_slack=1e-9)
            assert found is not None, row["task_id"]
            assert found.power_uw >= problem.limit("power_target_uw"), row["task_id"]


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
