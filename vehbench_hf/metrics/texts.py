"""What the metrics say about themselves in `evaluate` and in their Spaces."""

DESCRIPTIONS = {
    "p1_composite": (
        "P1-Composite of VEHBench: credible triage of design briefs. 0.40 macro F1 over the three actions + 0.20 "
        "credible-action + 0.15 missing-information + 0.15 infeasibility discipline + 0.10 mean F1 by subtype. "
        "In [0, 1], higher is better."
    ),
    "p2_ratio": (
        "P2 ratio of VEHBench: load power of the final design of a search over that of the reference design, 0 where "
        "it is infeasible; mean over tasks. From 0, where 1 is the reference; higher is better."
    ),
    "p3_success": (
        "P3-Success of VEHBench: share of corrupted design histories that end in a feasible design. In [0, 1], higher "
        "is better."
    ),
    "p4_tau": (
        "Kendall tau of VEHBench's P4: agreement of a ranking with the order that the stated policy gives. In [-1, 1], "
        "higher is better; an unreadable ranking counts as -1."
    ),
}

INPUTS = """
Args:
    predictions: one a row. P1: an action or a reply text. P2, P3: the final design (a mapping of the six variables), or
        a trajectory (a list of designs or reply texts). P4: a ranking (a list of candidate ids, best first) or a reply
        text. A reply may be a mapping with "text" and "finish_reason".
    references: the rows of the dataset, or their `spec` and `gold`.
    convention: "defined" (the paper's text) or "released" (the authors' evaluator); by default that of the rows' bank.
    bootstrap: resamples of the interval, drawn over papers; 0 for none.
    seed: seed of the resamples.
    p2_stop: "feasible" if searches ended at the first feasible design, "budget" if they spent all queries.
Returns:
    the headline under the metric's name, its 95 % `interval`, `n`, `parts`, `undefined` (why a value is None),
    `outcomes` (rows of each class), `not_applicable`, `convention`, `bank`, `scorer`.
"""
