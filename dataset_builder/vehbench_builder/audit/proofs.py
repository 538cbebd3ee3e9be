"""Verifying stored certificates, and searching for designs and proofs where a bank stores none."""

import re

from vehbench_hf.types import Design, Reference, Spec
from vehbench_oracle.veh.optimum import find_optimum
from vehbench_oracle.veh.problem import VehProblem
from vehbench_oracle.veh.proof.certificate import CertificateError
from vehbench_oracle.veh.proof.certify import certify
from vehbench_oracle.veh.proof.verify import verify_certificate

_CERTIFICATE = re.compile(r"vehbench-certificate-1 \S+ \S+ [0-9a-f]{12}")

MAX_BOXES = 20_000
"""Size of a proof that is searched for."""
MAX_BOXES_AT_ANY_POWER = 4_000
"""The same for a proof that holds at any power: it is short, or there is none."""
SEEDS = (0, 1, 2)
"""Of the search for a design. Where rounding defeats all designs of one seed, those of another may pass."""
ANY_POWER_UW = 1e-12


def problem_of(spec: Spec) -> VehProblem:
    """The brief as optimizer and proofs take it.

    Raises MissingVariableError when it withholds bounds or excitation.
    """
    excitation, materials = spec["excitation"], spec["materials"]
    return VehProblem(
        bounds=spec["variable_bounds"],
        constraints=spec["constraints"],
        frequency_hz=excitation["frequency_hz"],
        acceleration_g=excitation["acceleration_g"],
        piezo=materials["piezo"] or "PZT-5A",
        substrate=materials["substrate"] or "stainless_steel",
        damping_ratio=materials["damping_ratio"],
    )


def strongest(spec: Spec) -> Design | None:
    """The strongest design that a search finds under the limits other than the power target."""
    for seed in SEEDS:
        found = find_optimum(problem_of(spec), seed=seed)
        if found is not None:
            return found.design
    return None


def is_infeasible(spec: Spec) -> bool:
    """Whether a proof is found that no design meets all limits."""
    target = spec["constraints"].get("power_target_uw") or ANY_POWER_UW
    return certify(problem_of(spec), target, max_boxes=MAX_BOXES) is not None


def is_infeasible_at_any_power(spec: Spec) -> bool:
    """Whether a short proof is found that no design meets the limits other than the power target."""
    return certify(problem_of(spec), ANY_POWER_UW, max_boxes=MAX_BOXES_AT_ANY_POWER) is not None


def certificate_in(text: str | None) -> str | None:
    """The certificate in the words of a gold label, None where there is none."""
    found = _CERTIFICATE.search(text or "")
    return found[0] if found else None


def fault_of(text: str, spec: Spec) -> str | None:
    """What is wrong with a stored proof that no design meets all limits; None when it holds.

    A proof in words is replaced by a search, which shares no code with the builder.
    """
    certificate = certificate_in(text)
    if certificate is None:
        return None if is_infeasible(spec) else "it is in words, and no proof was found by search"
    return _refused(problem_of(spec), spec["constraints"].get("power_target_uw") or ANY_POWER_UW, certificate)


def bound_fault(text: str, spec: Spec, reference: Reference) -> str | None:
    """What is wrong with the stored proof of a reference's upper bound; None when it holds."""
    certificate, bound = certificate_in(text), reference["upper_bound_uw"]
    if certificate is None or bound is None:
        return "no certificate" if certificate is None else "no upper bound"
    return _refused(problem_of(spec), bound, certificate)


def _refused(problem: VehProblem, power_uw: float, certificate: str) -> str | None:
    try:
        verify_certificate(problem, power_uw, certificate)
    except CertificateError as error:
        return str(error)
    return None
