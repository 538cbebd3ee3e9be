"""What the verifier says to the model after a turn, as a JSON text. Numbers are rounded here and nowhere before."""

import json
import math
from collections.abc import Mapping
from typing import Any, cast

from vehbench_hf.types import HistoryVerdict
from vehbench_oracle.domain import Problem
from vehbench_oracle.verdict import Verdict

SHOWN_DIGITS = 6


def rounded(value: float) -> float:
    """`value` at the digits a model is shown (6 significant)."""
    return float(f"{value:.{SHOWN_DIGITS}g}")


def _shown(value: float) -> float | None:
    """The same, or None where a verdict overflows: JSON has no infinity."""
    return rounded(value) if math.isfinite(value) else None


def feedback_text(step: int, verdict: Verdict, queries_left: int, *, coarse: bool = False) -> str:
    """The verdict on step `step`: feasible, metrics, violations with value, limit and unit, their sum, a sentence.

    `coarse` keeps whether it is feasible and the names of what is violated.
    """
    if coarse:
        named = _coarse(step, verdict.feasible, [violation.name for violation in verdict.violations])
        return _json({**named, "queries_left": queries_left})
    return _json(
        {
            "step": step,
            "feasible": verdict.feasible,
            "metrics": {name: _shown(value) for name, value in verdict.metrics.items()},
            "violations": [
                {"name": v.name, "value": _shown(v.value), "limit": _shown(v.limit), "unit": v.unit}
                for v in verdict.violations
            ],
            "total_violation": _shown(verdict.total_violation),
            "message": verdict.message,
            "queries_left": queries_left,
        }
    )


def history_feedback_text(step: int, verdict: HistoryVerdict, problem: Problem, *, coarse: bool = False) -> str:
    """The verifier's answer to step `step` (from 1) of a history, as a text. `coarse` as in `feedback_text`."""
    return _json(history_feedback(step, verdict, problem, coarse=coarse))


def history_feedback(step: int, verdict: HistoryVerdict, problem: Problem, *, coarse: bool) -> dict[str, Any]:
    """The same as JSON values, with what the bank keeps of the verdict.

    Bank v1 keeps the objective, slacks and the names of broken limits; metrics are shown where they exist.
    """
    if coarse:
        return _coarse(step, verdict["feasible"], list(verdict["violations"]))
    return {
        "step": step,
        "feasible": verdict["feasible"],
        "metrics": history_metrics(verdict, problem),
        "slack": {name: rounded(value) for name, value in verdict["slack"].items()},
        "violations": list(verdict["violations"]),
    }


def history_metrics(verdict: HistoryVerdict, problem: Problem) -> dict[str, float]:
    """The metrics of a history step as shown; the objective alone where the bank keeps no others."""
    objective = problem.objective
    metrics = verdict["metrics"] or {objective.metric: cast(Mapping[str, Any], verdict)[objective.column]}
    return {name: rounded(metrics[name]) for name in problem.metrics if metrics.get(name) is not None}


def unjudged_text(step: int, action: str, queries_left: int) -> str:
    """The answer to a step without a design: a replan, or a reset to a step that proposed none."""
    message = "noted" if action == "replan" else "that step holds no design, so nothing was judged"
    return _json({"step": step, "message": message, "queries_left": queries_left})


def _coarse(step: int, feasible: bool, violated: list[str]) -> dict[str, Any]:
    return {"step": step, "feasible": feasible, **({} if feasible else {"violations": violated})}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
