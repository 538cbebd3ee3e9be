"""What can be proven about a brief: a witness that the oracle accepts, or a proof that no design meets all limits."""

from dataclasses import dataclass
from typing import Literal

from vehbench_builder.audit import proofs
from vehbench_builder.audit.recomputed import least_slack
from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.types import Design, Spec

Verdict = Literal["feasible", "infeasible", "open"]


@dataclass(frozen=True)
class Settled:
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


def settled(
    spec: Spec,
    *,
    name: str = "",
    witness: Design | None = None,
    certificate: str | None = None,
    expected: Verdict = "feasible",
) -> Settled:
    """Verify a stored witness or certificate; without one, search for a design and for a proof that there is none.

    A stored witness or certificate that does not hold leaves the brief open: no search stands in for it. `expected`
    only says what to search for first.
    """
    if witness is not None:
        verdict = judge_for(spec, witness)
        if verdict.feasible:
            return Settled(name, "feasible", "stored witness", True, float(least_slack(spec, witness)))
        return Settled(name, "open", f"the stored witness fails. {verdict.message}", True)
    if certificate is not None:
        fault = proofs.fault_of(certificate, spec)
        if fault is None:
            return Settled(name, "infeasible", "stored certificate", True)
        return Settled(name, "open", f"the stored certificate fails: {fault}", True)
    searches = [_by_design, _by_proof] if expected == "feasible" else [_by_proof, _by_design]
    for search in searches:
        if found := search(spec, name):
            return found
    return Settled(name, "open", "neither a design nor a proof was found", False)


def _by_design(spec: Spec, name: str) -> Settled | None:
    design = proofs.strongest(spec)
    if design is None or not judge_for(spec, design).feasible:
        return None
    return Settled(name, "feasible", "a design was found", False, float(least_slack(spec, design)))


def _by_proof(spec: Spec, name: str) -> Settled | None:
    return Settled(name, "infeasible", "proven by search", False) if proofs.is_infeasible(spec) else None
