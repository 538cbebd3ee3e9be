"""The state summary that stands for the raw history of a P3 task (paper, section 4.4 and appendix N.4).

It holds what the verifier has observed and nothing else: no note, no claim, no computed judgement. Every number in it
is one that the raw history shows too.
"""

from collections.abc import Sequence
from typing import Any

from vehbench_hf.prompts.feedback import history_feedback, history_metrics, rounded
from vehbench_hf.types import HistoryStep
from vehbench_oracle.domain import Problem

TREND = 3
"""How many of the last steps the trend covers."""


def state_summary(history: Sequence[HistoryStep], problem: Problem, *, coarse: bool) -> dict[str, Any]:
    """What is known after a history of at least one step, as JSON values. Equal histories give equal summaries.

    The latest design with its verdict, the best feasible design, the trend of the objective and of the slack to
    every limit that the last steps broke, and the violations that the latest step added to those of the step before.
    `coarse` leaves out all metrics and slacks; then the latest feasible design is given and the names of violated
    limits are the trend.
    """
    latest, number = history[-1], len(history)
    before = history[-2]["verdict"]["violations"] if number > 1 else []
    return {
        "latest": {"design": latest["design"], **history_feedback(number, latest["verdict"], problem, coarse=coarse)},
        **_feasible(history, problem, coarse=coarse),
        "last_steps": _trend(history, problem, coarse=coarse),
        "new_violations_in_latest": [name for name in latest["verdict"]["violations"] if name not in before],
    }


def _feasible(history: Sequence[HistoryStep], problem: Problem, *, coarse: bool) -> dict[str, Any]:
    key = "latest_feasible" if coarse else "best_feasible"
    feasible = [(number, step) for number, step in enumerate(history, start=1) if step["verdict"]["feasible"]]
    if not feasible:
        return {key: "none so far"}
    metric, sign = problem.objective.metric, problem.objective.sign

    def value(step: HistoryStep) -> float:
        return history_metrics(step["verdict"], problem)[metric]

    number, step = feasible[-1] if coarse else max(feasible, key=lambda entry: sign * value(entry[1]))
    shown: dict[str, Any] = {"step": number, "design": step["design"]}
    return {key: shown if coarse else {**shown, metric: value(step)}}


def _trend(history: Sequence[HistoryStep], problem: Problem, *, coarse: bool) -> dict[str, Any]:
    verdicts = [step["verdict"] for step in history[-TREND:]]
    steps = list(range(len(history) - len(verdicts) + 1, len(history) + 1))
    broken = [list(verdict["violations"]) for verdict in verdicts]
    if coarse:
        return {"steps": steps, "violations": broken}
    metric = problem.objective.metric
    known = [name for name in problem.limits if any(name in names for names in broken)]
    slack = {name: [_maybe(verdict["slack"].get(name)) for verdict in verdicts] for name in known}
    return {
        "steps": steps,
        metric: [history_metrics(verdict, problem).get(metric) for verdict in verdicts],
        **{f"slack to {name}": values for name, values in slack.items()},
    }


def _maybe(value: float | None) -> float | None:
    return None if value is None else rounded(value)
