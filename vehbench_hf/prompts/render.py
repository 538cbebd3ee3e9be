"""Rendering of the opening messages of an episode. The only input is `spec`: gold has no way in."""

import json
from typing import Any

from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.prompts.controls import control_block
from vehbench_hf.prompts.feedback import history_feedback_text, rounded
from vehbench_hf.prompts.state_summary import state_summary
from vehbench_hf.prompts.templates import rendered, rendered_pair
from vehbench_hf.protocol import Protocol, budgeted
from vehbench_hf.types import Materials, Message, Probe, Spec
from vehbench_oracle import LIMITS, METRICS, VARIABLES
from vehbench_oracle.veh import materials as tables

TASK_LINE: dict[Probe, str] = {
    "p1": "Decide whether this brief can be worked on, is infeasible, or lacks information.",
    "p2": "Find a feasible design with high load power for this brief.",
    "p3": "Recover a feasible design for this brief; the earlier steps follow.",
    "p4": "Rank the candidates under the stated policy.",
}


SUMMARY_LINE = "Recover a feasible design for this brief; the state after the earlier steps follows."
"""The task line of P3 where a summary stands for the earlier steps."""


def opening(probe: Probe, spec: Spec, protocol: Protocol) -> list[Message]:
    """The messages before the first reply: system, brief and, in P3, the history as earlier turns or as a summary.

    Verdicts of a history are shown as `spec` holds them, whatever `protocol.p3_history` says.
    """
    spec, coarse = budgeted(probe, spec, protocol), protocol.feedback == "coarse"
    shown = len(spec["history"])
    summarized = probe == "p3" and protocol.p3_state == "summary"
    left = spec["query_budget"] - shown
    system, user = rendered_pair(
        "p3_summary.md.j2" if summarized else f"{probe}.md.j2",
        variables=VARIABLES,
        metrics=METRICS,
        limits=LIMITS,
        query_budget=spec["query_budget"],
        queries_left=left,
        p2_stop=protocol.p2_stop,
        feedback=protocol.feedback,
        ids=[candidate["id"] for candidate in spec["candidates"]],
        brief=laid_out({**brief(probe, spec), **({"task": SUMMARY_LINE} if summarized else {})}),
        steps_so_far=shown,
        state=laid_out(state_summary(spec["history"], coarse=coarse)) if summarized else None,
    )
    messages: list[Message] = [
        {"role": "system", "content": control_block(probe, protocol.control) + system},
        {"role": "user", "content": user},
    ]
    for number, step in enumerate([] if summarized else spec["history"], start=1):
        said = {"action": "propose_design", "design": step["design"], "reason": step["note"]}
        messages.append({"role": "assistant", "content": json.dumps(said, ensure_ascii=False)})
        messages.append({"role": "user", "content": history_feedback_text(number, step["verdict"], coarse=coarse)})
    if shown:
        handover = f"\n\nFrom here on it is your turn. Queries left: {left}. Steps are counted on from {shown + 1}."
        messages[-1] = {"role": "user", "content": messages[-1]["content"] + handover}
    return messages


def brief(probe: Probe, spec: Spec) -> dict[str, Any]:
    """The brief as the model reads it: what the spec withholds is absent, never null."""
    shown = {"task": TASK_LINE[probe], **stated(spec)}
    if probe in ("p2", "p3"):
        shown["objective"] = "maximize load_power_uw"
        shown["query_budget"] = spec["query_budget"]
    if spec["initial_design"] is not None:
        shown["initial_design"] = spec["initial_design"]
    if probe == "p4":
        shown["policy"] = spec["policy"]
        shown["candidates"] = [
            {
                "id": candidate["id"],
                "design": candidate["design"],
                "metrics": {name: rounded(candidate["metrics"][name]) for name in METRICS},
                "slack": {name: rounded(candidate["slack"][name]) for name in LIMITS},
            }
            for candidate in spec["candidates"]
        ]
    return shown


def stated(spec: Spec | IsomorphicSpec) -> dict[str, Any]:
    """What every brief states: bounds, limits, excitation, materials and, where there are any, notes."""
    excitation = spec["excitation"]
    shown: dict[str, Any] = {}
    shown["variable_bounds"] = {
        name: [box["min"], box["max"]] for name in VARIABLES if (box := spec["variable_bounds"].get(name)) is not None
    }
    shown["constraints"] = {
        name: spec["constraints"][name] for name in LIMITS if spec["constraints"].get(name) is not None
    }
    shown["excitation"] = {
        **{n: excitation[n] for n in ("frequency_hz", "acceleration_g") if excitation[n] is not None},
        **{words["name"]: words["text"] for words in excitation["stated"]},
    }
    shown["materials"] = _materials(spec["materials"])
    if spec["notes"]:
        shown["notes"] = {note["name"]: note["text"] for note in spec["notes"]}
    return shown


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


def _materials(named: Materials) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if named["piezo"] is not None:
        p = tables.piezo(named["piezo"])
        shown["piezo"] = {
            "name": named["piezo"],
            "d31_m_per_v": p.d31,
            "relative_permittivity": p.relative_permittivity,
            "youngs_modulus_gpa": p.youngs_modulus / 1e9,
            "density_kg_m3": p.density,
        }
    if named["substrate"] is not None:
        s = tables.substrate(named["substrate"])
        shown["substrate"] = {
            "name": named["substrate"],
            "youngs_modulus_gpa": s.youngs_modulus / 1e9,
            "density_kg_m3": s.density,
        }
    if named["damping_ratio"] is not None:
        shown["damping_ratio"] = named["damping_ratio"]
    return shown


_compact = json.JSONEncoder(ensure_ascii=False).encode
