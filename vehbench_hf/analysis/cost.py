"""What a solved task costs."""

from collections.abc import Sequence
from dataclasses import dataclass

from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.scoring import Row, score_parts
from vehbench_hf.types import Convention, Probe, Usage
from vehbench_hf.user_files.prices import Price


@dataclass(frozen=True)
class Cost:
    """Effort over the rows of a stage, all repeats counted. None where the log or the prices do not say."""

    solved: float
    calls: int
    output_tokens: int | None
    cost: float | None
    currency: str | None
    per_solved: float | None
    undefined: str | None


def cost_of(probe: Probe, rows: Sequence[Row], convention: Convention, price: Price | None, why: str) -> Cost:
    """Effort and cost of some rows. `why` says why there is no price. Tasks without reported tokens make no cost."""
    share = score_parts(probe, rows, convention)[PROBE_TABLE[probe].solved].value
    solved = 0.0 if share is None else share * len(rows)
    usages = [row.record.usage for row in rows]
    calls, output = sum(row.record.calls for row in rows), [usage.output for usage in usages]
    tokens = sum(value for value in output if value is not None) if None not in output and output else None
    if price is None:
        return Cost(solved, calls, tokens, None, None, None, why)
    if not rows or any(not _is_reported(usage) for usage in usages):
        return Cost(solved, calls, tokens, None, price.currency, None, "the log reports no tokens for some tasks")
    total = sum(price.cost(usage) for usage in usages)
    if solved <= 0:
        return Cost(solved, calls, tokens, total, price.currency, None, "no task was solved")
    return Cost(solved, calls, tokens, total, price.currency, total / solved, None)


def _is_reported(usage: Usage) -> bool:
    return usage.input is not None and usage.output is not None
