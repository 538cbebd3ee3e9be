"""A proof must be found, be checked by other code, and never hold for what is false."""

import ast
import dataclasses
import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vehbench_oracle
from cross_check import certificate_holds
from vehbench_oracle import (
    VARIABLES,
    Certificate,
    CertificateError,
    InvalidValueError,
    VehProblem,
    certify,
    find_optimum,
    proven_margin,
    verify_certificate,
)
from vehbench_oracle.veh.proof.certificate import LEAVES, MAX_NODES, SPLITS

PROBLEM = VehProblem(
    bounds={
        "beam_length_mm": {"min": 40.0, "max": 60.0},
        "beam_width_mm": {"min": 8.0, "max": 12.0},
        "substrate_thickness_um": {"min": 200.0, "max": 400.0},
        "piezo_thickness_um": {"min": 150.0, "max": 300.0},
        "tip_mass_g": {"min": 0.5, "max": 3.0},
        "load_resistance_ohm": {"min": 2e4, "max": 2e5},
    },
    constraints={"stress_limit_mpa": 30.0, "disp_limit_mm": 1.0, "freq_error_pct_limit": 20.0},
    frequency_hz=70.0,
    acceleration_g=0.5,
)


@pytest.fixture(scope="module")
def best_uw() -> float:
    found = find_optimum(PROBLEM)
    assert found is not None
    return found.power_uw


@pytest.fixture(scope="module")
def proof(best_uw: float) -> Certificate:
    found = certify(PROBLEM, 1.003 * best_uw)
    assert found is not None
    assert set(SPLITS + "mz") <= set(found.tree)
    return found


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10**9))
def test_a_proof_is_accepted_and_excludes_no_existing_design(make_problem, seed: int) -> None:
    problem = make_problem(seed)
    best = find_optimum(problem, seed=seed, starts=6)
    if best is None:
        return
    assert certify(problem, best.power_uw, max_boxes=2000) is None
    found = proven_margin(problem, best.power_uw, (0.02, 0.1, 1.0), max_boxes=4000)
    if found is not None:
        assert verify_certificate(problem, (1 + found.share) * best.power_uw, found.certificate.text) > 0


def test_a_proof_for_a_power_that_a_design_has_is_refused(proof: Certificate, best_uw: float) -> None:
    assert certificate_holds(PROBLEM, proof.target_uw, proof)
    for share in (1.0, 0.98, 0.5):
        with pytest.raises(CertificateError, match="does not exclude"):
            verify_certificate(PROBLEM, share * best_uw, Certificate(share * best_uw, proof.tree))


def test_a_proof_holds_for_a_larger_power_and_never_for_a_smaller_one(proof: Certificate) -> None:
    assert certificate_holds(PROBLEM, 2 * proof.target_uw, proof)
    with pytest.raises(CertificateError, match="asked was"):
        verify_certificate(PROBLEM, 0.999 * proof.target_uw, proof)
    assert not certificate_holds(PROBLEM, math.nan, proof)


def test_a_proof_is_the_same_twice(proof: Certificate) -> None:
    again = certify(PROBLEM, proof.target_uw, max_boxes=100_000, seconds=600)
    assert again is not None
    assert again.text == proof.text


def test_a_reference_gets_the_best_margin_its_ladder_offers(best_uw: float) -> None:
    found = proven_margin(PROBLEM, best_uw, (0.5, 0.02, 1e-9))
    assert found is not None
    assert found.share == 0.02
    assert found.certificate.target_uw == 1.02 * best_uw
    assert proven_margin(PROBLEM, best_uw, (1e-9,)) is None


def test_a_search_keeps_to_its_budget(proof: Certificate) -> None:
    assert certify(PROBLEM, proof.target_uw, max_boxes=len(proof.tree) - 1) is None
    assert certify(PROBLEM, proof.target_uw, max_boxes=len(proof.tree)) == proof
    assert certify(PROBLEM, proof.target_uw, seconds=0.0) is None


@pytest.mark.parametrize("target", [0.0, -1.0, math.nan, math.inf, "1", None])
def test_a_target_that_is_no_power_is_refused(target) -> None:
    with pytest.raises(vehbench_oracle.OracleError):
        certify(PROBLEM, target)


def test_a_changed_problem_loses_its_proof(proof: Certificate) -> None:
    for change in (
        {"constraints": {**PROBLEM.constraints, "stress_limit_mpa": 40.0}},
        {"acceleration_g": 0.7},
        {"bounds": {**PROBLEM.bounds, "beam_width_mm": {"min": 8.0, "max": 13.0}}},
    ):
        assert not certificate_holds(dataclasses.replace(PROBLEM, **change), proof.target_uw, proof)


def test_an_altered_text_is_refused(proof: Certificate) -> None:
    text, draw = proof.text, random.Random(1)
    for _ in range(300):
        place = draw.randrange(len(text))
        altered = text[:place] + draw.choice(SPLITS + LEAVES + "0123456789 .") + text[place + 1 :]
        assert altered == text or not certificate_holds(PROBLEM, proof.target_uw, altered)
    lower = Certificate(0.99 * proof.target_uw, proof.tree).text
    forged = lower.replace(repr(0.99 * proof.target_uw), repr(0.9 * proof.target_uw))
    assert not certificate_holds(PROBLEM, proof.target_uw, forged)


