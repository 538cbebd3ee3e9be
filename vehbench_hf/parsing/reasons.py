"""Every reason for which a reply cannot be used, as a model would read it: part of what the prompts say."""

import json
from collections.abc import Mapping
from typing import Any

from vehbench_hf.isomorphic.types import Form
from vehbench_hf.parsing.answers import read_answer
from vehbench_hf.parsing.isomorphic_answers import read_isomorphic_answer
from vehbench_hf.parsing.json_objects import MAX_BRACES, MAX_DEPTH
from vehbench_hf.parsing.numbers import UNITS
from vehbench_hf.parsing.unreadable import UnreadableReply
from vehbench_hf.types import Probe
from vehbench_oracle.quantities import Variable

_IDS = ("A", "B")


def reasons(variables: Mapping[str, Variable]) -> list[str]:
    """The reasons that fixed unusable replies to a brief with these variables get, in a fixed order.

    Together the replies meet every place where the parser refuses one; a test sees to it. Raises AssertionError for a
    reply that can be used after all.
    """
    texts = [_reason_of(text, probe, variables) for probe, text in _replies(variables)]
    return texts + [_reason_of_form(text, form, variables) for form, text in _replies_to_forms(variables)]


def _reason_of(text: str, probe: Probe, variables: Mapping[str, Variable]) -> str:
    steps = 0 if "no earlier step" in text else 3
    try:
        read_answer(text, probe, variables, candidate_ids=_IDS, step_count=steps)
    except UnreadableReply as unreadable:
        return unreadable.reason
    raise AssertionError(f"{text[:80]} is a usable reply in {probe}")


def _reason_of_form(text: str, form: Form, variables: Mapping[str, Variable]) -> str:
    fixed = {name: 1.0 if name == next(iter(variables)) else None for name in variables}
    try:
        read_isomorphic_answer(text, form, variables, candidate_ids=_IDS, fixed=fixed)
    except UnreadableReply as unreadable:
        return unreadable.reason
    raise AssertionError(f"{text[:80]} is a usable {form}")


def _replies(variables: Mapping[str, Variable]) -> list[tuple[Probe, str]]:
    design = dict.fromkeys(variables, 1.0)
    name, unit = next((name, variable.unit) for name, variable in variables.items())
    others = {key: value for key, value in design.items() if key != name}
    deep = '{"a": ' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1)
    odd: list[Any] = [
        [1.0],
        f"1 {unit} to 2 {unit}",
        "1e999",
        "1 parsec",
        {"value": f"1 {unit}", "unit": "parsec"},
        {"value": f"1 {_other_unit(unit)}", "unit": unit},
    ]
    return [
        ("p2", "no object"),
        ("p2", "<think>a thought without end"),
        ("p2", '{"action": propose}'),
        ("p2", '{"action": "replan", "action": "propose_design"}'),
        ("p2", deep),
        ("p2", '{"a": [' + "[]," * MAX_BRACES + "[]]}"),
        ("p1", '{"reason": "none"}'),
        *((probe, '{"action": "leave"}') for probe in ("p1", "p2", "p3")),
        ("p2", '{"action": "replan", "decision": "propose_design"}'),
        ("p2", '{"action": "propose_design"}'),
        ("p2", '{"reason": "none"}'),
        ("p2", _proposal(design={"colour": "red"})),
        ("p2", _proposal(design="as before")),
        ("p2", _proposal(design=design, proposal={**design, name: 2.0})),
        ("p2", _proposal(design=design, **{name: 2.0})),
        ("p2", _proposal(design={name: 1.0})) if others else ("p2", _proposal(design={"colour": "red"})),
        ("p2", _proposal(design={**design, name.upper(): 2.0})),
        *(("p2", _proposal(design={**others, name: value})) for value in odd),
        ("p3", '{"action": "reset_to_prior"}'),
        ("p3", '{"action": "reset_to_prior", "step": 9}'),
        ("p3", '{"action": "reset_to_prior", "step": 1, "prior_step": 2}'),
        ("p3", '{"action": "reset_to_prior", "step": 1, "reason": "no earlier step"}'),
        ("p4", '{"reason": "none"}'),
        ("p4", '{"ranking": ["A", "B"], "order": ["B", "A"]}'),
        ("p4", '{"ranking": 1}'),
        ("p4", '{"ranking": ["A"]}'),
        ("p4", '{"ranking": ["A", "C"]}'),
        ("p4", '{"ranking": ["A", "A"]}'),
        ("p4", '{"ranking": [{"id": "A", "rank": 2}, {"id": "B", "rank": 1}]}'),
    ]


def _replies_to_forms(variables: Mapping[str, Variable]) -> list[tuple[Form, str]]:
    return [
        ("selection", '{"candidate": "C"}'),
        ("selection", '{"reason": "none"}'),
        ("selection", '{"candidate": "A", "choice": "B"}'),
        ("generation", '{"action": "replan", "design": null}'),
        ("generation", '{"reason": "none"}'),
        ("completion", json.dumps({"design": dict.fromkeys(variables, 2.0)})),
    ]


def _proposal(**values: object) -> str:
    return json.dumps({"action": "propose_design", **values})


def _other_unit(unit: str) -> str:
    """Another unit of the same dimension."""
    dimension = UNITS[unit][0]
    return next((name for name, known in UNITS.items() if known[0] == dimension and known != UNITS[unit]), unit)
