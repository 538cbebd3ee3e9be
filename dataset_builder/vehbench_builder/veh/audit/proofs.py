"""What can be proven about a brief: stored certificates and witnesses verified, others searched for."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from vehbench_builder.audit.gold import part_of
from vehbench_hf.types import Design, Spec, Task
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
    optima = (find_optimum(problem_of(spec), seed=seed) for seed in SEEDS)
    return next((optimum.design for optimum in optima if optimum is not None), None)


def is_infeasible(spec: Spec) -> bool:
    """Whether a proof is found that no design meets all limits."""
    return certify(problem_of(spec), _target(spec), max_boxes=MAX_BOXES) is not None


def is_infeasible_at_any_power(spec: Spec) -> bool:
    """Whether a short proof is found that no design meets the limits other than the power target."""
    return certify(problem_of(spec), ANY_POWER_UW, max_boxes=MAX_BOXES_AT_ANY_POWER) is not None


def certificate_in(text: str | None) -> str | None:
    """The certificate in the words of a gold label, None where there is none."""
    certificate = _CERTIFICATE.search(text or "")
    return certificate[0] if certificate else None


def bound_fault(task: Task) -> str | None:
    """What is wrong with the stored certificate of a reference's upper bound; None when it holds."""
    bound = part_of(task, "reference").get("upper_bound_uw")
    return "no upper bound" if bound is None else _refused(task.spec, bound, certificate_in(task.gold["certificate"]))


def _target(spec: Spec) -> float:
    return spec["constraints"].get("power_target_uw") or ANY_POWER_UW


def _refused(spec: Spec, power_uw: float, certificate: str | None) -> str | None:
    try:
        verify_certificate(problem_of(spec), power_uw, certificate or "")
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
    infeasible: bool = False,
) -> Decision:
    """Verify a stored witness or certificate; without one, search for a design and for a proof that there is none.

    A stored witness or certificate that does not hold leaves the brief open: no search stands in for it, unless the
    proof is in words. `infeasible` only says what to search for first.
    """
    if witness is not None:
        return _judged(spec, name, witness, stored=True)
    if stored := certificate_in(certificate):
        fault = _refused(spec, _target(spec), stored)
        why = f"the stored certificate fails: {fault}" if fault else "stored certificate"
        return Decision(name, "open" if fault else "infeasible", why, True)
    for proof_first in (infeasible, not infeasible):
        if proof_first and is_infeasible(spec):
            return Decision(name, "infeasible", "proven by search", certificate is not None)
        if not proof_first and (design := strongest(spec)) is not None:
            decision = _judged(spec, name, design, stored=False)
            if decision.verdict == "feasible":
                return decision
    return Decision(name, "open", "neither a design nor a proof was found", False)


def _judged(spec: Spec, name: str, design: Design, *, stored: bool) -> Decision:
    problem = problem_of_brief(spec)
    verdict = problem.judge(design)
    if not verdict.feasible:
        return Decision(name, "open", f"the stored witness fails. {verdict.message}", stored)
    why = "stored witness" if stored else "a design was found"
    return Decision(name, "feasible", why, stored, float(problem.least_slack(design)))
