"""Rendering of the opening messages of an episode. The only input is `spec`: gold has no way in."""

import json
from typing import Any

from vehbench_hf.domains import DEFAULT_DOMAIN, domain_of
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.prompts.controls import control_block
from vehbench_hf.prompts.feedback import history_feedback_text, rounded
from vehbench_hf.prompts.state_summary import state_summary
from vehbench_hf.prompts.templates import rendered, rendered_pair
from vehbench_hf.protocol import Protocol, budgeted
from vehbench_hf.types import Message, Probe, Spec
from vehbench_oracle.domain import Problem
from vehbench_oracle.quantities import Limit

TASK_LINE: dict[Probe, str] = {
    "p1": "Decide whether this brief can be worked on, is infeasible, or lacks information.",
    "p2": "Find a feasible design with {level} {name} for this brief.",
    "p3": "Recover a feasible design for this brief; the earlier steps follow.",
    "p4": "Rank the candidates under the stated policy.",
}

"""What a brief asks for; `level` and `name` are "high" and "load power", say."""

SUMMARY_LINE = "Recover a feasible design for this brief; the state after the earlier steps follows."
"""The task line of P3 where a summary stands for the earlier steps."""


def opening(probe: Probe, spec: Spec, protocol: Protocol, domain: str = DEFAULT_DOMAIN) -> list[Message]:
    """The messages before the first reply: system, brief and, in P3, the history as earlier turns or as a summary.

    Verdicts of a history are shown as `spec` holds them, whatever `protocol.p3_history` says.
    """
    spec, coarse = budgeted(probe, spec, protocol), protocol.feedback == "coarse"
    problem = domain_of(domain).problem(spec)
    shown = len(spec["history"])
    summarized = probe == "p3" and protocol.p3_state == "summary"
    left = spec["query_budget"] - shown
    system, user = rendered_pair(
        "p3_summary.md.j2" if summarized else f"{probe}.md.j2",
        domain_of(domain),
        variables=problem.variables,
        metrics=problem.metrics,
        limits=problem.limits,
        objective=problem.objective,
        query_budget=spec["query_budget"],
        queries_left=left,
        p2_stop=protocol.p2_stop,
        feedback=protocol.feedback,
        ids=[candidate["id"] for candidate in spec["candidates"]],
        brief=laid_out({**brief(probe, spec, problem), **({"task": SUMMARY_LINE} if summarized else {})}),
        steps_so_far=shown,
        state=laid_out(state_summary(spec["history"], problem, coarse=coarse)) if summarized else None,
    )
    messages: list[Message] = [
        {"role": "system", "content": control_block(probe, protocol.control, len(problem.variables)) + system},
        {"role": "user", "content": user},
    ]
    for number, step in enumerate([] if summarized else spec["history"], start=1):
        answer = {"action": "propose_design", "design": step["design"], "reason": step["note"]}
        messages.append({"role": "assistant", "content": json.dumps(answer, ensure_ascii=False)})
        verdict = history_feedback_text(number, step["verdict"], problem, coarse=coarse)
        messages.append({"role": "user", "content": verdict})
    if shown:
        handover = f"\n\nFrom here on it is your turn. Queries left: {left}. Steps are counted on from {shown + 1}."
        messages[-1] = {"role": "user", "content": messages[-1]["content"] + handover}
    return messages


def brief(probe: Probe, spec: Spec, problem: Problem) -> dict[str, Any]:
    """The brief as the model reads it: what the spec withholds is absent, never null."""
    larger, objective = problem.objective.better == "larger", problem.objective
    task = TASK_LINE[probe].format(level="high" if larger else "low", name=objective.name)
    shown = {"task": task, **stated(spec, problem)}
    if probe in ("p2", "p3"):
        shown["objective"] = f"{'maximize' if larger else 'minimize'} {objective.metric}"
        shown["query_budget"] = spec["query_budget"]
    if spec["initial_design"] is not None:
        shown["initial_design"] = spec["initial_design"]
    if probe == "p4":
        shown["policy"] = spec["policy"]
        shown["candidates"] = [
            {
                "id": candidate["id"],
                "design": candidate["design"],
                "metrics": {name: rounded(candidate["metrics"][name]) for name in problem.metrics},
                "slack": {name: rounded(candidate["slack"][name]) for name in problem.limits},
            }
            for candidate in spec["candidates"]
        ]
    return shown


def stated(spec: Spec | IsomorphicSpec, problem: Problem) -> dict[str, Any]:
    """What every brief states: bounds, limits, what belongs to the domain and, where there are any, notes."""
    shown: dict[str, Any] = {}
    shown["variable_bounds"] = {
        name: [box["min"], box["max"]] for name in problem.variables if (box := problem.bounds.get(name)) is not None
    }
    shown["constraints"] = {
        name: _limit(value, limit)
        for name, limit in problem.limits.items()
        if (value := spec["constraints"].get(name)) is not None
    }
    shown |= problem.shown()
    if spec["notes"]:
        shown["notes"] = {note["name"]: note["text"] for note in spec["notes"]}
    return shown


def _limit(value: float, limit: Limit) -> float | dict[str, float]:
    return {"target": value, "tolerance": limit.tolerance} if limit.kind == "target" else value


def laid_out(value: dict[str, Any]) -> str:
    """JSON of two levels: a line for each entry of the outer object and of the objects and lists of objects in it."""
    lines = []
    for name, inner in value.items():
        if isinstance(inner, dict):
            entries = [f"{json.dumps(key)}: {_compact(entry)}" for key, entry in inner.items()]
            text = "{\n  " + ",\n  ".join(entries) + "\n }" if entries else "{}"
        elif isinstance(inner, list) and inner and isinstance(inner[0], dict):
            text = "[\n  " + ",\n  ".join(map(_compact, inner)) + "\n ]"
        else:
            text = _compact(inner)
        lines.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}"


def retry_note(reason: str) -> str:
    """What is appended to the last user message when a reply could not be used."""
    return rendered("retry.md.j2", reason=reason).rstrip("\n")


_compact = json.JSONEncoder(ensure_ascii=False).encode
