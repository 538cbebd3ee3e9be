"""What can be proven about a brief: stored certificates and witnesses verified, others searched for."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Design, Reference, Spec
from vehbench_oracle.veh.domain import problem_of_brief
from vehbench_oracle.veh.optimum import find_optimum
from vehbench_oracle.veh.problem import DEFAULT_PIEZO, DEFAULT_SUBSTRATE, VehProblem
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
Verdict = Literal["feasible", "infeasible", "open"]


def problem_of(spec: Spec) -> VehProblem:
    """The brief as optimizer and proofs take it, with the materials that a verdict assumes where it names none."""
    problem = problem_of_brief(spec)
    return replace(problem, piezo=problem.piezo or DEFAULT_PIEZO, substrate=problem.substrate or DEFAULT_SUBSTRATE)


def strongest(spec: Spec) -> Design | None:
    """The strongest design that a search finds under the limits other than the power target."""
    for seed in SEEDS:
        optimum = find_optimum(problem_of(spec), seed=seed)
        if optimum is not None:
            return optimum.design
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
    certificate = _CERTIFICATE.search(text or "")
    return certificate[0] if certificate else None


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


@dataclass(frozen=True)
class Decision:
    """What is known about one brief, or one completion of it.

    `verdict` is "open" when neither a witness nor a proof was found. `slack` is the smallest share of a limit that the
    witness keeps in hand. `stored` says that witness or proof come from the bank and were only verified here.
    """

    name: str
    verdict: Verdict
    why: str
    stored: bool
    slack: float | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.verdict}, {self.why}" if self.name else f"{self.verdict}, {self.why}"


def decide(
    spec: Spec,
    *,
    name: str = "",
    witness: Design | None = None,
    certificate: str | None = None,
    expected: Verdict = "feasible",
) -> Decision:
    """Verify a stored witness or certificate; without one, search for a design and for a proof that there is none.

    A stored witness or certificate that does not hold leaves the brief open: no search stands in for it. `expected`
    only says what to search for first.
    """
    if witness is not None:
        verdict = judge_for(spec, witness)
        if verdict.feasible:
            return Decision(
                name, "feasible", "stored witness", True, float(problem_of_brief(spec).least_slack(witness))
            )
        return Decision(name, "open", f"the stored witness fails. {verdict.message}", True)
    if certificate is not None:
        fault = fault_of(certificate, spec)
        if fault is None:
            return Decision(name, "infeasible", "stored certificate", True)
        return Decision(name, "open", f"the stored certificate fails: {fault}", True)
    searches = [_by_design, _by_proof] if expected == "feasible" else [_by_proof, _by_design]
    for search in searches:
        if decision := search(spec, name):
            return decision
    return Decision(name, "open", "neither a design nor a proof was found", False)


def _by_design(spec: Spec, name: str) -> Decision | None:
    design = strongest(spec)
    if design is None or not judge_for(spec, design).feasible:
        return None
    return Decision(name, "feasible", "a design was found", False, float(problem_of_brief(spec).least_slack(design)))


def _by_proof(spec: Spec, name: str) -> Decision | None:
    return Decision(name, "infeasible", "proven by search", False) if is_infeasible(spec) else None
