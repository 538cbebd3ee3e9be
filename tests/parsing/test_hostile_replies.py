"""Every reply of the corpus gets its one right reading, and no probe fails on any of them in another way."""

import math
import time

import pytest

from hostile_replies import CASES, DESIGN
from vehbench_hf.parsing import ACTIONS, UnreadableReply, read_answer
from vehbench_hf.types import PROBES
from vehbench_oracle.veh.quantities import VARIABLES

SLOWEST_S = 8.0  # processor time; the worst takes well under a second


def read(reply, probe):
    return read_answer(reply, probe, VARIABLES, candidate_ids=tuple("ABCDE"), step_count=5)


def test_the_corpus_names_each_reply_once():
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) >= 70
    assert {case.probe for case in CASES} == set(PROBES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_reply_is_read_as_it_must_be(case):
    if case.action is None:
        with pytest.raises(UnreadableReply) as caught:
            read(case.reply, case.probe)
        assert case.says
        assert case.says in caught.value.reason
        return
    answer = read(case.reply, case.probe)
    assert answer.action == case.action
    assert answer.prior_step == case.step
    assert "".join(answer.ranking) == case.ranking
    proposes = case.action == "propose_design" and case.probe in ("p2", "p3")
    assert answer.design == ({**DESIGN, **case.change} if proposes else None)
    repairs = "; ".join(answer.repairs)
    assert case.says in repairs if case.says else not repairs


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_reply_to_any_probe_ends_in_an_answer_or_in_a_short_reason(case):
    for probe in PROBES:
        start = time.process_time()
        action, texts, design = outcome(case.reply, probe)
        assert time.process_time() - start < SLOWEST_S
        assert action in (*ACTIONS[probe], "unreadable")
        assert all(text.isprintable() and 0 < len(text) < 400 for text in texts)
        assert design is None or all(map(math.isfinite, design.values()))


def outcome(reply, probe):
    """The action, the texts that a reader will see, and the design."""
    try:
        answer = read(reply, probe)
    except UnreadableReply as error:
        return "unreadable", [error.reason], None
    (answer.reason or "").encode("utf-8")
    return answer.action, answer.repairs, answer.design
