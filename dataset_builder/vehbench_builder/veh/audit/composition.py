"""The composition of the benchmark as its paper gives it (section 3, Tables 9 to 11), for the VEH tasks."""

from vehbench_builder.build_spec import PUBLISHED
from vehbench_hf.types import Probe

FULL_BANKS = ("veh-v1", PUBLISHED)
"""Versions of banks that are the whole benchmark. Another bank need not have its composition."""
FULL_BANK = PUBLISHED
"""The bank that must have subset and isomorphic probes; the authors' release has neither."""
TASKS: dict[Probe, dict[str, int]] = {
    "p1": {"dev": 80, "test_id": 80, "test_ood": 80},
    "p2": {"dev": 64, "test_id": 40, "test_ood": 104},
    "p3": {"dev": 64, "test_id": 40, "test_ood": 52},
    "p4": {"dev": 93, "test_id": 36, "test_ood": 30},
}
"""Tasks by probe and split."""
BUDGET: dict[Probe, int] = {"p1": 1, "p2": 6, "p3": 8, "p4": 1}
"""Query budget of every task of a probe; in P3 the steps of the history are part of it."""
DIFFICULTY: dict[Probe, dict[str, int]] = {
    "p1": {"base": 60, "moderate": 30, "hard": 150},
    "p2": {"easy": 52, "medium": 52, "hard": 104},
    "p3": {"hard": 156},
    "p4": {"easy": 12, "medium": 51, "hard": 96},
}
ANCHORS: dict[Probe, int] = {"p1": 20, "p2": 52, "p3": 50, "p4": 29}
"""Distinct papers behind the tasks of a probe."""
SOURCE_GROUPS: dict[Probe, dict[str, int]] = {
    "p2": {"oracle-domain": 104, "out-of-domain kept": 104},
    "p3": {"oracle-domain": 104, "out-of-domain kept": 52},
    "p4": {"oracle-domain": 129, "out-of-domain kept": 30},
}
P1_SUBTYPES = {
    "solvable_base": "propose_design",
    "solvable_boundary": "propose_design",
    "solvable_red_herring": "propose_design",
    "missing_nonblocker": "propose_design",
    "infeasible_margin": "declare_infeasible",
    "infeasible_structural": "declare_infeasible",
    "missing_blocker_obvious": "request_missing_info",
    "missing_blocker_ambiguous": None,
}
"""The gold action of each P1 subtype; the ambiguous rows are half propose, half request."""
P1_PER_SPLIT = 10
"""Tasks of each P1 subtype in each split."""
P1_ACTIONS = {"propose_design": 45, "declare_infeasible": 20, "request_missing_info": 15}
"""Gold actions in each split of P1."""
P2_SUBTYPES = ("paper_like", "resonance_tuned", "power_tight", "boundary_binding")
"""Each P2 anchor has one task of each."""
P2_ANCHORS = {"dev": 16, "test_id": 10, "test_ood": 26}
P4_POOLS = {"dev": 31, "test_id": 12, "test_ood": 10}
P4_CANDIDATES = 5
P4_FAMILIES = {"balanced_core": 33, "performance_control": 11, "reliability_control": 7, "elimination_control": 2}
"""Base pools by family."""
PROFILES = {"performance_first": (0.75, 0.25), "balanced": (0.55, 0.45), "reliability_first": (0.35, 0.65)}
"""Weights of power and of amplitude margin; every pool occurs once under each profile."""
ISOMORPHIC_GROUPS = 46
"""Groups of isomorphic probes, each in three forms (appendix P)."""
SUBSET_PER_SPLIT = 12
"""P3 tasks of each split in the subset on which interventions are compared."""
