"""A reply that a strict decoder lets through must be one that the parser reads."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.isomorphic.reading import open_isomorphic
from vehbench_hf.isomorphic.types import FORMS, Form
from vehbench_hf.parsing import ACTIONS, read_answer
from vehbench_hf.parsing.isomorphic_answers import read_isomorphic_answer
from vehbench_hf.parsing.reply_schema import reply_schema, schema_of
from vehbench_hf.types import PROBES, Probe, Spec
from vehbench_oracle import VARIABLES


def spec(bank: Bank, probe: Probe) -> Spec:
    return next(task.spec for task in bank.tasks if task.probe == probe)


def objects(schema: Any) -> list[dict[str, Any]]:
    inside = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    here = [schema] if isinstance(schema, dict) and schema.get("type") == "object" else []
    return here + [found for part in inside for found in objects(part)]


@pytest.mark.parametrize("probe", PROBES)
def test_strict_modes_accept_every_object_of_a_schema(small_bank: Bank, probe: Probe) -> None:
    schema = reply_schema(probe, spec(small_bank, probe))
    assert schema["type"] == "object"
    for found in objects(schema):
        assert found["required"] == list(found["properties"])
        assert found["additionalProperties"] is False
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("probe", ["p1", "p2", "p3"])
def test_a_schema_allows_exactly_the_actions_of_its_probe(small_bank: Bank, probe: Probe) -> None:
    schema = reply_schema(probe, spec(small_bank, probe))
    assert schema["properties"]["action"]["enum"] == list(ACTIONS[probe])


def test_a_ranking_names_all_candidates_of_its_own_task(small_bank: Bank) -> None:
    ids = [candidate["id"] for candidate in spec(small_bank, "p4")["candidates"]]
    ranking = reply_schema("p4", spec(small_bank, "p4"))["properties"]["ranking"]
    assert ranking["items"]["enum"] == ids
    assert ranking["minItems"] == ranking["maxItems"] == len(ids) > 1
    reply = json.dumps({"ranking": ids[::-1], "reason": ""})
    assert read_answer(reply, "p4", VARIABLES, candidate_ids=ids).repairs == ()


DESIGNS = st.fixed_dictionaries({name: st.floats(-1e6, 1e6) for name in VARIABLES})


@given(data=st.data(), probe=st.sampled_from(["p1", "p2", "p3"]))
def test_what_follows_the_schema_is_read_without_a_repair(small_bank: Bank, data: st.DataObject, probe: Probe) -> None:
    properties = reply_schema(probe, spec(small_bank, probe))["properties"]
    action = data.draw(st.sampled_from(properties["action"]["enum"]))
    full = {
        "action": action,
        "design": data.draw(DESIGNS) if action == "propose_design" else None,
        "step": data.draw(st.integers(1, 4)) if action == "reset_to_prior" else None,
        "reason": data.draw(st.text(max_size=20)),
        "missing_fields": data.draw(st.lists(st.text(max_size=5), max_size=2)),
    }
    reply = {name: full[name] for name in properties}
    answer = read_answer(json.dumps(reply), probe, VARIABLES, step_count=4)
    assert answer.action == action
    assert answer.repairs == ()
    assert answer.design == (full["design"] if probe != "p1" else None)


@pytest.mark.parametrize("form", FORMS)
def test_isomorphic_forms_are_asked_for_their_own_answer(form: Form) -> None:
    task = next(task for task in open_isomorphic(open_bank("v2")) if task.form == form)
    schema = schema_of(task)
    for found in objects(schema):
        assert found["required"] == list(found["properties"])
    if form == "selection":
        ids = schema["properties"]["candidate"]["enum"]
        assert ids == [candidate["id"] for candidate in task.spec["candidates"]]
        reply: dict[str, Any] = {"candidate": ids[2]}
    else:
        names = schema["properties"]["design"]["required"]
        assert len(names) == (2 if form == "completion" else 6)
        reply = {"design": dict.fromkeys(names, 1.5)}
    fixed = task.spec["fixed"]
    ids = [candidate["id"] for candidate in task.spec["candidates"]]
    answer = read_isomorphic_answer(json.dumps(reply), form, VARIABLES, candidate_ids=ids, fixed=fixed)
    assert answer.action == ("select" if form == "selection" else "propose_design")
    assert answer.repairs == ()
