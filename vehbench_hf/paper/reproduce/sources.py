"""Where each printed cell of a model comes from: a number of the scorer over the rows of a probe, in some splits.

Only columns that are one number of the scorer are listed. Table 29 is computed in `profiled`.
"""

from typing import NamedTuple

from vehbench_hf.types import SPLITS, Probe, Split


class Source(NamedTuple):
    """A part of a probe's score over the rows of some splits.

    `every_line` counts every line of the files, repeated tasks twice and incomplete runs as they are;
    otherwise the last line of a task counts and every task of the splits must be there.
    """

    probe: Probe
    part: str
    splits: tuple[Split, ...] = SPLITS
    every_line: bool = False


def _whole(probe: Probe, *parts: str, every_line: bool = False) -> dict[str, Source]:
    return {part: Source(probe, part, every_line=every_line) for part in parts}


def _by_split(probe: Probe, **parts: str) -> dict[str, Source]:
    return {f"{split}_{column}": Source(probe, part, (split,)) for split in SPLITS for column, part in parts.items()}


LEADERBOARDS: dict[str, dict[str, Source]] = {
    "2": {
        "P1_comp": Source("p1", "comp"),
        "P2_ratio": Source("p2", "p2b"),
        "P3_success": Source("p3", "success"),
        "P4_tau": Source("p4", "tau", every_line=True),
    },
    "18": _whole("p1", "acc", "f1", "acs", "mds", "ids", "subtype_f1", "comp"),
    "19": _whole("p2", "p2a", "p2b", "final_feasible", "cond_ratio", "impr", "auc", "queries"),
    "20": _whole("p3", "success", "recq", "first_feasible", "escape", "cascade", "dead", "replan"),
    "21": _whole("p4", "tau", "exact", "top1", "top2", "pareto", "bars", "parse", "viol", every_line=True),
    "23": _by_split("p1", comp="comp", acc="acc"),
    "24": _by_split("p2", p2b="p2b", feasible="final_feasible"),
    "25": _by_split("p3", success="success", recq="recq"),
    "26": _by_split("p4", tau="tau", exact="exact"),
}
"""By table number and column. Tables 2 and 21 take P4 line by line, as the authors did; Table 26 does not.

These tables also tell which directory is which printed row.
"""

DIAGNOSTICS: dict[str, dict[str, Source]] = {
    "4": _whole("p3", "success", "escape", "replan", "first_feasible", "recq"),
    "32": {
        "p1_over_action": Source("p1", "over_action"),
        "p1_over_refusal": Source("p1", "over_refusal"),
        "p1_missing_info_miss": Source("p1", "missing_info_miss"),
        "p2_infeasible_closure": Source("p2", "infeasible_closure"),
        "p2_destructive": Source("p2", "destructive"),
        "p2_invalid": Source("p2", "invalid"),
        "p2_utility_loss": Source("p2", "utility_loss"),
        "p3_escape_failure": Source("p3", "escape_failure"),
        "p3_cascade": Source("p3", "cascade"),
        "p3_dead_budget": Source("p3", "dead"),
        "p3_post_escape_failure": Source("p3", "post_escape_failure"),
        "p4_policy_mismatch": Source("p4", "policy_mismatch"),
        "p4_dominance": Source("p4", "dominance_error"),
        "p4_parse": Source("p4", "parse_failure"),
    },
    "34": {
        "final_feasible": Source("p2", "final_feasible"),
        "mean_power_ratio": Source("p2", "p2b"),
        "mean_queries": Source("p2", "queries"),
    },
}
"""Tables 4 and 32 come from the authors' profile extractor: complete runs, each task once."""

SOURCES: dict[str, dict[str, Source]] = {**LEADERBOARDS, **DIAGNOSTICS}
