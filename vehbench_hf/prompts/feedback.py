"""What the verifier says to the model after a turn, as a JSON text. Numbers are rounded here and nowhere before."""

import json
import math
from typing import Any

from vehbench_hf.types import HistoryVerdict
from vehbench_oracle import METRICS, Verdict

SHOWN_DIGITS = 6


def rounded(value: float) -> float:
    """`value` at the digits a model is shown (6 significant)."""
    return float(f"{value:.{SHOWN_DIGITS}g}")


def _shown(value: float) -> float | None:
    """The same, or None where a verdict overflows: JSON has no infinity."""
    return rounded(value) if math.isfinite(value) else None


def feedback_text(step: int, verdict: Verdict, queries_left: int) -> str:
    """The verdict on step `step`: feasible, metrics, violations with value, limit and unit, their sum, a sentence."""
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


def history_feedback_text(step: int, verdict: HistoryVerdict) -> str:
    """The verifier's answer to step `step` (from 1) of a history, with what the bank keeps of it.

    Bank v1 keeps power, slacks and the names of broken limits; metrics are shown where they exist.
    """
    metrics = verdict["metrics"] or {"load_power_uw": verdict["power_uw"]}
    return _json(
        {
            "step": step,
            "feasible": verdict["feasible"],
            "metrics": {name: rounded(metrics[name]) for name in METRICS if metrics.get(name) is not None},
            "slack": {name: rounded(value) for name, value in verdict["slack"].items()},
            "violations": list(verdict["violations"]),
        }
    )


def unjudged_text(step: int, action: str, queries_left: int) -> str:
    """The answer to a step without a design: a replan, or a reset to a step that proposed none."""
    said = "noted" if action == "replan" else "that step holds no design, so nothing was judged"
    return _json({"step": step, "message": said, "queries_left": queries_left})


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
