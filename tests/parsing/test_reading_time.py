"""No five megabytes of text cost more than a moment, whatever they hold."""

import json
import time

import pytest

from vehbench_hf.parsing import UnreadableReply, read_answer
from vehbench_oracle.veh.quantities import VARIABLES

SIZE = 5_000_000
LIMIT_S = 10.0  # processor time; about a second is usual, anything quadratic takes minutes
DESIGN = json.dumps(
    {
        "beam_length_mm": 55,
        "beam_width_mm": 15,
        "substrate_thickness_um": 280,
        "piezo_thickness_um": 150,
        "tip_mass_g": 2.5,
        "load_resistance_ohm": 10000,
    }
)


def many(piece):
    return piece * (SIZE // len(piece))


HOSTILE = {
    "braces": many("{"),
    "objects never closed": many('{"a":'),
    "objects and lists never closed": many('{"a":['),
    "broken objects": many('{"a" x '),
    "broken objects on lines": many('{"a"\n'),
    "broken objects in fences": many('{"a" x```'),
    "broken objects that close": many('{"a" x}'),
    "closing braces": '{"a" x' + many("}"),
    "empty objects": many("{}"),
    "objects with NaN": many('{"a":NaN}'),
    "deep objects": many('{"a":' * 150 + "1" + "}" * 150),
    "double keys, nested": many('{"a":1,"a":'),
    "double keys": "{" + many('"a":1,') + '"a":1}',
    "keys": "{" + ",".join(f'"k{i}":{i}' for i in range(SIZE // 14)) + "}",
    "keys of a design": '{"design":{"length":1,' + ",".join(f'"k{i}":{i}' for i in range(SIZE // 14)) + "}}",
    "designs": many(DESIGN),
    "wrapped designs": many(f'{{"answer":{DESIGN}}}'),
    "answers": many('{"action":"replan"}'),
    "a list that breaks late": '{"a":[' + many("1,") + "x",
    "a list of objects": '{"action":"replan","x":[' + many("{},") + "{}]}",
    "a text with a bad escape": '{"a":"' + many("x") + "\\q",
    "texts with bad escapes": many('{"a":"\\q'),
    "texts never closed": many('{"a":"'),
    "backslashes": '{"a":"' + many("\\"),
    "digits": '{"action":"propose_design","design":{"length":' + many("9") + "}}",
    "decimals": '{"action":"propose_design","design":{"length":0.' + many("9") + "}}",
    "spaces": many("{  "),
    "opening tags": many("<think>"),
    "closing tags": many("</think>"),
    "angle brackets": many("<"),
    "missing fields": json.dumps({"action": "request_missing_info", "missing_fields": ["a"] * (SIZE // 5)}),
    "a ranking in one text": json.dumps({"ranking": many("A>")}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_five_megabytes_are_read_in_bounded_time(name):
    for probe in ("p1", "p2", "p3", "p4"):
        start = time.process_time()
        try:
            read_answer(HOSTILE[name], probe, VARIABLES, candidate_ids=tuple("ABCDE"), step_count=5)
        except UnreadableReply as error:
            text = error.reason
        else:
            text = "answer"
        assert time.process_time() - start < LIMIT_S
        assert len(text) < 400


def test_the_search_goes_on_behind_megabytes_of_anything_that_closes():
    answer = '{"action": "replan"}'
    for junk in ("so it goes. ", "{x} ", "<b>", "\n", "] ", "} "):
        assert read_answer(junk * (1_000_000 // len(junk)) + answer, "p2", VARIABLES).action == "replan"
