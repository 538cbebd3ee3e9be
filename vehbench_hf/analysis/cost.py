"""What a solved task costs."""

from collections.abc import Sequence

from vehbench_hf.analysis.result_types import Solved
from vehbench_hf.probes import PROBE_TABLE
from vehbench_hf.runlog.sorted_rows import Row
from vehbench_hf.scoring import score_parts
from vehbench_hf.types import Convention, Probe, Usage
from vehbench_hf.user_files.prices import Price


def cost_of(probe: Probe, rows: Sequence[Row], convention: Convention, price: Price | None, why: str) -> Solved:
    """Tasks solved, effort and cost of some rows; `per_solved` is the cost of a row by the share of solved ones.

    `why` says why there is no price. Tasks without reported tokens make no cost.
    """
    tasks = len({row.task.task_id for row in rows})
    share = score_parts(probe, rows, convention)[PROBE_TABLE[probe].solved].value
    usages = [row.record.usage for row in rows]
    output = [usage.output for usage in usages]
    result: Solved = {
        "solved": 0.0 if share is None else share * tasks,
        "calls": sum(row.record.calls for row in rows),
        "output_tokens": sum(n for n in output if n is not None) if None not in output and output else None,
        "cost": None,
        "currency": None if price is None else price.currency,
        "per_solved": None,
        "undefined": None,
    }
    if price is None:
        return {**result, "undefined": why}
    if not rows or any(not _is_reported(usage) for usage in usages):
        return {**result, "undefined": "the log reports no tokens for some tasks"}
    total = sum(price.cost(usage) for usage in usages)
    if not share:
        return {**result, "cost": total, "undefined": "no task was solved"}
    return {**result, "cost": total, "per_solved": total / (share * len(rows))}


def _is_reported(usage: Usage) -> bool:
    return usage.input is not None and usage.output is not None
