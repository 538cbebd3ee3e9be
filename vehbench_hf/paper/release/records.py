"""One line of the authors' logs as a `Record`: the actions and verdicts as logged, nothing judged again."""

from vehbench_hf.paper.release.brief import design_of
from vehbench_hf.paper.release.jsonl import Row, flag, number, number_or_none, texts
from vehbench_hf.paper.release.rows import LogRow
from vehbench_hf.types import Record, Step, Task
from vehbench_oracle import LIMITS, METRICS, Verdict, Violation


def record_of(task: Task, row: LogRow) -> Record:
    """The record of one line. Raises KeyError, TypeError or ValueError for a line of another form."""
    steps: tuple[Step, ...]
    if task.probe == "p1":
        steps = (_triage_step(row.result),)
    elif task.probe == "p4":
        steps = (_ranking_step(row.result),)
    else:
        steps = tuple(_search_step(step, task) for step in live_steps(row, task))
        if not steps:
            raise ValueError("no live step is logged")
    reference = number_or_none(row.result["bkf_objective_value"]) if task.probe == "p2" else None
    return Record(
        task_id=task.task_id,
        probe=task.probe,
        outcome="format_error" if steps[-1].action == "invalid_output" else "ok",
        steps=steps,
        recorded=True,
        reference_value=reference,
        calls=len(steps),
    )


def reply_of(task: Task, row: LogRow) -> str | None:
    """The model's text where the release has it: in label-only P1 rows and in P4 traces."""
    source = row.result if task.probe == "p1" else row.trace if task.probe == "p4" else None
    text = (source or {}).get("raw_response")
    return text if isinstance(text, str) else None


def live_steps(row: LogRow, task: Task) -> list[Row]:
    """Steps of a P2 or P3 trajectory that the model made itself: those after the history of the brief."""
    if row.trace is None:
        raise ValueError("no trajectory is logged")
    steps = row.trace["steps"]
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise ValueError("steps are not a list of objects")
    return steps[len(task.spec["history"]) :]


def effective_action(result: Row) -> str:
    """The P1 action before the authors' harness tried to verify a proposed design.

    The label-only runner logs no `parsed_action_type`. A proposal that could not be verified was still one.
    """
    parsed = result.get("parsed_action_type")
    if isinstance(parsed, str) and parsed:
        return parsed
    predicted = _text(result["predicted_action"])
    return "propose_design" if predicted == "invalid_candidate" else predicted


def _triage_step(result: Row) -> Step:
    return Step(
        action=effective_action(result),
        missing_fields=texts(result.get("predicted_missing_fields") or []),
        harness_action=_text(result["predicted_action"]),
    )


def _ranking_step(result: Row) -> Step:
    if flag(result["is_parse_error"]):
        return Step("invalid_output")
    return Step("rank", ranking=texts(result["predicted_ranking"]))


def _search_step(step: Row, task: Task) -> Step:
    action = _text(step["action_type"])
    proposal, answer = step.get("proposal"), step.get("verifier_response")
    if action == "propose_design" and (proposal is None or answer is None):
        raise ValueError("a proposal has no design or no verdict")
    return Step(
        action=action,
        design=None if proposal is None else design_of(proposal),
        verdict=None if answer is None else _verdict(answer, task),
        missing_fields=texts(step.get("missing_fields") or []),
    )


def _verdict(answer: Row, task: Task) -> Verdict:
    """A stored verdict in our form. The log has metrics with 4 decimals, slacks with 6, no sentence.

    `violations` follows the names that the log lists; `total_violation` adds -slack / limit over the negative
    slacks.
    """
    limits = task.spec["constraints"]
    slack = {name: number(answer["constraint_slack"][name]) for name in LIMITS}
    stored = {**answer, "load_power_uw": answer["objective_value"]}
    broken = {name: _violation(name, slack[name], limits[name]) for name in LIMITS if slack[name] < 0}
    return Verdict(
        feasible=flag(answer["feasible"]),
        objective=number_or_none(answer["objective_value"]),
        metrics={name: number(stored[name]) for name in METRICS if stored.get(name) is not None},
        slack=slack,
        violations=tuple(
            broken.get(name) or _violation(name, slack[name], limits[name]) for name in texts(answer["violations"])
        ),
        total_violation=float(sum(violation.normalized for violation in broken.values())),
        message="",
    )


def _violation(name: str, slack: float, limit: float | None) -> Violation:
    if limit is None:
        raise ValueError(f"the task has no {name}, so that its slack means nothing")
    kind = LIMITS[name]
    value = limit - slack if kind.upper else limit + slack
    return Violation(name, value, limit, kind.unit, max(0.0, -slack) / (abs(limit) or 1.0))


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected a text, got {str(value)[:40]!r}")
    return value
