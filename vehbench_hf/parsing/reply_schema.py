"""JSON schemas of the replies that prompts ask for, for backends that can hold a model to one.

All of it stays within what strict modes accept: one object at the top, every property required, no others allowed.
Forms that a probe offers beside each other therefore become one object, with null for what the chosen action lacks.
"""

from collections.abc import Callable, Iterable
from typing import Any

from vehbench_hf.domains import DEFAULT_DOMAIN, domain_of
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.parsing.actions import ACTIONS
from vehbench_hf.types import Probe, Spec, Task

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}


def schema_of(task: Task) -> Schema:
    """The schema of one reply to a task, from what its model may see."""
    return reply_schema(task.probe, task.spec, task.domain)


def reply_schema(probe: Probe, spec: Spec | IsomorphicSpec, domain: str = DEFAULT_DOMAIN) -> Schema:
    """The schema of one reply in a probe, with the spec that belongs to it.

    That a P4 ranking names each candidate once cannot be said in the part of JSON schema that strict modes know, so a
    reply may follow the schema and still be no ranking.
    """
    return _SCHEMAS.get(probe, _action)(probe, spec, domain_of(domain).problem(spec).variables)


def _ranking(probe: Probe, spec: Spec, variables: Iterable[str]) -> Schema:
    entry = {"type": "string", "enum": _candidate_ids(spec)}
    count = len(spec["candidates"])
    ranking = {"type": "array", "items": entry, "minItems": count, "maxItems": count}
    return _object({"ranking": ranking, "reason": _TEXT})


def _action(probe: Probe, spec: Spec, variables: Iterable[str]) -> Schema:
    properties: dict[str, Schema] = {"action": {"type": "string", "enum": list(ACTIONS[probe])}}
    if "replan" in ACTIONS[probe]:  # the searching probes, where a proposal holds a design
        properties["design"] = _or_null(_design(variables))
    if "reset_to_prior" in ACTIONS[probe]:
        properties["step"] = _or_null({"type": "integer"})
    properties["reason"] = _TEXT
    if "request_missing_info" in ACTIONS[probe]:
        properties["missing_fields"] = {"type": "array", "items": _TEXT}
    return _object(properties)


def _form(probe: Probe, spec: IsomorphicSpec, variables: Iterable[str]) -> Schema:
    if spec["candidates"]:
        return _object({"candidate": {"type": "string", "enum": _candidate_ids(spec)}})
    fixed = spec["fixed"] or {}
    return _object({"design": _design(name for name in variables if fixed.get(name) is None)})


_SCHEMAS: dict[Probe, Callable[[Probe, Any, Iterable[str]], Schema]] = {"p4": _ranking, "isomorphic": _form}
"""Of the probes whose reply names no action."""


def _candidate_ids(spec: Spec | IsomorphicSpec) -> list[str]:
    return [candidate["id"] for candidate in spec["candidates"]]


def _design(names: Iterable[str]) -> Schema:
    return _object({name: {"type": "number"} for name in names})


def _object(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
