"""JSON schemas of the replies that prompts ask for, for backends that can hold a model to one.

All of it stays within what strict modes accept: one object at the top, every property required, no others allowed.
Forms that a probe offers beside each other therefore become one object, with null for what the chosen action lacks.
"""

from collections.abc import Iterable
from typing import Any, cast

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
    variables = domain_of(domain).problem(spec).variables
    ids = [candidate["id"] for candidate in spec["candidates"]]
    if probe == "isomorphic":
        return _isomorphic(ids, cast(IsomorphicSpec, spec), variables)
    if probe == "p4":
        entry = {"type": "string", "enum": ids}
        ranking = {"type": "array", "items": entry, "minItems": len(ids), "maxItems": len(ids)}
        return _object({"ranking": ranking, "reason": _TEXT})
    properties: dict[str, Schema] = {"action": {"type": "string", "enum": list(ACTIONS[probe])}}
    if "replan" in ACTIONS[probe]:  # the searching probes, where a proposal holds a design
        properties["design"] = _or_null(_design(variables))
    if "reset_to_prior" in ACTIONS[probe]:
        properties["step"] = _or_null({"type": "integer"})
    properties["reason"] = _TEXT
    if "request_missing_info" in ACTIONS[probe]:
        properties["missing_fields"] = {"type": "array", "items": _TEXT}
    return _object(properties)


def _isomorphic(ids: list[str], spec: IsomorphicSpec, variables: Iterable[str]) -> Schema:
    if ids:
        return _object({"candidate": {"type": "string", "enum": ids}})
    fixed = spec["fixed"] or {}
    return _object({"design": _design(name for name in variables if fixed.get(name) is None)})


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
