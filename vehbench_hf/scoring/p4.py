"""P4, ranking under a declared policy. Paper: appendix F.4, (A-33), and the definitions of appendix H.1.

A ranking that cannot be read, or that is no permutation of the candidates, has tau -1 in both conventions: it
is scored like the reversed order, as the authors do, so that staying silent never beats trying.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from vehbench_hf.runlog.sorted_rows import Row, readable
from vehbench_hf.scoring.values import Array, MetricValue, PerRow, complement, mean_bounds, row_mean
from vehbench_hf.types import Convention, Pair, Record, Task


@dataclass(frozen=True)
class Ranked:
    """One row. `violation` is None without dominated pairs, `pairs` may be where the policy decides none."""

    tau: float
    exact: bool
    top1: bool
    top2: bool
    violation: float | None
    pairs: float | None
    unreadable: bool
    balanced: bool

    @property
    def pareto(self) -> float | None:
        """Tau over the dominated pairs alone: 1 minus twice the share of them that is violated."""
        return None if self.violation is None else 1.0 - 2.0 * self.violation


@dataclass(frozen=True)
class Rows:
    """All rows with the column of the headline."""

    ranked: list[Ranked]
    per_row: PerRow


def read_rows(scored: Sequence[Row], convention: Convention) -> Rows:
    """How each pool was ranked.

    The conventions differ in one point: where the policy decides no pair, the authors' pair accuracy is 0 and
    enters every mean; as defined it does not exist and stays out.
    """
    ranked = [_rank(task, record, 0.0 if convention == "released" else None) for task, record in scored]
    return Rows(ranked, row_mean(row.tau for row in ranked))


def headline(rows: Rows, weights: Array) -> Array:
    """Mean Kendall tau over the full order, in [-1, 1], for weights (..., N)."""
    return rows.per_row.mean(weights)


def parts(rows: Rows) -> dict[str, MetricValue]:
    """The columns of Table 21, the accuracy on policy-sensitive pairs, the error families, and what Table 15 adds.

    `pairwise` is the share of pairs in the right order, (tau + 1) / 2. `balanced_tau`, `balanced_pairs` and
    `balanced_exact` are the three terms of BARS.
    """
    ranked, nothing = rows.ranked, "no ranking was scored"
    top1 = row_mean(r.top1 for r in ranked).average(nothing)
    parse = row_mean(r.unreadable for r in ranked).average(nothing)
    violation = row_mean(r.violation for r in ranked).average("no scored pool has a dominated pair")
    pairs = row_mean(r.pairs for r in ranked).average("no scored pool has a pair that the policy decides")
    tau, balanced_pairs, exact = bars_terms(ranked)
    return {
        "tau": rows.per_row.average(nothing),
        "exact": row_mean(r.exact for r in ranked).average(nothing),
        "top1": top1,
        "top2": row_mean(r.top2 for r in ranked).average(nothing),
        "pareto": row_mean(r.pareto for r in ranked).average("no scored pool has a dominated pair"),
        "bars": bars(ranked),
        "parse": parse,
        "viol": violation,
        "pair_accuracy": pairs,
        "policy_mismatch": complement(pairs),
        "dominance_error": violation,
        "parse_failure": parse,
        "top_choice_miss": complement(top1),
        "pairwise": row_mean((r.tau + 1.0) / 2.0 for r in ranked).average(nothing),
        "balanced_tau": tau,
        "balanced_pairs": balanced_pairs,
        "balanced_exact": exact,
        "non_violation": complement(violation),
        "non_parse": complement(parse),
    }


def bars(ranked: Sequence[Ranked]) -> MetricValue:
    """BARS of (A-33) over the rows of the balanced policy, tau unscaled, in [-0.55, 1].

    Tau and exact order are means over all of these rows; the pair term is the mean over those where it
    exists.
    """
    tau, pairs, exact = bars_terms(ranked)
    if tau.value is None or pairs.value is None or exact.value is None:
        return MetricValue(None, tau.n, tau.reason or pairs.reason)
    return MetricValue(0.55 * tau.value + 0.25 * pairs.value + 0.20 * exact.value, tau.n)


def bars_terms(ranked: Sequence[Ranked]) -> tuple[MetricValue, MetricValue, MetricValue]:
    """Mean tau, accuracy on policy-sensitive pairs, and rate of exact orders over the rows of the balanced policy."""
    nothing = "no ranking under the balanced policy was scored"
    return (
        row_mean(r.tau if r.balanced else None for r in ranked).average(nothing),
        row_mean(r.pairs if r.balanced else None for r in ranked).average(
            "no balanced row has a pair that the policy decides"
        ),
        row_mean(r.exact if r.balanced else None for r in ranked).average(nothing),
    )


def bounds(rows: Rows, lost: Sequence[Task], convention: Convention) -> tuple[float, float] | None:
    """The headline if the tasks without a score were as bad, and as good, as they can be."""
    return mean_bounds(rows.per_row, [(-1.0, 1.0)] * len(lost))


def kendall_tau(ranking: Sequence[str], gold: Sequence[str]) -> float:
    """Kendall tau between two orders of the same distinct ids (no ties, so tau-a and tau-b agree).

    Raises ValueError when one is not a permutation of the other or there are fewer than two ids.
    """
    if len(gold) < 2 or len(set(gold)) != len(gold) or sorted(ranking) != sorted(gold):
        raise ValueError(f"two orders of the same two or more ids are needed, got {list(ranking)} and {list(gold)}")
    place = {candidate: i for i, candidate in enumerate(ranking)}
    signs = [1 if place[better] < place[worse] else -1 for better, worse in combinations(gold, 2)]
    return sum(signs) / len(signs)


def _rank(task: Task, record: Record, without_pairs: float | None) -> Ranked:
    gold = task.gold
    truth = gold["ranking"]
    balanced = task.spec["profile"] == "balanced"
    sensitive, dominated = gold["policy_sensitive_pairs"], gold["dominated_pairs"]
    if not readable(Row(task, record)):
        return Ranked(
            tau=-1.0,
            exact=False,
            top1=False,
            top2=False,
            violation=1.0 if dominated else None,
            pairs=0.0 if sensitive else without_pairs,
            unreadable=True,
            balanced=balanced,
        )
    answer = list(record.steps[-1].ranking)
    kept = _share_kept(dominated, answer)
    return Ranked(
        tau=kendall_tau(answer, truth),
        exact=answer == truth,
        top1=answer[0] == truth[0],
        top2=set(answer[:2]) == set(truth[:2]),
        violation=None if kept is None else 1.0 - kept,
        pairs=without_pairs if (share := _share_kept(sensitive, answer)) is None else share,
        unreadable=False,
        balanced=balanced,
    )


def _share_kept(pairs: Sequence[Pair], answer: Sequence[str]) -> float | None:
    """The share of pairs with the better candidate ahead; None without pairs."""
    kept = [answer.index(pair["better"]) < answer.index(pair["worse"]) for pair in pairs]
    return sum(kept) / len(kept) if kept else None
