"""The probes in one table: everything that is known of a probe by its name alone.

What a probe does stands with the part that does it: `prompts` render it, `episodes` run it, `scoring` has its formulas.
"""

from dataclasses import dataclass

from vehbench_hf.types import PROBES, Probe


@dataclass(frozen=True)
class ProbeInfo:
    """One probe.

    `actions` is what a model may do. `task_id` is its task on the Hub and the config that holds the rows of its
    headline. `headline` is the name of its main number, of its metric and of the metric's Space; `headline_part` the
    name of the same number among the parts of a score. `worst` is that number when no reply can be read; `least` and
    `most` are the ends of the published scale in percent (P2 has no upper end but the certified bound of each task).

    Parts of a score: `solved` is the share of solved tasks, `passes` what pass^k counts (None where an answer is only
    more or less right), `tie_break` decides between equal dev headlines (appendix K.2), `shown` stands below the score
    table, `of_final_designs` is what a final design alone determines (empty where there is no trajectory).
    `gold_fields` are the fields that a score depends on.
    """

    probe: Probe
    title: str
    actions: tuple[str, ...]
    task_id: str
    headline: str
    headline_part: str
    worst: float
    least: float
    most: float | None
    solved: str
    passes: str | None
    tie_break: str
    shown: tuple[str, ...]
    gold_fields: tuple[str, ...]
    of_final_designs: tuple[str, ...] = ()


PROBE_TABLE: dict[Probe, ProbeInfo] = {
    "p1": ProbeInfo(
        probe="p1",
        title="credible triage",
        actions=("propose_design", "declare_infeasible", "request_missing_info"),
        task_id="p1_triage",
        headline="p1_composite",
        headline_part="comp",
        worst=0.0,
        least=0.0,
        most=100.0,
        solved="acc",
        passes=None,
        tie_break="acc",
        shown=("acc", "f1", "over_action", "over_refusal", "missing_info_miss"),
        gold_fields=("action",),
    ),
    "p2": ProbeInfo(
        probe="p2",
        title="search with a verifier",
        actions=("propose_design", "replan", "declare_infeasible", "request_missing_info"),
        task_id="p2_search",
        headline="p2_ratio",
        headline_part="p2b",
        worst=0.0,
        least=0.0,
        most=None,
        solved="final_feasible",
        passes="final_feasible",
        tie_break="final_feasible",
        shown=("final_feasible", "cond_ratio", "p2a", "queries", "invalid"),
        gold_fields=("reference",),
        of_final_designs=("p2b", "final_feasible", "cond_ratio", "infeasible_closure", "utility_loss", "invalid"),
    ),
    "p3": ProbeInfo(
        probe="p3",
        title="recovery from a corrupted history",
        actions=("propose_design", "replan", "reset_to_prior", "declare_infeasible"),
        task_id="p3_recovery",
        headline="p3_success",
        headline_part="success",
        worst=0.0,
        least=0.0,
        most=100.0,
        solved="success",
        passes="success",
        tie_break="recq",
        shown=("escape", "cascade", "dead", "first_feasible", "replan"),
        gold_fields=("reference", "trap"),
        of_final_designs=("success",),
    ),
    "p4": ProbeInfo(
        probe="p4",
        title="ranking under a declared policy",
        actions=("rank",),
        task_id="p4_ranking",
        headline="p4_tau",
        headline_part="tau",
        worst=-1.0,
        least=-100.0,
        most=100.0,
        solved="exact",
        passes=None,
        tie_break="exact",
        shown=("exact", "top1", "bars", "policy_mismatch", "parse_failure"),
        gold_fields=("ranking", "dominated_pairs", "policy_sensitive_pairs"),
    ),
    "isomorphic": ProbeInfo(
        probe="isomorphic",
        title="one design asked for in three forms",
        actions=("select", "propose_design"),
        task_id="isomorphic",
        headline="sg_gap",
        headline_part="sg_gap",
        worst=0.0,
        least=-100.0,
        most=100.0,
        solved="accuracy",
        passes=None,
        tie_break="accuracy",
        shown=(),
        gold_fields=("answer", "witness"),
    ),
}
BENCHMARK: tuple[ProbeInfo, ...] = tuple(PROBE_TABLE[probe] for probe in PROBES)
"""The rows with a headline on the Hub. The isomorphic questions are an audit beside them."""


def probe_of_metric(metric: str) -> ProbeInfo:
    """The probe that a metric scores. Raises KeyError for no metric of ours."""
    return {info.headline: info for info in BENCHMARK}[metric]