def test_a_forged_tree_with_a_fitting_checksum_is_refused(proof: Certificate) -> None:
    def accepted(place: int, letter: str) -> bool:
        tree = proof.tree[:place] + letter + proof.tree[place + 1 :]
        return certificate_holds(PROBLEM, proof.target_uw, Certificate(proof.target_uw, tree))

    still_proofs = 0
    for place in range(0, len(proof.tree), 4):
        letter = proof.tree[place]
        # A tree of another shape is never whole.
        assert not accepted(place, LEAVES[0] if letter in SPLITS else SPLITS[0])
        kind = SPLITS if letter in SPLITS else LEAVES
        others = [accepted(place, other) for other in kind if other != letter]
        assert not all(others)
        still_proofs += sum(others)
    # One leaf may be excluded for two reasons, and one box be cut in two ways.
    assert still_proofs < len(proof.tree) / 4


def test_a_tree_that_is_cut_short_or_continued_is_refused(proof: Certificate) -> None:
    for tree in (proof.tree[:-1], proof.tree + "z", "L", "zz"):
        with pytest.raises(CertificateError, match=r"breaks off|complete after"):
            verify_certificate(PROBLEM, proof.target_uw, Certificate(proof.target_uw, tree))


@given(st.one_of(st.text(max_size=80), st.text(alphabet=SPLITS + LEAVES + " 0123456789.e+-", max_size=80)))
def test_garbage_is_refused_as_a_certificate(text: str) -> None:
    for candidate in (text, f"vehbench-certificate-1 {text}", f"vehbench-certificate-1 1.0 {text} 0123456789ab"):
        with pytest.raises(CertificateError):
            Certificate.parse(candidate)
        assert not certificate_holds(PROBLEM, 1.0, candidate)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * (2 * MAX_NODES),
        "vehbench-certificate-1 1.0 " + "z" * (MAX_NODES + 1) + " 0123456789ab",
        "vehbench-certificate-1 1e999 z 0123456789ab",
        "vehbench-certificate-1 -1.0 z 0123456789ab",
        "vehbench-certificate-1 1.0.0 z 0123456789ab",
        "vehbench-certificate-2 1.0 z 0123456789ab",
        None,
        7,
        b"vehbench-certificate-1 1.0 z 0123456789ab",
    ],
)
def test_what_is_no_certificate_is_refused(text) -> None:
    with pytest.raises(CertificateError):
        Certificate.parse(text)


@pytest.mark.parametrize(("target", "tree"), [(0.0, "z"), (math.nan, "z"), (1.0, ""), (1.0, "q"), (1.0, "z" * 500_001)])
def test_a_certificate_cannot_be_made_of_what_is_none(target: float, tree: str) -> None:
    with pytest.raises(CertificateError):
        Certificate(target, tree)


def test_the_check_reads_the_largest_certificate(best_uw: float) -> None:
    inner = (MAX_NODES - 1) // 2
    tree = "L" * inner + "z" * (inner + 1)
    assert len(tree) == MAX_NODES - 1
    with pytest.raises(CertificateError, match="does not exclude"):
        verify_certificate(PROBLEM, best_uw, Certificate(best_uw, tree))


def test_an_error_passes_between_processes() -> None:
    error = CertificateError("broken")
    kind, arguments = error.__reduce__()
    assert str(kind(*arguments)) == "broken"


def test_the_check_shares_no_code_with_the_search() -> None:
    root = Path(vehbench_oracle.__file__).parent.parent
    reached, waiting = set[str](), ["vehbench_oracle.veh.proof.verify"]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        file = root.joinpath(*name.split("."))
        tree = ast.parse((file / "__init__.py" if file.is_dir() else file.with_suffix(".py")).read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("vehbench_oracle"):
                modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                waiting += {m for m in modules if root.joinpath(*m.split(".")).with_suffix(".py").exists()} - reached
    names = {name.rpartition(".")[2] for name in reached}
    assert names >= {"verify", "interval_model", "intervals"}
    assert not names & {"certify", "box_bounds", "features", "optimum", "evolution"}


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"bounds": {**PROBLEM.bounds, "beam_width_mm": None}}, "beam_width_mm"),
        ({"bounds": {**PROBLEM.bounds, "beam_width_mm": {"min": 2.0, "max": 1.0}}}, "beam_width_mm"),
        ({"bounds": {**PROBLEM.bounds, "beam_width_mm": {"min": 0.0, "max": 1.0}}}, "minimum of beam_width_mm"),
        ({"constraints": {"stress_limit_mpa": 0.0}}, "stress_limit_mpa"),
        ({"constraints": {"freq_error_pct_limit": -1.0}}, "freq_error_pct_limit"),
        ({"frequency_hz": 0.0}, "frequency_hz"),
        ({"acceleration_g": math.inf}, "acceleration_g"),
        ({"damping_ratio": -0.1}, "damping_ratio"),
        ({"piezo": "wood"}, "piezo material"),
    ],
)
def test_a_problem_without_meaning_is_refused(change, name: str) -> None:
    with pytest.raises(vehbench_oracle.OracleError) as caught:
        dataclasses.replace(PROBLEM, **change).require_complete()
    assert caught.value.name == name


def test_an_absent_limit_is_the_papers_default() -> None:
    assert dataclasses.replace(PROBLEM, constraints={}).limit("stress_limit_mpa") == 50.0
    assert np.isfinite(PROBLEM.limit("power_target_uw"))
    with pytest.raises(InvalidValueError):
        dataclasses.replace(PROBLEM, constraints={"disp_limit_mm": True}).require_complete()
    assert set(PROBLEM.bounds) == set(VARIABLES)
